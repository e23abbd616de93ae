import assert from 'node:assert/strict';
import { cutOf, minShareOfBest, reaches } from '../../../src/engine/recall/answerCut.js';
import type { RankedMemory } from '../../../src/engine/recall/rank.js';

describe('the cut of an answer', () => {
  const candidate = (probability: number, threshold: number, hasEveryWord = false): RankedMemory =>
    ({
      hit: { probability },
      relevance: { threshold },
      hasEveryWord,
      answersAlternative: false,
    }) as unknown as RankedMemory;
  const asked = (count: number): { readonly alternatives: readonly string[] } => ({
    alternatives: Array.from({ length: count }, (_, i) => `subject ${i}`),
  });
  const answer = (candidates: readonly RankedMemory[], alternatives = 2): (number | undefined)[] => {
    const cut = cutOf(candidates, asked(alternatives));
    return candidates.filter(it => reaches(it, cut)).map(it => it.hit.probability);
  };

  it('takes what is a quarter as probable as the best, although it would not answer alone', () => {
    assert.deepEqual(answer([candidate(0.8, 0.4), candidate(0.21, 0.4), candidate(0.19, 0.4)]), [0.8, 0.21]);
  });

  it('takes less probable ones for three alternatives and more, which name the subjects of a task', () => {
    const candidates = [candidate(0.8, 0.4), candidate(0.09, 0.4), candidate(0.07, 0.4)];
    assert.deepEqual(answer(candidates, 3), [0.8, 0.09]);
    assert.deepEqual(answer(candidates, 2), [0.8]);
    assert.deepEqual(answer([candidate(0.39, 0.4), candidate(0.38, 0.4)], 3), []);
  });

  it('takes nothing where none would answer alone', () => {
    assert.deepEqual(answer([candidate(0.39, 0.4), candidate(0.38, 0.4)]), []);
    assert.deepEqual(answer([]), []);
  });

  it('judges each by the threshold of its own situation', () => {
    assert.deepEqual(answer([candidate(0.3, 0.4), candidate(0.12, 0.05), candidate(0.05, 0.4)]), [0.3, 0.12]);
    assert.deepEqual(answer([candidate(0.3, 0.4), candidate(0.04, 0.05)]), []);
  });

  it('keeps what has every word, and for it alone nothing else', () => {
    assert.deepEqual(answer([candidate(0.3, 0.4), candidate(0.01, 0.4, true)]), [0.01]);
  });

  it('keeps what answers an alternative, however improbable it is for the question', () => {
    const reviewers = { ...candidate(0.02, 0.4), answersAlternative: true };
    assert.deepEqual(answer([candidate(0.9, 0.4), candidate(0.03, 0.4), reviewers]), [0.9, 0.02]);
  });

  it('says what the best had to reach, and the others', () => {
    assert.deepEqual(cutOf([candidate(0.6, 0.4), candidate(0.2, 0.05)], asked(0)), {
      minBestProbability: 0.4,
      minProbability: 0.6 * minShareOfBest,
    });
    assert.deepEqual(cutOf([candidate(0.3, 0.4), candidate(0.04, 0.05)], asked(0)), {
      minBestProbability: 0.4,
      minProbability: 0.4,
    });
  });
});
