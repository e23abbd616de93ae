import { featureFlag } from '../../text/textFeatures.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import { noEntry } from '../index/documentColumns.js';
import { dateMatch, appliesStandingInstructions, type IndexQuery } from './indexQuery.js';
import type { VectorIndex } from '../index/vectorIndex.js';

/** Scores and masks that need no vectors. Arrays are by position unless stated otherwise. */
export interface LexicalScores {
  /** 0-1. */
  readonly bm25Scores: Float32Array;
  /** Positions whose BM25 score may be above 0. */
  readonly scoredPositions: Uint32Array;
  readonly adjacentScores: Float32Array;
  /** By session, 0-1; empty without sessions. */
  readonly sessionScores: Float32Array;
  /** 1 where the position may be returned. */
  readonly allowed: Uint8Array;
  /** Numbers of the speakers that the question names. */
  readonly namedSpeakers: ReadonlySet<number>;
}

/** By mask: the index hands out the same mask object until a memory becomes searchable or ceases to be. */
const queryIndependentScores = new WeakMap<Uint8Array, { readonly scores: Float32Array; readonly bonus: number }>();
/** Weights of the first pass; BM25 and the cosine count in full. */
const instructionBonus = 0.3;
const adjacentWeight = 0.3;
const sessionWeight = 0.4;
const speakerBonus = 0.3;
const dateWeight = 0.3;
/** Number of values of month × 32 + day. */
const calendarDays = 13 * 32;

/**
 * The `k` positions with the highest first-pass scores above 0, unordered.
 * @returns also the cosines that were computed, by position and else 0; valid until the next search
 */
export function firstPassTopK(
  index: MemoryIndex,
  query: IndexQuery,
  k: number,
  lexical: LexicalScores,
): { readonly positions: number[]; readonly semanticScores: Float32Array } {
  const semanticScores = index.scratch.borrowZeroed('cosine', index.size);
  const scores = scoreWithoutVectors(index, query, lexical);
  const { vectors, counts } = index;
  // A zero vector, of a question without a known word, is similar to nothing, but its sign bits would match some.
  const vector = query.vector?.some(it => it !== 0) === true ? query.vector : undefined;
  const heap = new TopKHeap(k);
  if (vector === undefined || vectors === undefined) heap.addAll(scores);
  else if (counts.embedded < counts.searchable) {
    semanticScores.set(vectors.scan(vector));
    imputeCosines(vectors, semanticScores, lexical);
    for (let p = 0; p < scores.length; p++) scores[p]! += semanticScores[p]!;
    heap.addAll(scores);
  } else {
    const { positions, cosines } = vectors.topKBySignEstimate(vector, scores, k);
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!;
      semanticScores[position] = cosines[i]!;
      heap.add(position, scores[position]! + cosines[i]!);
    }
  }
  return { positions: heap.positions(), semanticScores };
}

/** Scores of all positions without the cosine; -Infinity where a position may not be returned. */
function scoreWithoutVectors(index: MemoryIndex, query: IndexQuery, lexical: LexicalScores): Float32Array {
  const { bm25Scores, scoredPositions, adjacentScores, sessionScores, allowed, namedSpeakers } = lexical;
  const { session, speaker, calendar, flags } = index;
  const scores = index.scratch.borrowZeroed('firstPass', index.size);
  const bonus = appliesStandingInstructions(query) ? instructionBonus : 0;
  // The mask of a filter belongs to this query alone.
  if (query.allowed === undefined) scores.set(queryIndependentScore(index, allowed, bonus));
  else addInstructionBonus(scores, allowed, flags, bonus);

  for (const p of scoredPositions) scores[p]! += bm25Scores[p]!;
  if (sessionScores.length > 0) {
    for (let p = 0; p < scores.length; p++) {
      const sessionScore = session[p] === noEntry ? 0 : sessionScores[session[p]!]!;
      scores[p]! += adjacentWeight * adjacentScores[p]! + sessionWeight * sessionScore;
    }
  }
  if (namedSpeakers.size > 0) {
    for (let p = 0; p < scores.length; p++) {
      if (speaker[p] !== noEntry && namedSpeakers.has(speaker[p]!)) scores[p]! += speakerBonus;
    }
  }
  if (query.month !== undefined || (query.preferredDates?.length ?? 0) > 0) {
    const byDay = Float32Array.from({ length: calendarDays }, (_, day) => dateWeight * dateMatch(query, day));
    for (let p = 0; p < scores.length; p++) scores[p]! += byDay[calendar[p]!]!;
  }
  return scores;
}

