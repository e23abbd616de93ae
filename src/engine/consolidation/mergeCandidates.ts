import { LRUCache } from 'lru-cache';
import { int8Scale } from '../base/int8Vector.js';
import { TimeSlicer } from '../base/timeSlicer.js';
import type { Context } from '../context.js';
import type { ConsolidationProgress } from '../model/consolidation.js';
import { codeKinds, type Memory } from '../model/memory.js';
import type { MemoryRepository, Store } from '../store/store.js';
import { jaccard, findSimilarPairs, type IndexPair, type WordSet } from './similarPairs.js';
import { compareDetails, extractDetails, createDetailsReader, type TextDetails } from './mergeText.js';

/**
 * Minimum Jaccard similarity at which texts that agree are near-duplicates regardless of their vectors: one more clause
 * lowers the built-in model's cosine below its merge threshold of 0.932 in eight of twelve such pairs.
 */
const minLexicalSimilarity = 0.6;
/** A text with fewer words is too unspecific. */
const minWords = 2;
/** The rest of a larger group is found after these are merged. */
const maxGroupSize = 6;
/** The rest is found after the first ones are merged. */
const maxPairs = 20_000;
/** Pairs whose memories are loaded at once for evaluation. */
const pairBatchSize = 200;
/** Maximum entries and total characters of the cache of parsed texts: a few megabytes. */
const [maxCachedTexts, maxCachedCharacters] = [2_000, 500_000];

/** Memories that could be merged into one. */
export interface MergeGroup {
  /** Ids, oldest first. */
  readonly ids: readonly string[];
  /** Similarity of the least similar pair, 0-1. */
  readonly similarity: number;
  readonly measured: 'meaning' | 'words';
}

export interface MergeCandidates {
  /** Most similar first. */
  readonly groups: readonly MergeGroup[];
  /** Ids of similar memories that contradict each other. */
  readonly disagreements: readonly (readonly [string, string])[];
}

export interface MergeCandidateOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ConsolidationProgress) => void;
}

interface CandidateText extends WordSet {
  readonly id: string;
}

interface SimilarityLink {
  readonly pair: IndexPair;
  readonly similarity: number;
  readonly measured: 'meaning' | 'words';
}

/**
 * Finds groups of near-duplicates in a store: same kind, scopeId, due date and code; active, not pinned.
 * Shared words generate candidate pairs; pairs that agree and reach the embedder's merge threshold or share
 * most words are linked. Texts that differ in a value or a negation are never in one group. Only reads.
 * @throws the reason of `signal`, and errors of reading the store
 */
export async function findMergeCandidates(
  ctx: Context,
  store: Store,
  { signal = new AbortController().signal, onProgress = () => undefined }: MergeCandidateOptions = {},
): Promise<MergeCandidates> {
  const entries = await readEntries(store, signal);
  const pairs = await findSimilarPairs(entries, {
    maxPairs,
    signal,
    onProgress: done => {
      onProgress({ done, total: entries.length });
    },
  });
  const evaluator = new PairEvaluator(ctx, store, entries);
  for (let from = 0; from < pairs.length; from += pairBatchSize) {
    signal.throwIfAborted();
    await evaluator.evaluate(pairs.slice(from, from + pairBatchSize));
  }
  onProgress({ done: entries.length, total: entries.length });
  const { links, conflictingPairs } = evaluator;
  const conflictingIndexes = new Set(conflictingPairs.flat());
  const ids = (indexes: readonly number[]): string[] => indexes.map(it => entries[it]!.id);
  return {
    groups: (await buildGroups(links))
      .filter(it => !it.indexes.some(index => conflictingIndexes.has(index)))
      .map(({ indexes, similarity, measured }) => ({ ids: ids(indexes), similarity, measured })),
    disagreements: conflictingPairs.map(([first, second]) => [entries[first]!.id, entries[second]!.id]),
  };
}

async function readEntries(store: MemoryRepository, signal: AbortSignal): Promise<CandidateText[]> {
  const wordIds = new Map<string, number>();
  const entries: CandidateText[] = [];
  const slicer = new TimeSlicer();
  const readDetails = createDetailsReader();
  for await (const page of store.scanAll()) {
    signal.throwIfAborted();
    for (const memory of page) {
      if (slicer.shouldYield()) await slicer.yield();
      if (!isMergeable(memory)) continue;
      const words = new Set(readDetails(memory.content).tokens.map(it => it.replace(/^¬/u, '')));
      if (words.size < minWords) continue;
      const ids = [...words].map(it => {
        const wordId = wordIds.get(it) ?? wordIds.size;
        wordIds.set(it, wordId);
        return wordId;
      });
      entries.push({ id: memory.id, group: groupKey(memory), words: Uint32Array.from(ids) });
    }
  }
  return entries;
}

/** Number of groups that `findMergeCandidates` finds. */
export async function countMergeGroups(ctx: Context, store: Store, signal: AbortSignal): Promise<number> {
  return (await findMergeCandidates(ctx, store, { signal })).groups.length;
}

/** Excludes code: similar snippets do different things. */
export function isMergeable(memory: Memory): boolean {
  return memory.status === 'active' && !memory.pinned && !codeKinds.includes(memory.kind);
}

function groupKey({ kind, scopeId, dueAt, provenance: { uri, symbol } }: Memory): string {
  return JSON.stringify([kind, scopeId, dueAt, uri, symbol]);
}

