import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toSingleLineSummary } from '../../../src/engine/text/singleLine.js';
import { arbitraryText } from './arbitraryText.js';

describe('toSingleLineSummary', () => {
  const table: readonly (readonly [title: string, text: string, maxLength: number, expected: string])[] = [
    ['short text stays', 'We use Go.', 120, 'We use Go.'],
    ['one line', 'a\n\nb', 120, 'a b'],
    ['Markdown goes', '## Rules\n- **Use** [pnpm](https://pnpm.io) and `tsc`', 120, 'Rules Use pnpm and tsc'],
    ['globs stay', 'Run *only* src/**/*.ts and 2*3*4', 120, 'Run only src/**/*.ts and 2*3*4'],
    ['code fences go', 'Run:\n```sh\nmake\n```', 120, 'Run: make'],
    ['cut at a word', 'The quick brown fox', 12, 'The quick…'],
    ['a word that just fits', 'The quick brown fox', 10, 'The quick…'],
    ['no space to cut at', 'x'.repeat(30), 10, 'xxxxxxxxx…'],
    ['no half characters', '👍'.repeat(30), 4, '👍👍👍…'],
    ['identifiers keep their underscores', 'set MAX_RETRY_COUNT', 120, 'set MAX_RETRY_COUNT'],
  ];
  for (const [title, text, maxLength, expected] of table) {
    it(title, () => {
      assert.equal(toSingleLineSummary(text, maxLength), expected);
    });
  }

  it('returns one line of at most the requested length', () => {
    fc.assert(
      fc.property(arbitraryText(300), fc.integer({ min: 2, max: 130 }), (text, maxLength) => {
        const line = toSingleLineSummary(text, maxLength);
        assert.ok(Array.from(line).length <= maxLength);
        assert.doesNotMatch(line, /[\n\r]/);
      }),
    );
  });
});
