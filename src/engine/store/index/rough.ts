import { trait } from '../../text/traits.js';
import type { MemoryIndex } from './memoryIndex.js';
import { none } from './memoryColumns.js';
import { dateMatch, wantsRules, type IndexQuery } from './indexQuery.js';
import type { VectorTable } from './vectors.js';

/** What was measured of every position without comparing vectors. */
export interface Measured {
  /** 0-1. */
  readonly words: Float32Array;
  /** The positions of those that are above 0, others among them. */
  readonly having: Uint32Array;
  readonly neighbours: Float32Array;
  /** By session, 0-1; empty where conversations do not count. */
  readonly sessions: Float32Array;
  /** 1 for each position that may be returned. */
  readonly allowed: Uint8Array;
  /** The speakers that the question names. */
  readonly named: ReadonlySet<number>;
}

/** By mask of what may be returned, which is the same one until a memory comes or goes. */
const standings = new WeakMap<Uint8Array, { readonly scores: Float32Array; readonly bonus: number }>();
/** The share that standing instructions have of a score. */
const forInstructions = 0.3;
/** Days of a year, as month × 32 + day. */
const days = 13 * 32;

/**
 * The `count` best by a first estimate of each position that may be returned, above 0 and in no particular order.
 * @returns with the cosines that were worked out for it; valid until the next search
 */
export function bestRoughly(
  index: MemoryIndex,
  query: IndexQuery,
  count: number,
  measured: Measured,
): { readonly positions: number[]; readonly meaning: Float32Array } {
  const meaning = index.workspace.zeros('meaning', index.size);
  const scores = withoutMeaning(index, query, measured);
  const { vectors, counts } = index;
  // One of zeros, of a question that the model knows no word of, is like nothing; its signs would say otherwise.
  const vector = query.vector?.some(it => it !== 0) === true ? query.vector : undefined;
  const best = new Best(count);
  if (vector === undefined || vectors === undefined) best.addAll(scores);
  else if (counts.embedded < counts.searchable) {
    meaning.set(vectors.scan(vector));
    guessMeaning(vectors, meaning, measured);
    for (let p = 0; p < scores.length; p++) scores[p]! += meaning[p]!;
    best.addAll(scores);
  } else {
    const { positions, cosines } = vectors.mayBeBest(vector, scores, count);
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!;
      meaning[position] = cosines[i]!;
      best.add(position, scores[position]! + cosines[i]!);
    }
  }
  return { positions: best.positions(), meaning };
}

/**
 * What each position has of its score by all but its vector; -Infinity where it may not be returned. Each loop is a function
 * of its own: V8 leaves its optimised code where one was left that it has not seen being left.
 */
function withoutMeaning(index: MemoryIndex, query: IndexQuery, measured: Measured): Float32Array {
  const scores = index.workspace.zeros('rough', index.size);
  const bonus = wantsRules(query) ? forInstructions : 0;
  // A filter's mask is of this question alone.
  if (query.allowed === undefined) scores.set(standing(index, measured.allowed, bonus));
  else addInstructions(scores, measured.allowed, index.flags, bonus);
  addWords(scores, measured);
  if (measured.sessions.length > 0) addConversations(scores, measured, index.session);
  if (measured.named.size > 0) addSpeakers(scores, measured, index.speaker);
  if (query.month !== undefined || (query.times?.length ?? 0) > 0) addDates(scores, query, index.calendar);
  return scores;
}

/** What each position has whatever is asked: `bonus` for a standing instruction, -Infinity where it may not be returned. */
function standing(index: MemoryIndex, allowed: Uint8Array, bonus: number): Float32Array {
  let known = standings.get(allowed);
  if (known?.bonus !== bonus) {
    const scores = new Float32Array(allowed.length);
    addInstructions(scores, allowed, index.flags, bonus);
    standings.set(allowed, (known = { scores, bonus }));
  }
  return known.scores;
}

function addInstructions(scores: Float32Array, allowed: Uint8Array, flags: Uint16Array, bonus: number): void {
  for (let p = 0; p < scores.length; p++) {
    scores[p] = allowed[p] === 0 ? -Infinity : (flags[p]! & trait.instruction) === 0 ? 0 : bonus;
  }
}

function addWords(scores: Float32Array, { words, having }: Measured): void {
  const count = having.length;
  for (let i = 0; i < count; i++) scores[having[i]!]! += words[having[i]!]!;
}

function addConversations(scores: Float32Array, { neighbours, sessions }: Measured, session: Int32Array): void {
  for (let p = 0; p < scores.length; p++) {
    const its = session[p]!;
    scores[p]! += 0.3 * neighbours[p]! + (its === none ? 0 : 0.4 * sessions[its]!);
  }
}

function addSpeakers(scores: Float32Array, { named }: Measured, speaker: Int32Array): void {
  for (let p = 0; p < scores.length; p++) if (speaker[p] !== none && named.has(speaker[p]!)) scores[p]! += 0.3;
}

function addDates(scores: Float32Array, query: IndexQuery, calendar: Uint16Array): void {
  const byDay = Float32Array.from({ length: days }, (_, day) => 0.3 * dateMatch(query, day));
  for (let p = 0; p < scores.length; p++) scores[p]! += byDay[calendar[p]!]!;
}

/**
 * What is not embedded yet counts as near as its words say: with no meaning at all, a memory that has the question's rarest
 * word would stand behind any number that have none of it.
 */
function guessMeaning(
  vectors: VectorTable,
  meaning: Float32Array,
  { words, allowed }: Pick<Measured, 'words' | 'allowed'>,
): void {
  let nearest = 0;
  for (let p = 0; p < meaning.length; p++) if (allowed[p] === 1 && meaning[p]! > nearest) nearest = meaning[p]!;
  for (let p = 0; p < meaning.length; p++) {
    if (meaning[p] === 0 && words[p]! > 0 && !vectors.has(p)) meaning[p] = words[p]! * nearest;
  }
}

/** The positions of the largest scores above 0 so far: a heap, its smallest on top. */
class Best {
  /** What a score must be above to be among them. */
  private least = 0;
  private found = 0;
  private readonly at: Uint32Array;
  private readonly scores: Float64Array;

  constructor(private readonly count: number) {
    this.at = new Uint32Array(count);
    this.scores = new Float64Array(count);
  }

  /** Of each position the score. */
  addAll(scores: Float32Array): void {
    for (let p = 0; p < scores.length; p++) this.add(p, scores[p]!);
  }

  positions(): number[] {
    return Array.from(this.at.subarray(0, this.found));
  }

  add(position: number, score: number): void {
    if (score <= this.least) return;
    const { count } = this;
    if (this.found < count) {
      this.at[this.found] = position;
      this.scores[this.found++] = score;
      if (this.found < count) return;
      for (let i = (count >> 1) - 1; i >= 0; i--) this.sink(i, this.at[i]!, this.scores[i]!);
    } else this.sink(0, position, score);
    this.least = this.scores[0]!;
  }

  /** Puts it at `from`, or further down until what is below it is larger. */
  private sink(from: number, position: number, score: number): void {
    const { at, scores, count } = this;
    let i = from;
    for (;;) {
      let child = 2 * i + 1;
      if (child + 1 < count && scores[child + 1]! < scores[child]!) child++;
      if (child >= count || scores[child]! >= score) break;
      at[i] = at[child]!;
      scores[i] = scores[child]!;
      i = child;
    }
    at[i] = position;
    scores[i] = score;
  }
}
