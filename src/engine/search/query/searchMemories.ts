import type { MemoryIndex } from '../index/memoryIndex.js';
import { topK } from '../index/topK.js';
import { inverseDocumentFrequency } from '../index/invertedIndex.js';
import { saturate, textFieldWeight } from './bm25f.js';
import type { IndexQuery } from './indexQuery.js';

/** How near a memory is in meaning: cosines, -1 to 1. */
export interface Nearness {
  readonly question: number;
  /** Of the nearest alternative; undefined without alternatives. */
  readonly alternative: number | undefined;
}

export interface IndexHit {
  readonly row: number;
  /** Undefined where the memory or the question has no vector. */
  readonly nearness: Nearness | undefined;
  /** int8 components of its embedding; undefined without one. Valid until the next search. */
  readonly vector: Int8Array | undefined;
}

/** By which words are weighed, so that those of several stores can be weighed together. */
export interface WordStatistics {
  /** Memories in the index. */
  readonly documents: number;
  /** Mean number of terms of a memory's own words. */
  readonly averageLength: number;
  /** Term of the query -> memories that have it, in their own words or in their search aids. */
  readonly documentFrequencies: ReadonlyMap<string, number>;
}

export const noWordStatistics: WordStatistics = { documents: 0, averageLength: 0, documentFrequencies: new Map() };

export interface IndexResult {
  /** The best by words, then those that are only among the nearest in meaning. */
  readonly hits: readonly IndexHit[];
  readonly statistics: WordStatistics;
}

/** Retrieves the memories that may answer: the best by words (BM25F) and the nearest in meaning. The ranker orders them. */
export function searchMemories(index: MemoryIndex, query: IndexQuery): IndexResult {
  const { scores, statistics } = scoreByWords(index, query);
  const scope = index.scopeNumber(query.scopeId);
  if (scope === undefined) return { hits: [], statistics };
  const mask = index.mask(scope);
  const isAllowed = (p: number): boolean => mask[p] === 1 && query.allowed?.has(index.rows[p]!) !== false;
  const byWords = topK(scores, query.limit, isAllowed);
  const { vectors } = index;
  // A zero vector, of a question without a known word, is near to nothing.
  const [question, ...alternatives] = query.vectors ?? [];
  if (vectors === undefined || question?.some(it => it !== 0) !== true) {
    const found = byWords.length > 0 ? byWords : newestAllowed(index, query, isAllowed);
    return { hits: found.map(p => ({ row: index.rows[p]!, nearness: undefined, vector: undefined })), statistics };
  }
  const ofQuestion = index.scratch.borrowZeroed('cosine', index.size);
  ofQuestion.set(vectors.scan(question));
  const ofAlternative = maxOver(index, alternatives);
  const best = index.scratch.borrowZeroed('best', index.size);
  for (let p = 0; p < best.length; p++) best[p] = Math.max(ofQuestion[p]!, ofAlternative?.[p] ?? -1);
  const byMeaning = topK(best, query.limit, isAllowed);
  const hits = [...new Set([...byWords, ...byMeaning])].map((p): IndexHit => {
    const hasVector = vectors.has(p);
    return {
      row: index.rows[p]!,
      nearness: hasVector ? { question: ofQuestion[p]!, alternative: ofAlternative?.[p] } : undefined,
      vector: hasVector ? vectors.get(p) : undefined,
    };
  });
  return { hits, statistics };
}

/** The newest memories of a filter, where no word matches: asked for what was said last week, the time may be all that is known. */
function newestAllowed(
  index: MemoryIndex,
  { allowed, limit }: IndexQuery,
  isAllowed: (position: number) => boolean,
): readonly number[] {
  const newest: number[] = [];
  if (allowed === undefined) return newest;
  for (let p = index.size - 1; p >= 0 && newest.length < limit; p--) if (isAllowed(p)) newest.push(p);
  return newest;
}

/** The highest cosine with any of the vectors, by position; undefined without vectors. */
function maxOver(index: MemoryIndex, vectors: readonly Int8Array[]): Float32Array | undefined {
  if (vectors.length === 0) return undefined;
  const best = index.scratch.borrowZeroed('alternative', index.size).fill(-1);
  for (const vector of vectors) {
    const cosines = index.vectors!.scan(vector);
    for (let p = 0; p < best.length; p++) if (cosines[p]! > best[p]!) best[p] = cosines[p]!;
  }
  return best;
}

/**
 * BM25F of all memories: a term counts twice in a memory's own words, once in its search aids. By position. How rare a term
 * is, is counted among the memories that are asked.
 */
function scoreByWords(
  index: MemoryIndex,
  { terms, allowed }: IndexQuery,
): { readonly scores: Float32Array; readonly statistics: WordStatistics } {
  const { postings, aids } = index;
  const scores = index.scratch.borrowZeroed('words', index.size);
  const frequencies = index.scratch.borrowZeroed('frequencies', index.size);
  const documentFrequencies = new Map<string, number>();
  const isAsked = (p: number): boolean => allowed?.has(index.rows[p]!) !== false;
  const { documents, averageLength, isPart } = measureAsked(index, allowed);
  for (const { term, weight } of terms) {
    const touched: number[] = [];
    const count = (fieldWeight: number) => (p: number, frequency: number) => {
      if (frequencies[p] === 0) touched.push(p);
      frequencies[p]! += fieldWeight * frequency;
    };
    postings.forEachEntry(term, count(textFieldWeight));
    aids.forEachEntry(term, count(1));
    const frequency = index.documentFrequency(term, isPart ? touched.filter(isAsked).length : touched.length);
    documentFrequencies.set(term, frequency);
    const idf = inverseDocumentFrequency(frequency, documents);
    for (const p of touched) {
      scores[p]! += weight * idf * saturate(frequencies[p]!, postings.length(p), averageLength);
      frequencies[p] = 0;
    }
  }
  return { scores, statistics: { documents, averageLength, documentFrequencies } };
}

/** Counts by which the words of a query are weighed: of the memories that are asked, where the index knows them all. */
function measureAsked(
  index: MemoryIndex,
  allowed: IndexQuery['allowed'],
): { readonly documents: number; readonly averageLength: number; readonly isPart: boolean } {
  const { postings, documents } = index;
  const whole = { documents, averageLength: postings.averageLength, isPart: false };
  if (allowed === undefined || !index.isWhole) return whole;
  let [count, length] = [0, 0];
  for (let p = 0; p < index.size; p++) {
    if (!allowed.has(index.rows[p]!)) continue;
    count++;
    length += postings.length(p);
  }
  return count === 0 ? whole : { documents: count, averageLength: length / count, isPart: true };
}
