import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { compareClaims, readStatement, type Statement } from '../../../src/engine/compare/compare.js';
import { prospect, sketchOf, type Prospect } from '../../../src/engine/compare/sketch.js';
import { madeTexts } from '../../bench/kit/madeTexts.js';

/** A statement of one sentence, with what is kept of it. */
type Sketched = readonly [statement: Statement, sketch: Uint16Array];

function sketched(texts: readonly string[]): Sketched[] {
  return texts.flatMap(it => {
    const statement = readStatement(it);
    const sketch = sketchOf(statement);
    return sketch === undefined ? [] : [[statement, sketch]];
  });
}

/** What the rules find, whichever of them is the newer. */
function found(one: Statement, other: Statement): Prospect {
  const verdicts = [compareClaims(one, other), compareClaims(other, one)];
  if (verdicts.some(it => it.relation !== 'unrelated')) return 'anything';
  return verdicts.some(it => it.uncertain) ? 'doubt' : 'nothing';
}

const order: readonly Prospect[] = ['nothing', 'doubt', 'anything'];

/** Few words of every sort, so that pairs have much in common. */
const text = fc
  .array(
    fc.constantFrom(
      ...['the cache', 'parser', 'our wiki', 'Redis', 'MySQL', 'Lena', 'the mobile team', 'admins', 'production'],
      ...['uses', 'is kept in', 'is owned by', 'must', 'may', 'never', "doesn't", 'moved from', 'to', 'by', 'with'],
      ...['5 MB', 'port 80', "'x_'", 'Monday', 'public', 'private', 'now', 'instead of', 'no longer', 'also', ','],
    ),
    { minLength: 2, maxLength: 9 },
  )
  .map(it => it.join(' '));

/** How many pairs have which prospect. @throws AssertionError for a pair of which the rules find more */
function prospects(some: readonly Sketched[], others: readonly Sketched[]): Readonly<Record<Prospect, number>> {
  const counts = { nothing: 0, doubt: 0, anything: 0 };
  for (const [one, sketch] of some) {
    for (const [other, otherSketch] of others) {
      const its = prospect(sketch, otherSketch);
      counts[its]++;
      if (its === 'anything') continue;
      const isEnough = order.indexOf(found(one, other)) <= order.indexOf(its);
      if (!isEnough) assert.fail(`${its}: ${one.content} | ${other.content}: ${found(one, other)}`);
    }
  }
  return counts;
}

const folder = path.join('test', 'fixtures', 'conflicts');
const pairs = readdirSync(folder).flatMap(
  it => JSON.parse(readFileSync(path.join(folder, it), 'utf8')) as { older: string; newer: string }[],
);

describe('the sketch of a claim', () => {
  it('leaves no pair unread of which the rules find something', () => {
    const all = sketched(pairs.flatMap(({ older, newer }) => [older, newer]));
    assert.ok(all.length > 1_000);
    const others = all.filter((_, i) => i % 4 === 0);
    assert.ok(prospects(all, others).nothing > 0);
  });

  it('does so whatever words stand in whatever place', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 12, maxLength: 12 }), its => {
        const all = sketched(its);
        prospects(all, all);
      }),
      { numRuns: 300 },
    );
  });

  it('tells of most texts about other things that nothing comes of reading them', () => {
    const all = sketched(madeTexts(400, 0).texts);
    const { nothing, doubt, anything } = prospects(all.slice(0, 100), all.slice(100));
    assert.ok(nothing > 0.8 * (nothing + doubt + anything));
  });

  it('is of one claim: several are read', () => {
    assert.equal(sketchOf(readStatement('The port is 80. The host is blue.')), undefined);
    assert.equal(sketchOf(readStatement('Which port?')), undefined);
  });
});
