import assert from 'node:assert/strict';
import fc from 'fast-check';
import { validateText } from '../../../src/engine/secrets/storableText.js';
import { arbitraryText } from '../text/arbitraryText.js';

const maxLength = 8_000;

describe('validateText', () => {
  const kept: readonly (readonly [title: string, text: string, expected: string])[] = [
    ['plain text', ' We use Go. ', 'We use Go.'],
    ['CRLF and CR become LF', 'a\r\nb\rc', 'a\nb\nc'],
    ['lone surrogates are repaired', 'a\uD800b and more words', 'a\uFFFDb and more words'],
    ['direction overrides go, right-to-left text stays', 'safe \u202Egnp.exe\u202C שלום', 'safe gnp.exe שלום'],
    ['isolates go', 'a\u2066b\u2069c', 'abc'],
    ['zero-width spaces and tag characters go', 'to\u200Bken\u{E0041}', 'token'],
    ['emoji sequences keep their joiner', '👩‍💻 codes', '👩‍💻 codes'],
    ['composed form', 'Mu\u0308ller', 'Müller'],
    ['terminal colours go', '\u001B[31mred\u001B[0m', 'red'],
    ['tabs stay', 'a\tb', 'a\tb'],
  ];
  for (const [title, text, expected] of kept) {
    it(title, () => {
      assert.deepEqual(validateText(text, maxLength), { ok: true, text: expected });
    });
  }

  const refused: readonly (readonly [title: string, text: string, reason: RegExp])[] = [
    ['empty', '', /nothing to remember/],
    ['white space only', ' \r\n\t\u200B', /nothing to remember/],
    ['NULs are binary', 'PNG\0\0abc', /binary/],
    ['control characters are binary', 'ab\u0001\u0002\u0003cd', /binary/],
    ['replacement characters are binary', 'ÿ\uFFFD\uFFFD\uFFFDx', /binary/],
    ['too long', 'word '.repeat(2000), /9,999 characters.*at most 8,000/],
    ['1 MB', 'x'.repeat(1_000_000), /1,000,000 characters/],
  ];
  for (const [title, text, reason] of refused) {
    it(`refuses: ${title}`, () => {
      const check = validateText(text, maxLength);
      assert.ok(!check.ok);
      assert.match(check.reason, reason);
      assert.match(check.reason, /^[A-Z][^.]*\.$/, 'one sentence');
    });
  }

  it('accepts another maximum length', () => {
    assert.equal(validateText('12345', 5).ok, true);
    assert.equal(validateText('123456', 5).ok, false);
  });

  it('never throws, and accepts its own result unchanged', () => {
    fc.assert(
      fc.property(arbitraryText(), text => {
        const check = validateText(text, maxLength);
        if (check.ok) assert.deepEqual(validateText(check.text, maxLength), check);
      }),
    );
  });
});
