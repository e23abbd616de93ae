import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  hashTeamLine,
  newestLines,
  parseTeamLine,
  renderTeamLine,
  type PlacedLine,
  type TeamLine,
} from '../../../src/engine/team/teamLine.js';
import { propertyRuns } from '../../support/propertyRuns.js';

const limits = { now: new Date('2026-03-02T09:00:00.000Z'), maxCharacters: 8_000, maxTags: 20, maxTagCharacters: 64 };
const ids = ['01a21a2b-1b8a-7527-8eb2-5ae377660541', '01a21a2b-2335-71dc-bb49-aae4eed61aa7'];

const shared: TeamLine = {
  id: ids[0]!,
  at: '2026-03-01T10:00:00.000Z',
  by: 'Ada',
  fact: {
    content: 'The ferry leaves at noon.',
    gate: 'epistemic',
    kind: 'context',
    tags: ['ferry'],
    said: '2026-02-01T10:00:00.000Z',
  },
};

const withFields = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...(JSON.parse(renderTeamLine(shared)) as object), ...fields });

describe('a line of a team', () => {
  it('reads what it wrote', () => {
    const withdrawn: TeamLine = { ...shared, fact: undefined };
    for (const it of [shared, withdrawn]) assert.deepEqual(parseTeamLine(renderTeamLine(it), limits), it);
    assert.equal(parseTeamLine('  ', limits), undefined);
  });

  it('takes a fact for no younger than its line, and leaves out tags that cannot be kept', () => {
    const tags = ['ferry', 'x'.repeat(65), 'two\u0000', ...Array.from({ length: 30 }, (_, i) => `tag${i}`)];
    const line = parseTeamLine(withFields({ said: '2026-03-02T08:00:00Z', tags }), limits);
    assert.ok(line !== undefined && !('refused' in line));
    assert.equal(line.fact?.said, shared.at);
    assert.deepEqual(line.fact.tags.slice(0, 2), ['ferry', 'tag0']);
    assert.equal(line.fact.tags.length, 20);
  });

  it('looks for secrets in no more tags than it keeps', () => {
    const many = Array.from({ length: 20 }, (_, i) => `tag${i}`);
    const long = `password=Xk29fQz81Lm ${'x'.repeat(64)}`;
    const line = parseTeamLine(withFields({ tags: [long, ...many, 'password=Xk29fQz81Lm'] }), limits);
    assert.ok(line !== undefined && !('refused' in line));
    assert.deepEqual(line.fact?.tags, many);
  });

  const refusals: readonly (readonly [title: string, text: string, reason: RegExp])[] = [
    ['what is cut off', renderTeamLine(shared).slice(0, 80), /no JSON/u],
    ['a marker of a merge', '<<<<<<< HEAD', /left of a merge/u],
    ['another value', '[1]', /no shared memory/u],
    ['a newer version', withFields({ v: 2 }), /newer version/u],
    ['a time to come', withFields({ at: '2026-03-09T10:00:00Z' }), /dated 2026-03-09/u],
    ['a gate that is none', withFields({ gate: 'orders' }), /no shared memory: gate/u],
    ['an id that is none', withFields({ id: '../../etc' }), /no shared memory: id/u],
    ['a name on two lines', withFields({ by: 'Ada\nBen' }), /name in it/u],
    ['a name that steers the terminal', withFields({ by: 'Ada \u001b[2J of the harbor office' }), /name in it/u],
    ['a text that is too long', withFields({ content: 'word '.repeat(2_000) }), /at most/u],
    ['a secret', withFields({ content: 'The admin password is Xk29fQz81Lm.' }), /contains a secret/u],
    ['a secret in a tag', withFields({ tags: ['password=Xk29fQz81Lm'] }), /contains a secret/u],
  ];
  for (const [title, text, reason] of refusals) {
    it(`refuses ${title}`, () => {
      const line = parseTeamLine(text, limits);
      assert.ok(line !== undefined && 'refused' in line, JSON.stringify(line));
      assert.match(line.refused, reason);
    });
  }

  it('holds the same after any merge: in any order, and with lines twice', () => {
    const line = fc.record({
      id: fc.constantFrom(...ids),
      minute: fc.integer({ min: 0, max: 3 }),
      content: fc.constantFrom('One.', 'Two.', undefined),
      file: fc.constantFrom('ada.jsonl', 'ben.jsonl'),
    });
    const merge = fc
      .array(line, { maxLength: 12 })
      .chain(lines =>
        fc.tuple(fc.constant(lines), fc.shuffledSubarray([...lines, ...lines], { minLength: lines.length * 2 })),
      );
    fc.assert(
      fc.property(merge, ([lines, merged]) => {
        const place = (it: (typeof lines)[number], number: number): PlacedLine => {
          const { fact, ...rest } = shared;
          const content = it.content;
          const placed = {
            ...rest,
            id: it.id,
            at: `2026-03-01T10:0${it.minute}:00.000Z`,
            fact: content === undefined ? undefined : { ...fact!, content },
          };
          const text = renderTeamLine(placed);
          return { ...placed, text, hash: hashTeamLine(text), file: it.file, number };
        };
        const state = (some: typeof lines): unknown =>
          [...newestLines(some.map(place))].map(([id, it]) => [id, it.text]).sort();
        assert.deepEqual(state(merged), state(lines));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('holds what was written last, by any member and anywhere in the files', () => {
    const place = (line: TeamLine, number: number): PlacedLine => {
      const text = renderTeamLine(line);
      return { ...line, text, hash: hashTeamLine(text), file: 'ada.jsonl', number };
    };
    const later: TeamLine = { ...shared, at: '2026-03-01T11:00:00.000Z', by: 'Ben', fact: undefined };
    assert.deepEqual([...newestLines([place(later, 1), place(shared, 2)])], [[ids[0], place(later, 1)]]);
  });
});
