import type { GivenMemory } from '../model/access.js';
import { shortId } from '../model/memory.js';
import type { Trace } from '../model/trace.js';
import type { RankedMemory } from './rank.js';
import type { RecallQuery } from './recallQuery.js';

type AnswerCut = NonNullable<Trace['cut']>;

/**
 * Share of the best probability from which a further memory belongs to the answer. Chosen on six worlds, where it is within a
 * point of the best share in every situation; one bound for all lines alike gave up more of what answers (docs/search-ranking.md).
 */
export const minShareOfBest = 0.25;
/**
 * The same for a call that names the subjects of a task: more alternatives than a question has other wordings. Each memory answers
 * one of them, and so less of the call than the best one does.
 */
const minShareForSubjects = 0.1;
export const minSubjects = 3;

/** Nothing answers where no memory reaches its own threshold; else what is not much less probable than the best. */
export function cutOf(
  candidates: readonly RankedMemory[],
  { alternatives }: Pick<RecallQuery, 'alternatives'>,
): AnswerCut {
  const minShare = alternatives.length < minSubjects ? minShareOfBest : minShareForSubjects;
  const judged = candidates.map(({ hit: { probability = 0 }, relevance: { threshold = 0 } }) => ({
    probability,
    threshold,
  }));
  const best = judged.reduce((a, b) => (b.probability > a.probability ? b : a), { probability: 0, threshold: 0 });
  const isAnswered = judged.some(it => it.probability >= it.threshold);
  return {
    minBestProbability: best.threshold,
    minProbability: isAnswered ? minShare * best.probability : Math.max(...judged.map(it => it.threshold), 0),
  };
}

/** Whether it belongs to the answer. A memory that has every word that was asked for, or answers an alternative, is never cut. */
export function reaches(
  { hit, hasEveryWord, answersAlternative }: RankedMemory,
  { minProbability }: AnswerCut,
): boolean {
  return hasEveryWord || answersAlternative || (hit.probability ?? 0) >= minProbability;
}

/** Splits candidates into those that probably answer and the others. Without a cut all do. */
export function cutIrrelevant(
  placed: readonly RankedMemory[],
  cut: AnswerCut | undefined,
): readonly [relevant: readonly RankedMemory[], others: readonly RankedMemory[]] {
  if (cut === undefined) return [placed, []];
  return [placed.filter(it => reaches(it, cut)), placed.filter(it => !reaches(it, cut))];
}

/**
 * An answer without what the asker has been given and nothing has changed since: neither the memory itself nor what stands
 * against it.
 * @param placed with their open contradictions, best first
 */
export function partitionGiven(
  placed: readonly RankedMemory[],
  given: readonly GivenMemory[],
): { readonly fresh: readonly RankedMemory[]; readonly repeated: readonly RankedMemory[] } {
  if (given.length === 0) return { fresh: placed, repeated: [] };
  const givenAt = new Map(given.map(it => [it.id, it.at]));
  const isRepeated = ({ hit: { memory, contradicts = [] } }: RankedMemory): boolean => {
    const at = givenAt.get(shortId(memory));
    if (at === undefined) return false;
    const changes = [memory.updatedAt, ...contradicts.map(it => it.mark.at)];
    return changes.every(it => it <= at);
  };
  return { fresh: placed.filter(it => !isRepeated(it)), repeated: placed.filter(isRepeated) };
}
