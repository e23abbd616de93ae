import { topK } from '../index/topK.js';
import type { MemoryIndex } from '../index/memoryIndex.js';

/** What candidates are looked up by. */
export interface SearchKey {
  readonly scopeId: string;
  readonly topicKeys: readonly string[];
  readonly terms: readonly string[];
  /** int8 components of the embedding. */
  readonly vector: Int8Array | undefined;
}

export interface NeighborCandidate {
  /** The index that holds the memory. */
  readonly index: MemoryIndex;
  readonly row: number;
  readonly position: number;
  /** -1 to 1; undefined where either side has no vector. */
  readonly cosine: number | undefined;
  /** Shares neither a topic key nor a rare term with the search key. */
  readonly isEmbeddingOnly: boolean;
}

/** Candidates that share one topic key. */
const maxPerTopic = 12;
const maxByTopic = 16;
const maxByTerms = 6;
const maxByEmbedding = 3;

/** An index that has memories of the scope. */
interface ScopedIndex {
  readonly index: MemoryIndex;
  /** Added to the positions of this index, so that the positions of all indexes form one ascending range. */
  readonly positionOffset: number;
  readonly isWanted: (position: number) => boolean;
}

/**
 * Returns the active memories of a scope that a fact must be compared with, at most 25: those that share most topic keys,
 * and the closest by terms and by embedding. Several indexes give the same result as one index of all their memories.
 * @param indexes from the oldest to the newest: the stored memories, then the earlier facts of a batch
 * @param relatedCosine minimum cosine of candidates by embedding; undefined skips the search by embedding, whose time
 * grows with the number of memories
 */
export function findCandidates(
  indexes: readonly MemoryIndex[],
  searchKey: SearchKey,
  relatedCosine: number | undefined,
): NeighborCandidate[] {
  const searched: ScopedIndex[] = [];
  let positionOffset = 0;
  for (const index of indexes) {
    const scope = index.scopeNumber(searchKey.scopeId);
    const isWanted = (p: number): boolean => index.active[p] === 1 && index.scope[p] === scope;
    if (scope !== undefined) searched.push({ index, positionOffset, isWanted });
    positionOffset += index.size;
  }
  const lexicalMatches = new Set(findByTopic(searched, searchKey.topicKeys));
  for (const it of findByTerms(searched, indexes, searchKey.terms)) lexicalMatches.add(it);
  const embeddingMatches = new Set<number>();
  for (const it of findByEmbedding(searched, searchKey.vector, relatedCosine))
    if (!lexicalMatches.has(it)) embeddingMatches.add(it);

  return searched.flatMap(({ index, positionOffset }) => {
    const belongsToIndex = (it: number): boolean => it >= positionOffset && it < positionOffset + index.size;
    const positions = [...lexicalMatches, ...embeddingMatches].filter(belongsToIndex);
    const cosines = cosinesOf(
      index,
      searchKey.vector,
      positions.map(it => it - positionOffset),
    );
    return positions.map((it, i) => ({
      index,
      row: index.rows[it - positionOffset]!,
      position: it - positionOffset,
      isEmbeddingOnly: embeddingMatches.has(it),
      cosine: index.hasVector[it - positionOffset] === 1 ? cosines?.[i] : undefined,
    }));
  });
}

/** Positions by the number of shared topic keys, then newest first. */
function findByTopic(searched: readonly ScopedIndex[], keys: readonly string[]): number[] {
  const shared = new Map<number, number>();
  for (const key of keys) {
    let remaining = maxPerTopic;
    for (let i = searched.length - 1; i >= 0 && remaining > 0; i--) {
      const { index, positionOffset, isWanted } = searched[i]!;
      const positions = index.topics.find(key, remaining, isWanted);
      for (const p of positions) shared.set(p + positionOffset, (shared.get(p + positionOffset) ?? 0) + 1);
      remaining -= positions.length;
    }
  }
  return [...shared]
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, maxByTopic)
    .map(([it]) => it);
}

/**
 * Positions by the rare terms they share, best first, then newest first.
 * @param indexes all indexes: document frequencies count memories of other scopes too
 */
function findByTerms(
  searched: readonly ScopedIndex[],
  indexes: readonly MemoryIndex[],
  terms: readonly string[],
): number[] {
  const found = searched.flatMap(({ index, positionOffset, isWanted }) => {
    const otherIndexes = indexes.filter(it => it !== index).map(it => it.postings);
    return index.postings
      .moreLikeThis(terms, maxByTerms, isWanted, otherIndexes)
      .map(({ position, score }) => ({ position: position + positionOffset, score }));
  });
  return found
    .sort((a, b) => b.score - a.score || b.position - a.position)
    .slice(0, maxByTerms)
    .map(it => it.position);
}

/** Positions by cosine, best first, then newest first. */
function findByEmbedding(
  searched: readonly ScopedIndex[],
  vector: Int8Array | undefined,
  relatedCosine: number | undefined,
): number[] {
  if (vector === undefined || relatedCosine === undefined) return [];
  const found = searched.flatMap(({ index: { vectors }, positionOffset, isWanted }) => {
    if (vectors === undefined) return [];
    const prefiltered = filterInPlace(vectors.prefilterBySignBits(vector, relatedCosine), isWanted);
    const cosines = vectors.cosines(vector, prefiltered);
    return topK(cosines, maxByEmbedding, i => cosines[i]! >= relatedCosine).map(i => {
      return { position: prefiltered[i]! + positionOffset, cosine: cosines[i]! };
    });
  });
  return found
    .sort((a, b) => b.cosine - a.cosine || b.position - a.position)
    .slice(0, maxByEmbedding)
    .map(it => it.position);
}

function filterInPlace(positions: Uint32Array, isWanted: (position: number) => boolean): Uint32Array {
  let count = 0;
  for (const it of positions) if (isWanted(it)) positions[count++] = it;
  return positions.subarray(0, count);
}

function cosinesOf(
  { vectors }: MemoryIndex,
  vector: Int8Array | undefined,
  positions: readonly number[],
): Float32Array | undefined {
  return vector === undefined ? undefined : vectors?.cosines(vector, positions);
}
