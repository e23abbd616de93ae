import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sanitizeText } from '../../../src/engine/secrets/storableText.js';
import { normalizeText } from '../../../src/engine/store/contentHash.js';
import { arbitraryText } from '../text/arbitraryText.js';

/** As a text goes into a store. */
const canonical = (text: string): string => normalizeText(sanitizeText(text));

describe('normalizeText', () => {
  const same: readonly (readonly [title: string, one: string, other: string])[] = [
    ['white space and line ends', 'We use  pnpm\tonly', 'We use\r\npnpm only'],
    ['the punctuation at the end', 'Never deploy on Fridays!', 'Never deploy on Fridays.'],
    ['a full stop after code', 'The entry is `src/a.ts`.', 'The entry is `src/a.ts`'],
    ['an ideographic full stop', '部署在周二进行。', '部署在周二进行'],
    ['composed and decomposed letters', 'Café', 'Cafe\u0301'],
  ];
  for (const [title, one, other] of same) {
    it(`makes one fact of texts that differ in ${title}`, () => {
      assert.equal(canonical(one), canonical(other));
    });
  }

  const different: readonly (readonly [title: string, one: string, other: string])[] = [
    ['a sign', 'The drift is -3 ms', 'The drift is 3 ms'],
    ['an operator', 'Scale up while load > 0.7', 'Scale up while load < 0.7'],
    ['a currency', 'A seat is £12', 'A seat is $12'],
    ['the case of a letter', 'The header is X-Trace-Id', 'The header is X-Trace-ID'],
    ['a leading sign of a path', 'Read ../config', 'Read ./config'],
    ['a path at the end', 'The root is ..', 'The root is .'],
    ['a wildcard', 'Lint test/*.js', 'Lint test/**.js'],
    ['quotes', 'The flag is "on"', 'The flag is on'],
    ['code marks', 'Call `id`', 'Call id'],
    ['a question', 'We use Go?', 'We use Go'],
    ['a negation', 'Use foo', 'Do not use foo'],
    ['the subject', 'The user prefers tabs', 'I prefer tabs'],
    ['word order', 'The key is a, not b', 'The key is b, not a'],
    ['a version', 'Node 20.1', 'Node 20.10'],
  ];
  for (const [title, one, other] of different) {
    it(`makes two facts of texts that differ in ${title}`, () => {
      assert.notEqual(canonical(one), canonical(other));
    });
  }

  it('makes two facts of any texts that differ in a character other than white space and the punctuation at the end', () => {
    const character = fc.oneof(
      fc.constantFrom(...Array.from('abXY019+-*/<>=!&|^~$€£%@#_.,:;?()[]{}"\'`é語')),
      fc.integer({ min: 0x21, max: 0x2ff }).map(code => String.fromCharCode(code)),
    );
    const bare = (text: string): string =>
      sanitizeText(text)
        .replace(/\s+/gu, ' ')
        .replace(/[.!…,;:。！，；：]+$/u, '');
    fc.assert(
      fc.property(
        fc.array(character, { maxLength: 12 }),
        fc.array(character, { maxLength: 12 }),
        character,
        character,
        (left, right, one, other) => {
          const texts = [one, other].map(it => `The ${left.join('')}${it}${right.join('')} end`);
          fc.pre(bare(texts[0]!) !== bare(texts[1]!));
          assert.notEqual(canonical(texts[0]!), canonical(texts[1]!));
        },
      ),
    );
  });

  it('never throws and is idempotent', () => {
    fc.assert(
      fc.property(arbitraryText(), text => {
        const once = canonical(text);
        assert.equal(canonical(once), once);
      }),
    );
  });
});
