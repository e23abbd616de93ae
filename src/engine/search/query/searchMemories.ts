import { featureFlag } from '../../text/textFeatures.js';
import { featureNames } from '../../model/trace.js';
import { featureIndex as at, scoreFeatures } from '../../scoring/rankingModel.js';
import { dateMatch, appliesStandingInstructions, type IndexQuery } from './indexQuery.js';
import { noEntry } from '../index/documentColumns.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import { firstPassTopK } from './firstPassRanking.js';
import { noExpansion } from '../../text/queryExpansion.js';
import type { VectorIndex } from '../index/vectorIndex.js';

export interface IndexResult {
  /** Best first: a memory's row with its features in the order of `featureNames`. */
  readonly hits: readonly { readonly row: number; readonly features: Float32Array }[];
  /** What the relative features were divided by. */
  readonly maxFeatureValues: { readonly words: number; readonly session: number };
  readonly lexicalScale: LexicalScale;
}

/** Lexical scores of a query in an index, unbounded as BM25 is: by these a score means the same in stores of any size. */
export interface LexicalScale {
  /** Score of a memory that has one term that no other memory has. */
  readonly rareTerm: number;
  /** Highest possible score: all terms of the query, each often. */
  readonly possible: number;
}

/** A memory of the index. */
export interface DocumentRef {
  readonly row: number;
  readonly position: number;
}

/**
 * How well some memories answer a question token by token, 0-1 each, in the order given (lateInteraction.ts). The names
 * of whom the question is about are left out: they do not tell that one's memories apart.
 */
export type Reranker = (found: readonly DocumentRef[], names: readonly string[]) => Float32Array;

/** For single memories, and for a conversation as one text. Measured: shorter texts want less of b than the usual .75. */
const memoryBm25 = { k1: 0.9, b: 0.4 };
/** Search aids are short lists: their length says nothing. */
const aidBm25 = { k1: 0.9, b: 0 };
/** Weight of a memory's search aids against its own words. */
const aidWeight = 0.8;
const sessionBm25 = { k1: 1.2, b: 0.75 };
/** What one, two and three turns away lend. */
const adjacencyWeights = [1, 0.7, 0.4];
/** Best matches whose mean stands for what the question is about. */
const feedbackSampleSize = 5;
/** Instructions that get their bonus in one answer. */
const maxInstructions = 2;
/** The bonus is whole where at most one memory in twenty is an instruction (ln 20). */
const fullBonusRarity = 3;
/** Terms from which on a memory counts as long. */
const minLongTextTerms = 30;
/** Candidates that all features are measured of, at least. */
const minCandidates = 150;

interface ScoredDocument extends DocumentRef {
  readonly features: Float32Array;
}

interface Shortlist {
  readonly documents: readonly ScoredDocument[];
  /** Of the speakers that the question names. */
  readonly names: readonly string[];
  readonly maxFeatureValues: IndexResult['maxFeatureValues'];
  readonly lexicalScale: LexicalScale;
}

/**
 * Finds what answers a question best, best first: every memory is scored by words and meaning, the best of these by all
 * else that the index knows of them, and the best of those, where there is something to do it with, token by token.
 */
export function searchMemories(index: MemoryIndex, query: IndexQuery, rerank?: Reranker): IndexResult {
  const { documents, names, maxFeatureValues, lexicalScale } = retrieveCandidates(index, query);
  const rerankScores = rerank?.(documents, names);
  for (const [i, { features }] of documents.entries()) features[at.wordMeaning] = rerankScores?.[i] ?? 0;
  // What many memories answer together is like no single good match.
  if (!query.isAggregateQuestion) addPseudoRelevanceFeedback(index.vectors, documents);
  const hits = sortByScore(documents).map(({ row, features }) => ({ row, features }));
  return { hits, maxFeatureValues, lexicalScale };
}

