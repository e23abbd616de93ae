import assert from 'node:assert/strict';
import { interval } from '../../bench/kit/bootstrap.js';
import { isPairComplete, mean, percentile, score, scoreKeys, type Scores } from '../../bench/kit/metrics.js';
import { seeded } from '../../bench/kit/random.js';

const nothing: Scores = { 'recall@5': 0, 'recall@10': 0, 'hit@5': 0, 'hit@10': 0, mrr: 0, 'ndcg@10': 0 };
const perfect: Scores = { 'recall@5': 1, 'recall@10': 1, 'hit@5': 1, 'hit@10': 1, mrr: 1, 'ndcg@10': 1 };

function check(title: string, ranked: string, relevant: string, expected: Scores): void {
  it(title, () => {
    const got = score(Array.from(ranked), new Set(relevant));
    const rounded = Object.fromEntries(scoreKeys.map(key => [key, Number(got[key].toFixed(4))]));
    assert.deepEqual(rounded, expected);
  });
}

describe('scores of an answer', () => {
  check('no answer', '', 'x', nothing);
  check('nothing relevant in it', 'abcdefghij', 'x', nothing);
  check('the only relevant one first', 'xab', 'x', perfect);
  check('both relevant ones first, in any order', 'yxab', 'xy', perfect);
  check('third of three', 'abx', 'x', { ...perfect, mrr: 0.3333, 'ndcg@10': 0.5 }); // 1 / log2(4)
  check('sixth: found in ten, not in five', 'abcdex', 'x', {
    ...perfect,
    'recall@5': 0,
    'hit@5': 0,
    mrr: 0.1667,
    'ndcg@10': 0.3562, // 1 / log2(7)
  });
  check('eleventh: not found', 'abcdefghijx', 'x', nothing);
  check('one of two, second', 'axb', 'xy', {
    'recall@5': 0.5,
    'recall@10': 0.5,
    'hit@5': 1,
    'hit@10': 1,
    mrr: 0.5,
    'ndcg@10': 0.3869, // (1 / log2(3)) / (1 + 1 / log2(3))
  });
});

describe('a pair', () => {
  const sides = [['a'], ['x', 'y']];
  it('is complete with one document of each side', () => {
    assert.equal(isPairComplete(['b', 'y', 'a'], sides), true);
  });
  it('is not complete with one side only', () => {
    assert.equal(isPairComplete(['x', 'y', 'b'], sides), false);
  });
  it('is not complete when a side is eleventh', () => {
    assert.equal(isPairComplete(Array.from('xbcdefghija'), sides), false);
  });
});

describe('statistics', () => {
  it('takes a percentile by the nearest rank', () => {
    const numbers = [5, 1, 4, 2, 3];
    assert.deepEqual(
      [0, 0.5, 0.9, 1].map(share => percentile(numbers, share)),
      [1, 3, 5, 5],
    );
  });
  it('gives the same random numbers for the same seed', () => {
    const [a, b] = [seeded(7), seeded(7)];
    const drawn = Array.from({ length: 1000 }, () => a());
    assert.deepEqual(
      drawn,
      Array.from({ length: 1000 }, () => b()),
    );
    assert.ok(Math.abs(mean(drawn) - 0.5) < 0.03 && Math.min(...drawn) >= 0 && Math.max(...drawn) < 1);
  });
  it('has no width where every question scores the same', () => {
    assert.deepEqual(interval([0.5, 0.5, 0.5]), [0.5, 0.5]);
  });
  it('has the width that the normal approximation gives', () => {
    const half = Array.from({ length: 400 }, (_, i) => i % 2);
    const [low, high] = interval(half); // 0.5 ± 1.96 × 0.5 / √400
    assert.ok(Math.abs(low - 0.451) < 0.01 && Math.abs(high - 0.549) < 0.01, `${low}…${high}`);
  });
});
