import assert from 'node:assert/strict';
import fc from 'fast-check';
import { normalizeText, toSingleLineSummary } from '../../../src/engine/text/normalizeText.js';
import { arbitraryText } from './arbitraryText.js';

describe('normalizeText', () => {
  const same: readonly (readonly [title: string, one: string, other: string])[] = [
    ['case, white space, final stop', 'We use  pnpm.', 'we use\r\npnpm'],
    ['quotes and code marks', 'Use “pnpm”!', 'use `pnpm`'],
    ['typographic apostrophes and contractions', 'Don’t use foo', 'do not use foo'],
    ['missing apostrophe', 'dont use foo', 'do not use foo'],
    ['a reporting phrase', 'Please remember that we use Go', 'We use Go'],
    ['the user said it or I', 'The user prefers tabs', 'I prefer tabs'],
    ['no subject', 'prefers tabs', 'User prefers tabs'],
    ['list marks and emphasis', '- **Never** force push', 'never force push'],
    ['compatibility forms', 'Ｕｓｅ Go', 'use go'],
    ['shouting', 'NEVER FORCE PUSH', 'never force push'],
  ];
  for (const [title, one, other] of same) {
    it(`same fact: ${title}`, () => {
      assert.equal(normalizeText(one), normalizeText(other));
    });
  }

  const different: readonly (readonly [title: string, one: string, other: string])[] = [
    ['negation', 'Use foo', 'Do not use foo'],
    ['word order', 'The key is a, not b', 'The key is b, not a'],
    ['numbers', 'The limit is 10', 'The limit is 100'],
    ['versions', 'Node 20.1', 'Node 20.10'],
    ['case of environment variables', 'The key is DATABASE_URL', 'The key is database_url'],
    ['case that the text itself contrasts', 'It is userID, not userId', 'It is userId, not userID'],
    ['we are not I', 'We prefer tabs', 'I prefer tabs'],
    ['someone else', 'Sarah prefers tabs', 'I prefer tabs'],
    ['file names keep their dot', 'Commit .env', 'Commit env'],
  ];
  for (const [title, one, other] of different) {
    it(`different facts: ${title}`, () => {
      assert.notEqual(normalizeText(one), normalizeText(other));
    });
  }

  it('never throws and is idempotent on prose', () => {
    fc.assert(fc.property(arbitraryText(), text => normalizeText(text).length >= 0));
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('we', 'use', 'pnpm', 'not', 'npm.', 'Never', 'don’t', '“x”', 'a_B', '10')),
        words => {
          const once = normalizeText(`The ${words.join(' ')}`);
          assert.equal(normalizeText(once), once);
        },
      ),
    );
  });
});

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