function retrieveCandidates(index: MemoryIndex, query: IndexQuery): Shortlist {
  const scope = index.scopeNumber(query.scopeId);
  if (scope === undefined) {
    const [maxFeatureValues, lexicalScale] = [
      { words: 0, session: 0 },
      { rareTerm: 0, possible: 0 },
    ];
    return { documents: [], names: [], maxFeatureValues, lexicalScale };
  }
  const allowed = allowedMask(index, scope, query.allowed);

  const named = findNamedSpeakers(index, query.words);
  const terms = query.terms.filter(it => !named.terms.has(it));
  const bm25Scores = index.scratch.borrowZeroed('words', index.size);
  const { scoredPositions, lexicalScale } = scoreLexically(index, query, { terms, named: named.terms }, bm25Scores);
  // What many memories answer together is in no single conversation.
  const sessionScores = query.isAggregateQuestion
    ? index.scratch.borrowZeroed('sessions', index.sessionCount)
    : index.postings.scoreGroups(terms, sessionBm25, index.session, index.sessionCount);
  const maxFeatureValues = {
    words: normalizeByMax(bm25Scores, scoredPositions, allowed),
    session: normalizeByMax(sessionScores),
  };
  const adjacentScores = propagateToAdjacentTurns(index, bm25Scores);
  const candidateCount = Math.max(query.limit, minCandidates);
  const { positions, semanticScores } = firstPassTopK(index, query, candidateCount, {
    bm25Scores,
    scoredPositions,
    adjacentScores,
    sessionScores,
    allowed,
    namedSpeakers: named.numbers,
  });
  scorePrecedingQuestions(index, query, positions, semanticScores);

  const measure = (position: number): Float32Array => {
    const f = new Float32Array(featureNames.length);
    const flags = index.flags[position]!;
    const dialogue = index.speaker[position] !== noEntry;
    const session = index.session[position]!;
    const questionPosition = precedingQuestion(index, position);
    f[at.words] = bm25Scores[position]!;
    f[at.meaning] = semanticScores[position]!;
    f[at.speaker] = dialogue && named.numbers.has(index.speaker[position]!) ? 1 : 0;
    f[at.neighbours] = adjacentScores[position]!;
    f[at.session] = session === noEntry ? 0 : sessionScores[session]!;
    f[at.answers] =
      questionPosition === noEntry ? 0 : bm25Scores[questionPosition]! + semanticScores[questionPosition]!;
    f[at.date] = dateMatch(query, index.calendar[position]!);
    f[at.preference] =
      !appliesStandingInstructions(query) || (flags & featureFlag.preference) === 0
        ? 0
        : Math.max(0, semanticScores[position]!);
    f[at.when] = query.expectsDate && (flags & featureFlag.temporal) !== 0 ? 1 : 0;
    f[at.howMuch] = query.expectsQuantity && (flags & featureFlag.number) !== 0 ? 1 : 0;
    f[at.name] = query.expectsName ? Math.log1p(index.properNouns[position]!) : 0;
    f[at.asks] = dialogue && (flags & featureFlag.endsWithQuestion) !== 0 ? 1 : 0;
    f[at.long] = Math.log1p(Math.max(0, index.postings.length(position) - minLongTextTerms));
    return f;
  };

  const candidates: ScoredDocument[] = [];
  for (const position of positions) {
    candidates.push({ position, row: index.rows[position]!, features: measure(position) });
  }
  // Equal scores keep this order below, whichever positions the memories came to lie at.
  candidates.sort((a, b) => b.row - a.row);
  if (appliesStandingInstructions(query)) boostStandingInstructions(index, candidates);
  const documents = sortByScore(candidates).slice(0, query.limit);
  return { documents, names: named.names, maxFeatureValues, lexicalScale };
}

