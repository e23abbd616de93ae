import { Turns } from '../base/turns.js';

/** A memory as far as its words matter here: stems without their negations, as numbers, each once. */
export interface Worded {
  /** Only memories of the same group are compared. */
  readonly group: string;
  readonly words: Uint32Array;
}

/** Two memories by their places in the list, the earlier first. */
export type Pair = readonly [one: number, other: number];

/** Share of the shorter text's words that the other has too. Lower, and texts of one template are "similar". */
export const leastOverlap = 0.6;
/** Shared words by all words of both. */
export const leastJaccard = 0.4;
/** A word of more memories of a group than this finds nobody: what two share only that is another thing. */
const commonFrom = 300;
/** Memories between two words on how far it is. */
const toldEvery = 256;

/**
 * Every pair of a group that shares enough words, without comparing all with all: of the shorter text so many of the
 * rarest words are looked up that a pair which shares enough must share one of them. In batches; stops at `maxPairs`.
 * @throws what `signal` was aborted with
 */
export async function similarPairs(
  memories: readonly Worded[],
  options: { readonly maxPairs: number; readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
): Promise<Pair[]> {
  const turns = new Turns();
  const having = await indexOf(memories, turns, options.signal);
  const pairs: Pair[] = [];
  for (const [i, { group, words }] of memories.entries()) {
    if (i % toldEvery === 0) options.onProgress(i);
    if (turns.isOver()) {
      await turns.next();
      options.signal.throwIfAborted();
    }
    const wordsOf = new Set(words);
    const lists = [...words].map(it => having.get(`${group} ${it}`)!).sort((a, b) => a.length - b.length);
    const looked = words.length - Math.ceil(leastOverlap * words.length) + 1;
    const seen = new Set<number>();
    for (const list of lists.slice(0, looked)) {
      if (list.length > commonFrom) break;
      for (const other of list) {
        if (other === i || seen.has(other)) continue;
        seen.add(other);
        const theirs = memories[other]!.words;
        // Each pair is found from its shorter text, or from the earlier of two of the same length.
        if (theirs.length < words.length || (theirs.length === words.length && other < i)) continue;
        if (isSimilar(wordsOf, theirs)) pairs.push(i < other ? [i, other] : [other, i]);
      }
    }
    if (pairs.length >= options.maxPairs) break;
  }
  return pairs;
}

/** Shared words by all words, 0-1. */
export function jaccard(one: Uint32Array, other: Uint32Array): number {
  const shared = sharedCount(new Set(one), other);
  return shared === 0 ? 0 : shared / (one.length + other.length - shared);
}

function isSimilar(shorter: ReadonlySet<number>, longer: Uint32Array): boolean {
  if (shorter.size < leastJaccard * longer.length) return false;
  const shared = sharedCount(shorter, longer);
  return shared >= leastOverlap * shorter.size && shared >= leastJaccard * (shorter.size + longer.length - shared);
}

function sharedCount(words: ReadonlySet<number>, other: Uint32Array): number {
  let shared = 0;
  for (const it of other) if (words.has(it)) shared++;
  return shared;
}

/** By group and word: the places of the memories that have it. */
async function indexOf(memories: readonly Worded[], turns: Turns, signal: AbortSignal): Promise<Map<string, number[]>> {
  const having = new Map<string, number[]>();
  for (const [i, { group, words }] of memories.entries()) {
    if (turns.isOver()) {
      await turns.next();
      signal.throwIfAborted();
    }
    for (const word of words) {
      const key = `${group} ${word}`;
      const list = having.get(key);
      if (list === undefined) having.set(key, [i]);
      else list.push(i);
    }
  }
  return having;
}
