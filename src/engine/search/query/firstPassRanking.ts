import { featureFlag } from '../../text/textFeatures.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import { noEntry } from '../index/documentColumns.js';
import { dateMatch, appliesStandingInstructions, type IndexQuery } from './indexQuery.js';
import type { VectorIndex } from '../index/vectorIndex.js';

/** What was measured of every position without comparing vectors. */
export interface LexicalScores {
  /** 0-1. */
  readonly bm25Scores: Float32Array;
  /** The positions of those that are above 0, others among them. */
  readonly scoredPositions: Uint32Array;
  readonly adjacentScores: Float32Array;
  /** By session, 0-1; empty where conversations do not count. */
  readonly sessionScores: Float32Array;
  /** 1 for each position that may be returned. */
  readonly allowed: Uint8Array;
  /** The speakers that the question names. */
  readonly namedSpeakers: ReadonlySet<number>;
}

/** By mask of what may be returned, which is the same one until a memory comes or goes. */
const queryIndependentScores = new WeakMap<Uint8Array, { readonly scores: Float32Array; readonly bonus: number }>();
/** The share that standing instructions have of a score. */
const instructionBonus = 0.3;
/** Days of a year, as month × 32 + day. */
const calendarDays = 13 * 32;

/**
 * The `count` best by a first estimate of each position that may be returned, above 0 and in no particular order.
 * @returns with the cosines that were worked out for it; valid until the next search
 */
export function firstPassTopK(
  index: MemoryIndex,
  query: IndexQuery,
  k: number,
  lexical: LexicalScores,
): { readonly positions: number[]; readonly semanticScores: Float32Array } {
  const semanticScores = index.scratch.borrowZeroed('meaning', index.size);
  const scores = scoreWithoutVectors(index, query, lexical);
  const { vectors, counts } = index;
  // One of zeros, of a question that the model knows no word of, is like nothing; its signs would say otherwise.
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

/**
 * What each position has of its score by all but its vector; -Infinity where it may not be returned. Each loop is a function
 * of its own: V8 leaves its optimised code where one was left that it has not seen being left.
 */
function scoreWithoutVectors(index: MemoryIndex, query: IndexQuery, lexical: LexicalScores): Float32Array {
  const scores = index.scratch.borrowZeroed('rough', index.size);
  const bonus = appliesStandingInstructions(query) ? instructionBonus : 0;
  // A filter's mask is of this question alone.
  if (query.allowed === undefined) scores.set(queryIndependentScore(index, lexical.allowed, bonus));
  else addInstructionBonus(scores, lexical.allowed, index.flags, bonus);
  addLexicalScores(scores, lexical);
  if (lexical.sessionScores.length > 0) addSessionScores(scores, lexical, index.session);
  if (lexical.namedSpeakers.size > 0) addSpeakerBonus(scores, lexical, index.speaker);
  if (query.month !== undefined || (query.preferredDates?.length ?? 0) > 0) addDateBonus(scores, query, index.calendar);
  return scores;
}

/** What each position has whatever is asked: `bonus` for a standing instruction, -Infinity where it may not be returned. */
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

function addLexicalScores(scores: Float32Array, { bm25Scores, scoredPositions }: LexicalScores): void {
  const count = scoredPositions.length;
  for (let i = 0; i < count; i++) scores[scoredPositions[i]!]! += bm25Scores[scoredPositions[i]!]!;
}

function addSessionScores(
  scores: Float32Array,
  { adjacentScores, sessionScores }: LexicalScores,
  session: Int32Array,
): void {
  for (let p = 0; p < scores.length; p++) {
    const sessionNumber = session[p]!;
    scores[p]! += 0.3 * adjacentScores[p]! + (sessionNumber === noEntry ? 0 : 0.4 * sessionScores[sessionNumber]!);
  }
}

function addSpeakerBonus(scores: Float32Array, { namedSpeakers }: LexicalScores, speaker: Int32Array): void {
  for (let p = 0; p < scores.length; p++)
    if (speaker[p] !== noEntry && namedSpeakers.has(speaker[p]!)) scores[p]! += 0.3;
}

function addDateBonus(scores: Float32Array, query: IndexQuery, calendar: Uint16Array): void {
  const byDay = Float32Array.from({ length: calendarDays }, (_, day) => 0.3 * dateMatch(query, day));
  for (let p = 0; p < scores.length; p++) scores[p]! += byDay[calendar[p]!]!;
}

/**
 * What is not embedded yet counts as near as its words say: with no meaning at all, a memory that has the question's rarest
 * word would stand behind any number that have none of it.
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

/** The positions of the largest scores above 0 so far: a heap, its smallest on top. */
class TopKHeap {
  /** What a score must be above to be among them. */
  private minScore = 0;
  private size = 0;
  private readonly heapPositions: Uint32Array;
  private readonly heapScores: Float64Array;

  constructor(private readonly k: number) {
    this.heapPositions = new Uint32Array(k);
    this.heapScores = new Float64Array(k);
  }

  /** Of each position the score. */
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

  /** Puts it at `from`, or further down until what is below it is larger. */
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