/** BM25 over two fields: the memories' own words and, with less weight, their search aids; of all words of the query. */
function scoreLexically(
  index: MemoryIndex,
  { expansion = noExpansion }: IndexQuery,
  { terms, named }: { readonly terms: readonly string[]; readonly named: ReadonlySet<string> },
  scores: Float32Array,
): { readonly scoredPositions: Uint32Array; readonly lexicalScale: LexicalScale } {
  const added = expansion.terms.filter(it => !named.has(it.term));
  const all = [...terms, ...added.map(it => it.term)];
  const weights = [...terms.map(() => 1), ...added.map(it => it.weight)];
  const lexicalScale = {
    rareTerm: index.postings.maxScore([''], memoryBm25),
    possible: index.postings.maxScore(all, memoryBm25, weights),
  };
  const byContent = index.postings.score(all, memoryBm25, scores, weights);
  if (index.aids.termCount === 0) return { scoredPositions: byContent, lexicalScale };
  const aidWeights = weights.map(it => it * aidWeight);
  const byAids = index.aids.score(all, aidBm25, scores, aidWeights);
  const scoredPositions = new Uint32Array(byContent.length + byAids.length);
  scoredPositions.set(byContent);
  scoredPositions.set(byAids, byContent.length);
  return { scoredPositions, lexicalScale };
}

/** 1 for each position that may be returned. */
function allowedMask(index: MemoryIndex, scope: number, rows: ReadonlySet<number> | undefined): Uint8Array {
  const inScope = index.mask(scope);
  if (rows === undefined) return inScope;
  return inScope.map((it, p) => (it === 1 && rows.has(index.rows[p]!) ? 1 : 0));
}

/**
 * Best first by the features measured so far; of equals the newer. Arrays of the search are filled by `push`: those that
 * `map` and `filter` make are of another kind once V8 has optimised them, and it throws away what it optimised for the first.
 */
function sortByScore(candidates: readonly ScoredDocument[]): ScoredDocument[] {
  const scored: { readonly it: ScoredDocument; readonly score: number }[] = [];
  for (const it of candidates) scored.push({ it, score: scoreFeatures(it.features) });
  scored.sort((a, b) => b.score - a.score || b.it.row - a.it.row);
  const sorted: ScoredDocument[] = [];
  for (const { it } of scored) sorted.push(it);
  return sorted;
}

/** What the words of a conversation's neighbouring turns lend to each turn. */
function propagateToAdjacentTurns(index: MemoryIndex, bm25Scores: Float32Array): Float32Array {
  const adjacentScores = index.scratch.borrowZeroed('neighbours', index.size);
  if (index.sessionCount === 0) return adjacentScores;
  const { speaker, previous, next } = index;
  for (let p = 0; p < bm25Scores.length; p++) {
    const score = bm25Scores[p]!;
    if (score === 0 || speaker[p] === noEntry) continue;
    let before = p;
    let after = p;
    for (const share of adjacencyWeights) {
      before = before === noEntry ? noEntry : previous[before]!;
      after = after === noEntry ? noEntry : next[after]!;
      if (before !== noEntry) adjacentScores[before]! += share * score;
      if (after !== noEntry) adjacentScores[after]! += share * score;
    }
  }
  return adjacentScores;
}

/** The turn just before, where it is another speaker's question; else `none`. */
function precedingQuestion({ previous, speaker, flags }: MemoryIndex, position: number): number {
  const previousPosition = previous[position]!;
  if (
    previousPosition === noEntry ||
    speaker[previousPosition] === noEntry ||
    speaker[previousPosition] === speaker[position]
  )
    return noEntry;
  return (flags[previousPosition]! & featureFlag.question) === 0 ? noEntry : previousPosition;
}

/** Compares the questions before some positions with the query, too: an answer is what matches what was asked. */
function scorePrecedingQuestions(
  index: MemoryIndex,
  query: IndexQuery,
  positions: readonly number[],
  semanticScores: Float32Array,
): void {
  if (index.vectors === undefined || query.vector === undefined) return;
  const questionPositions = positions
    .map(it => precedingQuestion(index, it))
    .filter(it => it !== noEntry && semanticScores[it] === 0);
  const cosines = index.vectors.cosines(query.vector, questionPositions);
  for (const [i, position] of questionPositions.entries()) semanticScores[position] = cosines[i]!;
}

