import assert from 'node:assert/strict';
import type { TokenVectorSource } from '../../../../src/engine/embeddings/staticModel.js';
import { LateInteraction } from '../../../../src/engine/search/query/lateInteraction.js';

/** Four tokens in a plane: east, north, north-east, west; north has three times the weight of the others. */
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

describe('LateInteraction', () => {
  it('scores 1 for the same tokens in any order and number', () => {
    check([east, north], [north, east], 1);
    check([east, north, north], [east, north, west], 1);
  });

  it('averages the best cosine of each question token by weight', () => {
    // East matches north-east (0.707), north matches north-east (0.707) or north (1).
    check([east, north], [northEast], 0.707);
    check([east, north], [northEast, north], (0.707 + 3) / 4);
  });

  it('counts a negative cosine as 0', () => {
    check([east], [west], 0);
    check([east, north], [west, north], 0.75);
  });

  it('scores 0 without tokens in the question or the text', () => {
    check([], [east], 0);
    check([east], [], 0);
  });

  it('scores each text independently of the others', () => {
    const alone = [[east], [northEast], [west, north]].map(
      it => new LateInteraction(plane).scoreTexts([east, north], [it])[0],
    );
    const together = new LateInteraction(plane).scoreTexts([east, north], [[east], [northEast], [west, north]]);
    assert.deepEqual([...together], alone);
  });

  it('scores a question independently of earlier ones', () => {
    const reused = new LateInteraction(plane);
    reused.scoreTexts([west], [[north, east], [northEast]]);
    const questions = [
      [
        [east, north],
        [[northEast], [west, north, east]],
      ],
      [[north], [[west], [north]]],
    ] as const;
    for (const [question, texts] of questions) {
      assert.deepEqual(reused.scoreTexts(question, texts), new LateInteraction(plane).scoreTexts(question, texts));
    }
  });
});
