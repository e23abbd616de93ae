import { topK } from '../index/topK.js';
import type { MemoryIndex } from '../index/memoryIndex.js';

/** What candidates are looked up by. */
export interface SearchKey {
  readonly scopeId: string;
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
}

const maxByTerms = 12;
const maxByEmbedding = 10;

/** An index that has memories of the scope. */
interface ScopedIndex {
  readonly index: MemoryIndex;
  /** Added to the positions of this index, so that the positions of all indexes form one ascending range. */
  readonly positionOffset: number;
  readonly isWanted: (position: number) => boolean;
}

/**
 * Returns the active memories of a scope that a fact is compared with, at most 22: the closest by terms and by embedding. Several indexes give the same result as one index of all their memories.
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
  const matches = new Set(findByTerms(searched, indexes, searchKey.terms));
  for (const it of findByEmbedding(searched, searchKey.vector, relatedCosine)) matches.add(it);

  return searched.flatMap(({ index, positionOffset }) => {
    const belongsToIndex = (it: number): boolean => it >= positionOffset && it < positionOffset + index.size;
    const positions = [...matches].filter(belongsToIndex);
    const cosines = cosinesOf(
      index,
      searchKey.vector,
      positions.map(it => it - positionOffset),
    );
    return positions.map((it, i) => ({
      index,
      row: index.rows[it - positionOffset]!,
      position: it - positionOffset,
      cosine: index.hasVector[it - positionOffset] === 1 ? cosines?.[i] : undefined,
    }));
  });
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
