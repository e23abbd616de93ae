import type { RecallContext } from '../context.js';
import type { Nearness } from '../search/query/searchMemories.js';
import type { SearchHit } from '../store/store.js';
import { minSubjects } from './answerCut.js';
import {
  isRelevant,
  rankCandidates,
  sortByRank,
  type RankedMemory,
  type Ranking,
  type StoreSearchResult,
} from './rank.js';
import { readQuestion, type RecallQuery } from './recallQuery.js';

/** One part of a call, asked for itself, and how near a memory is to it. */
interface Part {
  readonly query: string;
  readonly nearnessOf: (nearness: Nearness) => Nearness | undefined;
}

/** Keywords from which on a call with one or two alternatives is as those that the weights were fitted on. */
const minKeywords = 3;

/**
 * Ranks what was found by the whole call, and by its parts where they are no wordings of one question. Where nothing answers the
 * whole, each memory counts by the part that it answers best: what a caller adds takes no answer away. What answers one subject of
 * a task best belongs to the answer, too.
 */
export function rankWithParts(
  ctx: RecallContext,
  found: readonly StoreSearchResult[],
  recallQuery: RecallQuery,
): Ranking {
  const whole = rankCandidates(ctx, found, recallQuery);
  const isAnswered = whole.ranked.some(isRelevant);
  const hasSubjects = recallQuery.alternatives.length >= minSubjects;
  const parts = isAnswered && !hasSubjects ? [] : partsOf(recallQuery);
  if (parts.length < 2) return whole;
  const rankings = parts.map(({ query, nearnessOf }) => {
    const results = found.map(it => ({ ...it, hits: it.hits.map(hit => withNearness(hit, nearnessOf)) }));
    const part = { ...recallQuery, ...readQuestion(query, { alternatives: [], keywords: [] }) };
    return rankCandidates(ctx, results, part).ranked;
  });
  if (!isAnswered) return { ...whole, ranked: sortByRank(bestOfEach(rankings.flat())) };
  const answers = new Set(
    rankings.flatMap(([first]) => (first !== undefined && isRelevant(first) ? [idOf(first)] : [])),
  );
  return {
    ...whole,
    ranked: whole.ranked.map(it => (answers.has(idOf(it)) ? { ...it, answersAlternative: true } : it)),
  };
}

function idOf({ hit }: RankedMemory): string {
  return hit.memory.id;
}

/** Each memory once, with the part that it answers best. */
function bestOfEach(candidates: readonly RankedMemory[]): readonly RankedMemory[] {
  const best = new Map<string, RankedMemory>();
  for (const it of candidates) if ((best.get(idOf(it))?.factors.rank ?? -1) < it.factors.rank) best.set(idOf(it), it);
  return [...best.values()];
}

function partsOf({ query, alternatives, keywords }: RecallQuery): readonly Part[] {
  const isOneQuestion = alternatives.length > 0 && alternatives.length < minSubjects && keywords.length >= minKeywords;
  if (isOneQuestion) return [];
  return [
    { query, nearnessOf: ({ question }) => ({ question, alternative: undefined }) },
    // Of the alternatives only the nearest one is known: which one it is, the words say.
    ...alternatives.map(alternative => ({
      query: alternative,
      nearnessOf: (it: Nearness) => ({ question: it.alternative ?? it.question, alternative: undefined }),
    })),
    // Keywords are not embedded. Where there are alternatives, they are of them.
    ...(alternatives.length > 0 ? [] : keywords).map(keyword => ({ query: keyword, nearnessOf: () => undefined })),
  ];
}

function withNearness(hit: SearchHit, nearnessOf: Part['nearnessOf']): SearchHit {
  const { nearness, questionNearness } = hit;
  return {
    ...hit,
    nearness: nearness && nearnessOf(nearness),
    questionNearness: questionNearness && nearnessOf(questionNearness),
  };
}
