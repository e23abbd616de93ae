import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EngineError } from '../../../src/engine/base/errors.js';
import {
  upsertSection,
  sectionEndMarker,
  sectionStartMarker,
  removeSection,
} from '../../../src/engine/base/markedSection.js';

const place = (text: string, ...lines: string[]): string => upsertSection(text, lines, 'CLAUDE.md');
const shown = (text: string): string =>
  text.replaceAll(sectionStartMarker, '<S>').replaceAll(sectionEndMarker, '<E>').replaceAll('\r', '␍');
const real = (text: string): string =>
  text.replaceAll('<S>', sectionStartMarker).replaceAll('<E>', sectionEndMarker).replaceAll('␍', '\r');

describe('the marked section', () => {
  const cases: readonly (readonly [what: string, before: string, after: string])[] = [
    ['an empty file', '', '<S>\na\nb\n<E>\n'],
    ['a byte order mark alone', '\uFEFF', '\uFEFF<S>\na\nb\n<E>\n'],
    ['a text without an end of line', 'x', 'x\n\n<S>\na\nb\n<E>\n'],
    ['a text', 'x\n', 'x\n\n<S>\na\nb\n<E>\n'],
    ['a text with an empty line at its end', 'x\n\n', 'x\n\n<S>\na\nb\n<E>\n'],
    ['line ends of Windows', 'x␍\ny', 'x␍\ny␍\n␍\n<S>␍\na␍\nb␍\n<E>␍\n'],
    ['a section', 'x\n<S>\nold\n<E>\ny', 'x\n<S>\na\nb\n<E>\ny'],
    ['an empty section', '<S>\n<E>', '<S>\na\nb\n<E>'],
    ['a section with line ends of its own', 'x\n  <S>␍\nold\n <E>\n\n', 'x\n  <S>␍\na␍\nb␍\n <E>\n\n'],
    ['a section behind a byte order mark', '\uFEFF<S>\n<E>\n', '\uFEFF<S>\na\nb\n<E>\n'],
    ['a text that speaks of markers', 'Leave `<S>` alone.\n', 'Leave `<S>` alone.\n\n<S>\na\nb\n<E>\n'],
    ['a section after a code block', '```\nx\n```\n<S>\n<E>\n', '```\nx\n```\n<S>\na\nb\n<E>\n'],
    ['what looks like a code block in the section', '<S>\n```\n<E>\n```\nx\n```', '<S>\na\nb\n<E>\n```\nx\n```'],
  ];
  for (const [what, before, after] of cases) {
    it(`inserts the section into ${what}`, () => {
      assert.equal(shown(place(real(before), 'a', 'b')), after);
      assert.equal(shown(place(real(after), 'a', 'b')), after);
    });
  }

  it('keeps an existing section without lines, and creates none for no lines', () => {
    assert.equal(shown(place(real('x\n<S>\nold\n<E>\ny\n'))), 'x\n<S>\n<E>\ny\n');
    assert.equal(place('x'), 'x');
  });

  const broken: readonly (readonly [string, RegExp])[] = [
    ['<S>\nx', /line 1: the section begins here and never ends/u],
    ['x\n<E>', /line 2: the section ends here and never began/u],
    ['<E>\n<S>', /line 1: the section ends here/u],
    ['<S>\n<S>\n<E>\n<E>', /line 2: the section begins a second time/u],
    ['<S>\n<E>\n<S>\n<E>', /line 3: there is a second section/u],
    ['<S>\n<E>\n<E>', /line 3: the section ends here/u],
    ['<!-- recollect:start\n<E>', /line 1: the marker is damaged/u],
    ['<!-- recollect:begin -->', /line 1: the marker is damaged/u],
    ['```md\n<S>\n<E>\n```\n', /line 2: a marker stands in a code block/u],
  ];
  for (const [text, message] of broken) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => place(real(text), 'a'),
        (error: unknown) => EngineError.is(error, 'unsupportedFile') && message.test(error.message),
      );
    });
  }

  const eol = fc.constantFrom('\n', '\r\n', '\r');
  const line = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('', '```', '~~~', '# Title', '- item', '<!-- comment -->', '<!-- other:start -->', '\u2028', '🙂'),
  );
  const text = fc
    .tuple(fc.boolean(), fc.array(fc.tuple(line, eol), { maxLength: 8 }), line)
    .map(([bom, lines, last]) => (bom ? '\uFEFF' : '') + lines.map(it => it.join('')).join('') + last);
  const body = fc.array(
    fc.string({ maxLength: 10 }).map(it => `- ${it.replaceAll(/[\r\n]/gu, ' ')}`),
    { maxLength: 6 },
  );

  it('preserves every edit outside the markers, and is idempotent', () => {
    fc.assert(
      fc.property(text, text, text, body, body, (first, above, below, one, other) => {
        const published = attempt(first, one);
        if (!published?.includes(sectionStartMarker)) return;
        assert.equal(published.startsWith(first), true);
        assert.equal(place(published, ...one), published);
        const start = published.indexOf(sectionStartMarker);
        const end = published.indexOf(sectionEndMarker) + sectionEndMarker.length;
        // A person writes above and below, in lines of their own.
        const head = `${published.slice(0, start)}${above === '' ? '' : `${above}\n`}`;
        const tail = `\n${below}${published.slice(end)}`;
        const edited = head + published.slice(start, end) + tail;
        const again = attempt(edited, other);
        if (again === undefined) return; // Refused: the file stays as the person left it.
        assert.ok(again.startsWith(head) && again.endsWith(tail), JSON.stringify([edited, again]));
        assert.equal(place(again, ...other), again);
        assert.equal(removeSection(again, 'x').includes(sectionStartMarker), false);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Undefined for a rejected text. */
function attempt(text: string, lines: readonly string[]): string | undefined {
  try {
    return upsertSection(text, lines, 'x');
  } catch (error) {
    if (EngineError.is(error, 'unsupportedFile')) return undefined;
    throw error;
  }
}
