import assert from 'node:assert/strict';
import { seeded } from '../../bench/kit/random.js';
import { fitWeights, scoreCandidates, type Ranking } from '../../bench/kit/listwiseFit.js';

/** Questions whose one answer is drawn by the softmax of known weights. */
function made(questions: number, weights: readonly number[], seed: number): Ranking[] {
  const random = seeded(seed);
  return Array.from({ length: questions }, () => {
    const features = Float64Array.from({ length: 20 * weights.length }, random);
    const blank = { features, relevant: Array.from({ length: 20 }, () => false), weight: 1 / questions };
    const shares = [...scoreCandidates(blank, Float64Array.from(weights))].map(it => Math.exp(it));
    let left = random() * shares.reduce((sum, it) => sum + it, 0);
    const answer = shares.findIndex(it => (left -= it) <= 0);
    return { ...blank, relevant: blank.relevant.map((_, i) => i === answer) };
  });
}

describe('learning weights', () => {
  it('finds those that made the answers', () => {
    const weights = [3, -2, 0, 1];
    const found = fitWeights(made(3_000, weights, 1), weights.length, 1e-6);
    assert.deepEqual(
      [...found].map((it, i) => Math.abs(it - weights[i]!) < 0.3),
      weights.map(() => true),
      `found ${[...found].join(', ')}`,
    );
  });

  it('comes out the same every time, and smaller with a stronger ridge', () => {
    const rankings = made(200, [2, 1], 2);
    const size = (ridge: number): number => Math.hypot(...fitWeights(rankings, 2, ridge));
    assert.equal(size(1e-3), size(1e-3));
    assert.ok(size(1) < size(1e-3));
  });

  it('learns nothing from questions without an answer', () => {
    const rankings = made(5, [1], 3).map(it => ({ ...it, relevant: it.relevant.map(() => false) }));
    assert.deepEqual([...fitWeights(rankings, 1, 1e-3)], [0]);
  });
});
