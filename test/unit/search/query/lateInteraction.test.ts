import assert from 'node:assert/strict';
import type { TokenVectorSource } from '../../../../src/engine/embeddings/staticModel.js';
import { LateInteraction } from '../../../../src/engine/search/query/lateInteraction.js';

/** Four tokens in a plane: east, north, north-east, west; the second says three times as much as the others. */
const directions = [
  [1, 0],
  [0, 1],
  [Math.SQRT1_2, Math.SQRT1_2],
  [-1, 0],
] as const;
const [east, north, northEast, west] = [0, 1, 2, 3];
const plane: TokenVectorSource = {
  dimensions: 2,
  weight: token => (token === north ? 3 : 1),
  row: token => Int8Array.from(directions[token]!, it => Math.round(it * 127)),
};

function check(question: readonly number[], text: readonly number[], expected: number): void {
  const [score] = new LateInteraction(plane).scoreTexts(question, [text]);
  assert.ok(Math.abs(score! - expected) < 0.01, `${score} is not ${expected}`);
}

describe('late interaction', () => {
  it('gives 1 to the same tokens, whatever their order and number', () => {
    check([east, north], [north, east], 1);
    check([east, north, north], [east, north, west], 1);
  });

  it('takes the best cosine of each token, by its weight', () => {
    // East finds north-east (0.707), north finds north-east (0.707) or itself.
    check([east, north], [northEast], 0.707);
    check([east, north], [northEast, north], (0.707 + 3) / 4);
  });

  it('counts the opposite as nothing, not as less', () => {
    check([east], [west], 0);
    check([east, north], [west, north], 0.75);
  });

  it('gives 0 where there are no tokens', () => {
    check([], [east], 0);
    check([east], [], 0);
  });

  it('does not let texts change one another', () => {
    const alone = [[east], [northEast], [west, north]].map(
      it => new LateInteraction(plane).scoreTexts([east, north], [it])[0],
    );
    const together = new LateInteraction(plane).scoreTexts([east, north], [[east], [northEast], [west, north]]);
    assert.deepEqual([...together], alone);
  });

  it('gives the same whatever it was asked before', () => {
    const asked = new LateInteraction(plane);
    asked.scoreTexts([west], [[north, east], [northEast]]);
    const questions = [
      [
        [east, north],
        [[northEast], [west, north, east]],
      ],
      [[north], [[west], [north]]],
    ] as const;
    for (const [question, texts] of questions) {
      assert.deepEqual(asked.scoreTexts(question, texts), new LateInteraction(plane).scoreTexts(question, texts));
    }
  });
});
