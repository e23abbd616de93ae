import { namesDeclaration, namesInQuery } from '../text/namesInQuery.js';
import type { RankedMemory } from './rank.js';
import type { RecallQuery } from './recallQuery.js';

/** More would fill an answer, and who wants more reads the files. */
const maxCodeLines = 3;
/** Probability from which a memory answers for sure: descriptions of code come after it. */
const answeringProbability = 0.3;

/** Memories that come before code: one that answers is among them, and code is still seen. */
const maxAnswersBefore = 2;

/**
 * Cosine of a description with the question from which it may answer; of both built-in models. Chosen, as are the next ones,
 * on forty questions about the code of four repositories, forty that memories answer, eighty that nothing does, and two worlds.
 */
const minCosine = 0.37;
/** By how much the best one must be closer to the question than every memory is, where the best memory answers for sure. */
const minLead = 0.2;
/** The same as {@link minCosine} where either has no vector: share of the question's words, and rank. */
const minWording = 0.5;
const minRankByWords = 0.25;

interface CodePlacement {
  readonly kept: readonly RankedMemory[];
  /** Over the limit. */
  readonly beyond: readonly RankedMemory[];
  /** Code that is no line of this answer. */
  readonly left: readonly RankedMemory[];
}

/**
 * An answer with the descriptions of code that belong into it: those of a named declaration, and those closer to the question
 * than every memory is. They come after what answers, tests and examples last.
 * @param memories best first
 * @param codes best first; code without a description is no line of an answer
 */
export function placeCode(
  memories: readonly RankedMemory[],
  codes: readonly RankedMemory[],
  { query, limit, withoutCut }: Pick<RecallQuery, 'query' | 'limit' | 'withoutCut'>,
): CodePlacement {
  const described = codes.filter(it => it.hit.memory.kind === 'code-description');
  const chosen = chooseCode(described, memories, query);
  const minAnswer = Math.min(answeringProbability, bestRankOf(chosen) / 2);
  const answers = memories.filter(it => probabilityOf(it) >= minAnswer).slice(0, maxAnswersBefore);
  const rest = memories.filter(it => !answers.includes(it));
  const belowCut = withoutCut
    ? described.filter(it => !chosen.includes(it)).map(it => ({ ...it, hit: { ...it.hit, isBelowCut: true } }))
    : [];
  const placed = [...answers, ...chosen, ...rest, ...belowCut];
  const shown = new Set(placed.map(it => it.hit.memory.id));
  return {
    kept: placed.slice(0, limit),
    beyond: placed.slice(limit),
    left: codes.filter(it => !shown.has(it.hit.memory.id)),
  };
}

/** Descriptions of a named declaration, and those closer to the question than every memory is; best first, tests last. */
function chooseCode(
  described: readonly RankedMemory[],
  memories: readonly RankedMemory[],
  query: string,
): readonly RankedMemory[] {
  const names = namesInQuery(query);
  const named = described.filter(it => namesDeclaration(names, it.hit.memory.provenance));
  const probability = Math.max(0, ...memories.map(probabilityOf));
  const isCloser = bestCosineOf(memories) + minLead * probability > bestCosineOf(described);
  const answered = { probability, isCloser };
  const likely = described.filter(it => !named.includes(it) && isLikely(it, answered));
  const isSupporting = (it: RankedMemory): boolean => it.factors.codeWeight !== undefined;
  const product = likely.filter(it => !isSupporting(it));
  return [...named, ...product, ...likely.filter(isSupporting)].slice(0, maxCodeLines);
}

/** @param answered how probable the best memory is, and whether one is about as close to the question as the best description */
function isLikely(
  { hit, factors, relevance, wording, hasEveryWord }: RankedMemory,
  answered: { readonly probability: number; readonly isCloser: boolean },
): boolean {
  if (hasEveryWord && answered.probability === 0) return true;
  if (!relevance.byWords) return !answered.isCloser && cosineOf({ factors }) >= minCosine;
  return wording >= minWording && hit.rank >= minRankByWords && answered.probability < answeringProbability;
}

/** With the question, of a text or of a question that it answers. */
function cosineOf({ factors: { features } }: Pick<RankedMemory, 'factors'>): number {
  return Math.max(0, features.queryText ?? 0, features.queryQuestion ?? 0);
}

function bestCosineOf(ranked: readonly RankedMemory[]): number {
  return Math.max(0, ...ranked.map(cosineOf));
}

function probabilityOf({ hit }: RankedMemory): number {
  return hit.probability ?? 0;
}

function bestRankOf(codes: readonly RankedMemory[]): number {
  return Math.max(0, ...codes.map(it => it.hit.rank));
}