/** A standing instruction matters whatever is asked, but only the closest few, and less where most memories are ones. */
function boostStandingInstructions(index: MemoryIndex, candidates: readonly ScoredDocument[]): void {
  const rarity = Math.min(1, Math.log((index.documents + 1) / (index.counts.instructions + 0.5)) / fullBonusRarity);
  const instructions = candidates.filter(it => (index.flags[it.position]! & featureFlag.instruction) !== 0);
  for (const { features } of sortByScore(instructions).slice(0, maxInstructions)) {
    features[at.instruction] = Math.max(0, rarity);
  }
}

/** Cosine of each candidate with the mean of the best so far; what is not embedded is as near as its words say. */
function addPseudoRelevanceFeedback(vectors: VectorIndex | undefined, candidates: readonly ScoredDocument[]): void {
  if (vectors === undefined) return;
  const embedded: ScoredDocument[] = [];
  const positions: number[] = [];
  for (const it of candidates) {
    if (!vectors.has(it.position)) continue;
    embedded.push(it);
    positions.push(it.position);
  }
  const best = new Set(sortByScore(candidates).slice(0, feedbackSampleSize));
  // With a sum of vectors: each one's cosines are added up, and those among the summed are the square of its length.
  const sums = new Float64Array(embedded.length);
  for (const it of embedded) {
    if (!best.has(it)) continue;
    const { position } = it;
    const cosines = vectors.cosines(vectors.get(position), positions);
    for (let i = 0; i < sums.length; i++) sums[i]! += cosines[i]!;
  }
  let squaredLength = 0;
  for (let i = 0; i < sums.length; i++) if (best.has(embedded[i]!)) squaredLength += sums[i]!;
  if (squaredLength <= 0) return;
  let maxFeedback = 0;
  for (let i = 0; i < sums.length; i++) {
    const { features } = embedded[i]!;
    features[at.feedback] = sums[i]! / Math.sqrt(squaredLength);
    maxFeedback = Math.max(maxFeedback, features[at.feedback]!);
  }
  const isEmbedded = new Set(embedded);
  for (const it of candidates) {
    if (!isEmbedded.has(it)) it.features[at.feedback] = it.features[at.words]! * maxFeedback;
  }
}

/** Speakers whose name is in the question, their names, and the terms of all speakers' names: those do not tell memories apart. */
function findNamedSpeakers(
  index: MemoryIndex,
  words: readonly string[],
): { readonly numbers: ReadonlySet<number>; readonly names: readonly string[]; readonly terms: ReadonlySet<string> } {
  const numbers = new Set<number>();
  const names: string[] = [];
  const terms = new Set<string>();
  const questionWords = new Set(words);
  for (const [name, number] of index.speakerNames()) {
    const first = name.split(' ')[0]!;
    if (questionWords.has(first)) {
      numbers.add(number);
      names.push(name);
    }
    for (const it of index.speakerTerms(name)) terms.add(it);
  }
  return { numbers, names, terms };
}

/**
 * Divides all by the largest, and returns that; all zeros stay zeros.
 * @param positions those that may be above 0; all of them when left out
 * @param allowed what has 0 here becomes 0
 */
function normalizeByMax(scores: Float32Array, positions?: Uint32Array, allowed?: Uint8Array): number {
  // Not by `of`, whose iterator takes ten times as long, and by one factor, which is exact enough for 32 bits and takes less
  // than dividing.
  let largest = 0;
  const count = positions?.length ?? scores.length;
  for (let i = 0; i < count; i++) {
    const p = positions === undefined ? i : positions[i]!;
    if (allowed !== undefined) scores[p]! *= allowed[p]!;
    if (scores[p]! > largest) largest = scores[p]!;
  }
  if (largest === 0) return 0;
  const factor = 1 / largest;
  for (let i = 0; i < count; i++) scores[positions === undefined ? i : positions[i]!]! *= factor;
  return largest;
}