/** Evaluates candidate pairs: near-duplicate, contradicting, or neither. */
class PairEvaluator {
  readonly links: SimilarityLink[] = [];
  readonly conflictingPairs: IndexPair[] = [];
  private readonly slicer = new TimeSlicer();
  /** Parsed details by text; most texts are in several pairs close to each other. */
  private readonly details = newTextCache<TextDetails>();

  constructor(
    private readonly ctx: Context,
    private readonly store: Store,
    private readonly entries: readonly CandidateText[],
  ) {}

  async evaluate(pairs: readonly IndexPair[]): Promise<void> {
    const ids = [...new Set(pairs.flat())].map(it => this.entries[it]!.id);
    const { model } = this.ctx.embedder;
    const vectors = model === undefined ? new Map<string, Int8Array>() : await this.store.vectors(model.id, ids);
    const memories = new Map((await this.store.get(ids)).map(it => [it.id, it]));
    const contradicting = new Set(
      (await this.store.edgesInSets(ids, ['contradicts']))
        .filter(it => it.settledAt === undefined && it.mark !== undefined && it.mark.outdated !== 'none')
        .flatMap(it => [`${it.source} ${it.target}`, `${it.target} ${it.source}`]),
    );
    for (const pair of pairs) {
      if (this.slicer.shouldYield()) await this.slicer.yield();
      const [firstText, secondText] = [this.entries[pair[0]]!, this.entries[pair[1]]!];
      const [first, second] = [memories.get(firstText.id), memories.get(secondText.id)];
      if (first === undefined || second === undefined) continue; // Deleted since the pairs were found.
      const isConflict = contradicting.has(`${first.id} ${second.id}`);
      const agreement = isConflict ? 'conflict' : compareDetails(this.detailsFor(first), this.detailsFor(second));
      if (agreement === 'conflict') this.conflictingPairs.push(pair);
      if (agreement !== 'agree') continue;
      const [firstVector, secondVector] = [vectors.get(first.id), vectors.get(second.id)];
      const cosineSimilarity =
        model === undefined || firstVector === undefined || secondVector === undefined
          ? 0
          : cosine(firstVector, secondVector);
      const wordSimilarity = jaccard(firstText.words, secondText.words);
      if (model !== undefined && cosineSimilarity >= model.thresholds.duplicate) {
        this.links.push({ pair, similarity: cosineSimilarity, measured: 'meaning' });
      } else if (wordSimilarity >= minLexicalSimilarity)
        this.links.push({ pair, similarity: wordSimilarity, measured: 'words' });
    }
  }

  private detailsFor({ content }: Memory): TextDetails {
    return parseCached(this.details, content, extractDetails);
  }
}

/** LRU cache bounded by entries and by characters. */
function newTextCache<T extends object>(): LRUCache<string, T> {
  return new LRUCache({
    max: maxCachedTexts,
    maxSize: maxCachedCharacters,
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  });
}

function parseCached<T extends object>(cache: LRUCache<string, T>, text: string, parse: (text: string) => T): T {
  const cached = cache.get(text);
  if (cached !== undefined) return cached;
  const parsed = parse(text);
  cache.set(text, parsed);
  return parsed;
}

function cosine(first: Int8Array, second: Int8Array): number {
  let dot = 0;
  for (let i = 0; i < first.length; i++) dot += first[i]! * second[i]!;
  return Math.min(1, dot / (int8Scale * int8Scale));
}

interface PairGroup {
  readonly indexes: readonly number[];
  readonly similarity: number;
  readonly measured: SimilarityLink['measured'];
}

/** Groups in which every pair is linked, most similar first; chains of similar pairs form no group. */
async function buildGroups(links: readonly SimilarityLink[]): Promise<PairGroup[]> {
  const slicer = new TimeSlicer();
  const byPair = new Map(links.map(it => [it.pair.join(' '), it]));
  const groups = new Map<number, PairGroup>();
  const sortedLinks = [...links].sort(
    (a, b) => b.similarity - a.similarity || a.pair[0] - b.pair[0] || a.pair[1] - b.pair[1],
  );
  for (const { pair } of sortedLinks) {
    if (slicer.shouldYield()) await slicer.yield();
    const [firstGroup, secondGroup] = pair.map(
      index => groups.get(index) ?? { indexes: [index], similarity: 1, measured: 'meaning' },
    );
    if (firstGroup === secondGroup || firstGroup!.indexes.length + secondGroup!.indexes.length > maxGroupSize) continue;
    const between = firstGroup!.indexes.flatMap(a =>
      secondGroup!.indexes.map(b => byPair.get(a < b ? `${a} ${b}` : `${b} ${a}`)),
    );
    if (!between.every(it => it !== undefined)) continue;
    const group: PairGroup = {
      indexes: [...firstGroup!.indexes, ...secondGroup!.indexes].sort((a, b) => a - b),
      similarity: Math.min(firstGroup!.similarity, secondGroup!.similarity, ...between.map(it => it.similarity)),
      measured: [firstGroup!, secondGroup!, ...between].every(it => it.measured === 'meaning') ? 'meaning' : 'words',
    };
    for (const it of group.indexes) groups.set(it, group);
  }
  return [...new Set(groups.values())].sort((a, b) => b.similarity - a.similarity || a.indexes[0]! - b.indexes[0]!);
}
