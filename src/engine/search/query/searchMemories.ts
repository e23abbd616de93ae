import { featureFlag } from '../../text/textFeatures.js';
import { featureNames } from '../../model/trace.js';
import { featureIndex as at, scoreFeatures, type Ordering } from '../../scoring/rankingModel.js';
import { dateMatch, appliesStandingInstructions, type IndexQuery } from './indexQuery.js';
import { noEntry } from '../index/documentColumns.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import { firstPassTopK } from './firstPassRanking.js';
import { noExpansion } from '../../text/queryExpansion.js';
import type { VectorIndex } from '../index/vectorIndex.js';

export interface IndexResult {
  /** Best first; features are in the order of `featureNames`. */
  readonly hits: readonly {
    readonly row: number;
    readonly features: Float32Array;
    /** int8 components of its embedding; undefined without one. Valid until the next search. */
    readonly vector: Int8Array | undefined;
  }[];
  /** Whether the memories are single notes; false for conversations that are kept turn by turn. */
  readonly holdsNotes: boolean;
  /** The divisors of the normalized features. */
  readonly maxFeatureValues: { readonly words: number; readonly session: number };
  readonly lexicalScale: LexicalScale;
}

/** Lexical scores of a query in an index, unbounded as BM25 is: by these a score means the same in stores of any size. */
export interface LexicalScale {
  /** Score of a memory that has one term that no other memory has. */
  readonly rareTerm: number;
  /** Highest possible score: all terms of the query, each often. */
  readonly possible: number;
  /** Memories in the index. */
  readonly documents: number;
  /** Term of the query -> memories that have it, in their own words or in their search aids. */
  readonly documentFrequencies: ReadonlyMap<string, number>;
}

export const noLexicalScale: LexicalScale = {
  rareTerm: 0,
  possible: 0,
  documents: 0,
  documentFrequencies: new Map(),
};

export interface DocumentRef {
  readonly row: number;
  readonly position: number;
}

/**
 * Scores memories against the question, 0-1 each, in the order given (lateInteraction.ts).
 * @param names names of the speakers in the question, which the scores should ignore: they do not distinguish the memories
 * of one speaker
 */
export type Reranker = (documents: readonly DocumentRef[], names: readonly string[]) => Float32Array;

/** Single memories are short texts, for which a lower b than the usual 0.75 measured better. */
const memoryBm25 = { k1: 0.9, b: 0.4 };
/** Search aids are short lists: their length says nothing. */
const aidBm25 = { k1: 0.9, b: 0 };
/** Weight of a memory's search aids against its own words. */
const aidWeight = 0.8;
/** For a conversation as one text. */
const sessionBm25 = { k1: 1.2, b: 0.75 };
/** Share of a turn's score for the turns one, two and three away. */
const adjacencyWeights = [1, 0.7, 0.4];
/** Best matches whose mean vector is the feedback query. */
const feedbackSampleSize = 5;
/** Standing instructions that get a bonus in one answer. */
const maxInstructions = 2;
/** ln 20: the bonus is full where at most one memory in twenty is an instruction. */
const fullBonusRarity = 3;
/** Terms from which on a memory counts as long. */
const minLongTextTerms = 30;
/** Mean number of memories of a session; note-taking leaves a few of a session. */
const minTurnsPerSession = 8;
/** Minimum number of candidates whose features are all computed. */
const minCandidates = 150;

interface ScoredDocument extends DocumentRef {
  readonly features: Float32Array;
}

interface Shortlist {
  readonly documents: readonly ScoredDocument[];
  /** Names of the speakers in the question. */
  readonly names: readonly string[];
  readonly maxFeatureValues: IndexResult['maxFeatureValues'];
  readonly lexicalScale: LexicalScale;
}

/**
 * Ranks the memories that answer a question, best first: a first pass over all memories by terms and embedding, a second
 * pass over its best by all features of the index, then late interaction over the best of those.
 */
export function searchMemories(index: MemoryIndex, query: IndexQuery, rerank?: Reranker): IndexResult {
  const areNotes = holdsNotes(index);
  const ordering = areNotes ? 'notes' : 'conversation';
  const { documents, names, maxFeatureValues, lexicalScale } = retrieveCandidates(index, query, ordering);
  const rerankScores = rerank?.(documents, names);
  for (const [i, { features }] of documents.entries()) features[at.wordMeaning] = rerankScores?.[i] ?? 0;
  // An aggregate question is answered by many memories, which resemble no single good match.
  if (!query.isAggregateQuestion) addPseudoRelevanceFeedback(index.vectors, documents);
  const { vectors } = index;
  const hits = sortByScore(documents, ordering).map(({ row, position, features }) => ({
    row,
    features,
    vector: vectors?.has(position) === true ? vectors.get(position) : undefined,
  }));
  return { hits, holdsNotes: areNotes, maxFeatureValues, lexicalScale };
}

