import { highest } from './highest.js';
import type { MemoryIndex } from './memoryIndex.js';

/** What the nearest memories are looked for by. */
export interface Place {
  readonly scopeId: string;
  readonly subjectKeys: readonly string[];
  readonly terms: readonly string[];
  /** int8 components of its embedding. */
  readonly vector: Int8Array | undefined;
}

export interface Neighbour {
  /** The one of the indexes that knows it. */
  readonly index: MemoryIndex;
  readonly row: number;
  /** Where the index has it. */
  readonly position: number;
  /** -1 to 1; undefined where one of them has no vector. */
  readonly cosine: number | undefined;
  /** It shares neither a key nor a rare word with the fact: related at most. */
  readonly isByMeaning: boolean;
}

/** Memories that share a key: of each key, and in all. */
const perKey = 12;
const byKeys = 16;
const closestByWords = 6;
const closestByMeaning = 3;

/** One of the indexes, as far as a place is concerned. */
interface Searched {
  readonly index: MemoryIndex;
  /** What is added to its positions, so that those of all indexes are one row of numbers, the newest last. */
  readonly offset: number;
  readonly isWanted: (position: number) => boolean;
}

/**
 * The active memories of a scopeId that a fact must be compared with: those that speak of the same, most keys shared and
 * newest first, and the closest by words and by meaning. At most 25, as if all indexes were one.
 * @param indexes from the oldest to the newest: what is stored, and what a call has told
 * @param relatedCosine which the closest by meaning have at least; undefined leaves them out, for their search takes longer
 * the more memories there are
 */
export function nearest(indexes: readonly MemoryIndex[], place: Place, relatedCosine: number | undefined): Neighbour[] {
  const searched: Searched[] = [];
  let offset = 0;
  for (const index of indexes) {
    const scope = index.scopeNumber(place.scopeId);
    const isWanted = (p: number): boolean => index.active[p] === 1 && index.scope[p] === scope;
    if (scope !== undefined) searched.push({ index, offset, isWanted });
    offset += index.size;
  }
  const found = new Set(sharingKeys(searched, place.subjectKeys));
  for (const it of closest(searched, indexes, place.terms)) found.add(it);
  const byMeaning = new Set<number>();
  for (const it of meaningAlike(searched, place.vector, relatedCosine)) if (!found.has(it)) byMeaning.add(it);

  return searched.flatMap(({ index, offset }) => {
    const isOfIt = (it: number): boolean => it >= offset && it < offset + index.size;
    const its = [...found, ...byMeaning].filter(isOfIt);
    const cosines = cosinesOf(
      index,
      place.vector,
      its.map(it => it - offset),
    );
    return its.map((it, i) => ({
      index,
      row: index.rows[it - offset]!,
      position: it - offset,
      isByMeaning: byMeaning.has(it),
      cosine: index.hasVector[it - offset] === 1 ? cosines?.[i] : undefined,
    }));
  });
}

/** Those that share most keys, the newest first. */
function sharingKeys(searched: readonly Searched[], keys: readonly string[]): number[] {
  const shared = new Map<number, number>();
  for (const key of keys) {
    let left = perKey;
    for (let i = searched.length - 1; i >= 0 && left > 0; i--) {
      const { index, offset, isWanted } = searched[i]!;
      const positions = index.subjects.find(key, left, isWanted);
      for (const p of positions) shared.set(p + offset, (shared.get(p + offset) ?? 0) + 1);
      left -= positions.length;
    }
  }
  return [...shared]
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, byKeys)
    .map(([it]) => it);
}

/**
 * Those that share the rarest words, the closest first, of equals the newer.
 * @param indexes all of them: what words are rare is told over other scopes too
 */
function closest(searched: readonly Searched[], indexes: readonly MemoryIndex[], terms: readonly string[]): number[] {
  const found = searched.flatMap(({ index, offset, isWanted }) => {
    const others = indexes.filter(it => it !== index).map(it => it.postings);
    return index.postings
      .closest(terms, closestByWords, isWanted, others)
      .map(({ position, score }) => ({ position: position + offset, score }));
  });
  return found
    .sort((a, b) => b.score - a.score || b.position - a.position)
    .slice(0, closestByWords)
    .map(it => it.position);
}

/** Those whose vectors are nearest and near enough, the nearest first, of equals the newer. */
function meaningAlike(
  searched: readonly Searched[],
  vector: Int8Array | undefined,
  relatedCosine: number | undefined,
): number[] {
  if (vector === undefined || relatedCosine === undefined) return [];
  const found = searched.flatMap(({ index: { vectors }, offset, isWanted }) => {
    if (vectors === undefined) return [];
    const may = onlyWanted(vectors.alike(vector, relatedCosine), isWanted);
    const cosines = vectors.cosines(vector, may);
    return highest(cosines, closestByMeaning, i => cosines[i]! >= relatedCosine).map(i => {
      return { position: may[i]! + offset, cosine: cosines[i]! };
    });
  });
  return found
    .sort((a, b) => b.cosine - a.cosine || b.position - a.position)
    .slice(0, closestByMeaning)
    .map(it => it.position);
}

/** Those of the positions that are wanted, in the place of all of them. */
function onlyWanted(positions: Uint32Array, isWanted: (position: number) => boolean): Uint32Array {
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
