import assert from 'node:assert/strict';
import { flipBits } from '../../bench/kit/bitFlips.js';
import { TestHost } from '../../support/fixtures.js';

describe('a flipped bit', () => {
  it('costs no memory beyond its page, and changes no text without a word', async () => {
    const outcomes = await flipBits(new TestHost(), { flips: 16, memories: 60, seed: 7 });
    assert.equal(outcomes.length, 16);
    assert.deepEqual(
      outcomes.filter(it => it.lost > 0 || it.silentlyChanged > 0),
      [],
    );
  });
});