function retrieveCandidates(index: MemoryIndex, query: IndexQuery, ordering: Ordering): Shortlist {
  const scope = index.scopeNumber(query.scopeId);
  if (scope === undefined) {
    return { documents: [], names: [], maxFeatureValues: { words: 0, session: 0 }, lexicalScale: noLexicalScale };
  }
  const allowed = allowedMask(index, scope, query.allowed);

  const named = findNamedSpeakers(index, query.words);
  const terms = query.terms.filter(it => !named.terms.has(it));
  const bm25Scores = index.scratch.borrowZeroed('bm25', index.size);
  const { scoredPositions, lexicalScale } = scoreLexically(
    index,
    query,
    { terms, named: named.terms, ordering },
    bm25Scores,
  );
  // The answer to an aggregate question lies in no single conversation.
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

  const measureFeatures = (position: number): Float32Array => {
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

  const candidates = positions.map(position => ({
    position,
    row: index.rows[position]!,
    features: measureFeatures(position),
  }));
  if (appliesStandingInstructions(query)) boostStandingInstructions(index, candidates);
  const documents = sortByScore(candidates, ordering).slice(0, query.limit);
  return { documents, names: named.names, maxFeatureValues, lexicalScale };
}

/** BM25 over two fields: the memories' own words and, with less weight, their search aids; of all words of the query. */
function scoreLexically(
  index: MemoryIndex,
  { expansion = noExpansion }: IndexQuery,
  {
    terms,
    named,
    ordering,
  }: { readonly terms: readonly string[]; readonly named: ReadonlySet<string>; readonly ordering: Ordering },
  scores: Float32Array,
): { readonly scoredPositions: Uint32Array; readonly lexicalScale: LexicalScale } {
  const given = expansion.terms.filter(it => !named.has(it.term));
  // In conversations, where most words are everyday ones, the developers' words cost a point of MRR (LoCoMo).
  const vocabulary = ordering === 'notes' ? expansion.vocabulary : [];
  const added = [...given, ...vocabulary.filter(it => !named.has(it.term))];
  const all = [...terms, ...added.map(it => it.term)];
  const weights = [...terms.map(() => 1), ...added.map(it => it.weight)];
  const lexicalScale = {
    rareTerm: index.postings.maxScore([''], memoryBm25),
    // A vocabulary word stands for one of the question's own.
    possible: index.postings.maxScore(all.slice(0, terms.length + given.length), memoryBm25, weights),
    documents: index.documents,
    documentFrequencies: new Map(
      all.map(it => [it, Math.max(index.postings.documentFrequency(it), index.aids.documentFrequency(it))]),
    ),
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

/** A conversation is kept turn by turn: most memories belong to a session, and each session has many. */
function holdsNotes({ sessionCounts: { turns, sessions }, documents }: MemoryIndex): boolean {
  return sessions === 0 || turns * 2 < documents || turns / sessions < minTurnsPerSession;
}

/** Sorts by the features computed so far, best first, then newest first. */
function sortByScore(candidates: readonly ScoredDocument[], ordering: Ordering): ScoredDocument[] {
  return candidates
    .map(document => ({ document, score: scoreFeatures(document.features, ordering) }))
    .sort((a, b) => b.score - a.score || b.document.row - a.document.row)
    .map(it => it.document);
}

/** For each turn of a conversation, a weighted sum of the BM25 scores of its neighbors. */
function propagateToAdjacentTurns(index: MemoryIndex, bm25Scores: Float32Array): Float32Array {
  const adjacentScores = index.scratch.borrowZeroed('adjacent', index.size);
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

/** Position of the previous turn where it is another speaker's question; else `noEntry`. */
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

/** Computes the cosines of the questions that precede the positions: an answer is relevant where its question matches. */
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

/** Gives the best few standing instructions a bonus whatever is asked, smaller where instructions are common. */
function boostStandingInstructions(index: MemoryIndex, candidates: readonly ScoredDocument[]): void {
  const rarity = Math.min(1, Math.log((index.documents + 1) / (index.counts.instructions + 0.5)) / fullBonusRarity);
  const instructions = candidates.filter(it => (index.flags[it.position]! & featureFlag.instruction) !== 0);
  for (const { features } of sortByScore(instructions, 'conversation').slice(0, maxInstructions)) {
    features[at.instruction] = Math.max(0, rarity);
  }
}

/** Sets the feedback feature: the cosine with the mean of the best candidates, imputed from BM25 where a vector is missing. */
function addPseudoRelevanceFeedback(vectors: VectorIndex | undefined, candidates: readonly ScoredDocument[]): void {
  if (vectors === undefined) return;
  const embedded = candidates.filter(it => vectors.has(it.position));
  const positions = embedded.map(it => it.position);
  const best = new Set(sortByScore(candidates, 'conversation').slice(0, feedbackSampleSize));
  // The sum of the best vectors is never formed: its dot products, and its squared length, are sums of pairwise cosines.
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

/** The speakers that the question names, and the terms of all speakers' names, which do not distinguish memories. */
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
 * Divides the scores by the largest and returns it; all zeros stay zeros.
 * @param positions positions that may be above 0; default all
 * @param allowed mask; scores of positions that are 0 in it become 0
 */
function normalizeByMax(scores: Float32Array, positions?: Uint32Array, allowed?: Uint8Array): number {
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