/** The part of the score that no question changes: the instruction bonus, and -Infinity where `allowed` is 0. */
function queryIndependentScore(index: MemoryIndex, allowed: Uint8Array, bonus: number): Float32Array {
  let cached = queryIndependentScores.get(allowed);
  if (cached?.bonus !== bonus) {
    const scores = new Float32Array(allowed.length);
    addInstructionBonus(scores, allowed, index.flags, bonus);
    queryIndependentScores.set(allowed, (cached = { scores, bonus }));
  }
  return cached.scores;
}

function addInstructionBonus(scores: Float32Array, allowed: Uint8Array, flags: Uint16Array, bonus: number): void {
  for (let p = 0; p < scores.length; p++) {
    scores[p] = allowed[p] === 0 ? -Infinity : (flags[p]! & featureFlag.instruction) === 0 ? 0 : bonus;
  }
}

/**
 * Imputes the cosines of memories without a vector as their share of the best BM25 score: with 0, a memory that has the
 * question's rarest word would rank behind any number of memories without it.
 */
function imputeCosines(
  vectors: VectorIndex,
  cosines: Float32Array,
  { bm25Scores, allowed }: Pick<LexicalScores, 'bm25Scores' | 'allowed'>,
): void {
  let maxCosine = 0;
  for (let p = 0; p < cosines.length; p++) if (allowed[p] === 1 && cosines[p]! > maxCosine) maxCosine = cosines[p]!;
  for (let p = 0; p < cosines.length; p++) {
    if (cosines[p] === 0 && bm25Scores[p]! > 0 && !vectors.has(p)) cosines[p] = bm25Scores[p]! * maxCosine;
  }
}

/** The positions of the k largest scores above 0 so far: a min-heap once it is full. */
class TopKHeap {
  /** A score must exceed this to enter. */
  private minScore = 0;
  private size = 0;
  private readonly heapPositions: Uint32Array;
  private readonly heapScores: Float64Array;

  constructor(private readonly k: number) {
    this.heapPositions = new Uint32Array(k);
    this.heapScores = new Float64Array(k);
  }

  addAll(scores: Float32Array): void {
    for (let p = 0; p < scores.length; p++) this.add(p, scores[p]!);
  }

  positions(): number[] {
    return Array.from(this.heapPositions.subarray(0, this.size));
  }

  add(position: number, score: number): void {
    if (score <= this.minScore) return;
    const { k } = this;
    if (this.size < k) {
      this.heapPositions[this.size] = position;
      this.heapScores[this.size++] = score;
      if (this.size < k) return;
      for (let i = (k >> 1) - 1; i >= 0; i--) this.siftDown(i, this.heapPositions[i]!, this.heapScores[i]!);
    } else this.siftDown(0, position, score);
    this.minScore = this.heapScores[0]!;
  }

  /** Places an entry at `from`, or below it until its children are larger. */
  private siftDown(from: number, position: number, score: number): void {
    const { heapPositions, heapScores, k } = this;
    let i = from;
    for (;;) {
      let child = 2 * i + 1;
      if (child + 1 < k && heapScores[child + 1]! < heapScores[child]!) child++;
      if (child >= k || heapScores[child]! >= score) break;
      heapPositions[i] = heapPositions[child]!;
      heapScores[i] = heapScores[child]!;
      i = child;
    }
    heapPositions[i] = position;
    heapScores[i] = score;
  }
}
