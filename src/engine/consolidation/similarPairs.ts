import { TimeSlicer } from '../base/timeSlicer.js';

/** The word set of a memory: distinct stems as numbers, without negations. */
export interface WordSet {
  /** Only memories of the same group are compared. */
  readonly group: string;
  readonly words: Uint32Array;
}

/** Indexes of two memories in the list, the earlier first. */
export type IndexPair = readonly [earlier: number, later: number];

/** Minimum share of the shorter text's words in the other text. Below this, texts from one template are "similar". */
export const minOverlap = 0.6;
/** Minimum Jaccard similarity. */
export const minJaccard = 0.4;
/**
 * Words of more memories of a group than this generate no candidates: pairs that share only such words are unrelated.
 */
const maxDocumentFrequency = 300;
/** Memories between progress reports. */
const progressInterval = 256;

/**
 * Finds every pair of a group that shares enough words, by prefix filtering: a pair with enough overlap must share one
 * of the rarest words of the shorter text, so only those are looked up. Works in batches; stops at `maxPairs`.
 * @throws the reason of `signal`
 */
export async function findSimilarPairs(
  memories: readonly WordSet[],
  options: { readonly maxPairs: number; readonly signal: AbortSignal; readonly onProgress: (done: number) => void },
): Promise<IndexPair[]> {
  const slicer = new TimeSlicer();
  const postings = await buildPostings(memories, slicer, options.signal);
  const pairs: IndexPair[] = [];
  for (const [i, { group, words }] of memories.entries()) {
    if (i % progressInterval === 0) options.onProgress(i);
    if (slicer.shouldYield()) {
      await slicer.yield();
      options.signal.throwIfAborted();
    }
    const wordSet = new Set(words);
    const postingLists = [...words].map(it => postings.get(`${group} ${it}`)!).sort((a, b) => a.length - b.length);
    const prefixLength = words.length - Math.ceil(minOverlap * words.length) + 1;
    const visited = new Set<number>();
    for (const list of postingLists.slice(0, prefixLength)) {
      if (list.length > maxDocumentFrequency) break;
      for (const candidate of list) {
        if (candidate === i || visited.has(candidate)) continue;
        visited.add(candidate);
        const candidateWords = memories[candidate]!.words;
        // Each pair is found from its shorter text, or from the earlier one of equal length.
        if (candidateWords.length < words.length || (candidateWords.length === words.length && candidate < i)) continue;
        if (isSimilar(wordSet, candidateWords)) pairs.push(i < candidate ? [i, candidate] : [candidate, i]);
      }
    }
    if (pairs.length >= options.maxPairs) break;
  }
  return pairs;
}

/** Jaccard similarity, 0-1. */
export function jaccard(first: Uint32Array, second: Uint32Array): number {
  const shared = sharedCount(new Set(first), second);
  return shared === 0 ? 0 : shared / (first.length + second.length - shared);
}

function isSimilar(shorter: ReadonlySet<number>, longer: Uint32Array): boolean {
  if (shorter.size < minJaccard * longer.length) return false;
  const shared = sharedCount(shorter, longer);
  return shared >= minOverlap * shorter.size && shared >= minJaccard * (shorter.size + longer.length - shared);
}

function sharedCount(words: ReadonlySet<number>, otherWords: Uint32Array): number {
  let shared = 0;
  for (const it of otherWords) if (words.has(it)) shared++;
  return shared;
}

/** By group and word: indexes of the memories with the word. */
async function buildPostings(
  memories: readonly WordSet[],
  slicer: TimeSlicer,
  signal: AbortSignal,
): Promise<Map<string, number[]>> {
  const postings = new Map<string, number[]>();
  for (const [i, { group, words }] of memories.entries()) {
    if (slicer.shouldYield()) {
      await slicer.yield();
      signal.throwIfAborted();
    }
    for (const word of words) {
      const key = `${group} ${word}`;
      const list = postings.get(key);
      if (list === undefined) postings.set(key, [i]);
      else list.push(i);
    }
  }
  return postings;
}
