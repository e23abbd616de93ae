import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stripSpeaker } from '../../../src/engine/text/textFeatures.js';
import { arbitraryText } from './arbitraryText.js';

describe('stripSpeaker', () => {
  const cases: readonly (readonly [text: string, body: string])[] = [
    ['Caroline: I moved to Oslo.', 'I moved to Oslo.'],
    ['Mary Ann: Hello.', 'Hello.'],
    ['note: this is no speaker', 'note: this is no speaker'],
    ['One Two Three: no', 'One Two Three: no'],
    ['Https://x', 'Https://x'],
    ['Plain text.', 'Plain text.'],
  ];
  for (const [text, body] of cases)
    it(`makes "${body}" of "${text}"`, () => {
      assert.equal(stripSpeaker(text), body);
    });

  it('only takes away from the start of a text', () => {
    fc.assert(
      fc.property(arbitraryText(), text => {
        assert.ok(text.endsWith(stripSpeaker(text)));
      }),
    );
  });
});
