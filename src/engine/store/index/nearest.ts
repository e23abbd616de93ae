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
  readonly row: number;
  /** -1 to 1; undefined where one of them has no vector. */
  readonly cosine: number | undefined;
  /** It shares neither a key nor a rare word with the fact: similar at most. */
  readonly isByMeaning: boolean;
}

/** Memories that share a key: of each key, and in all. */
const perKey = 12;
const byKeys = 16;
const closestByWords = 6;
const closestByMeaning = 3;
/** A scan takes a memory's vector in a thirtieth of the time that it takes by itself. */
const fewShare = 1 / 32;

/**
 * The active memories of a scopeId that a fact must be compared with: those that speak of the same, most keys shared and
 * newest first, and the closest by words and by meaning. At most 25.
 * @param scansVectors false leaves out the closest by meaning, whose search takes longer the more memories there are
 */
export function nearest(index: MemoryIndex, place: Place, scansVectors: boolean): Neighbour[] {
  const scope = index.scopeNumber(place.scopeId);
  if (scope === undefined) return [];
  const isWanted = (p: number): boolean => index.active[p] === 1 && index.scope[p] === scope;

  const sharing = new Map<number, number>();
  for (const key of place.subjectKeys) {
    for (const p of index.subjects.find(key, perKey, isWanted)) sharing.set(p, (sharing.get(p) ?? 0) + 1);
  }
  const keyed = [...sharing].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, byKeys);
  const found = new Set(keyed.map(([p]) => p));
  for (const p of index.postings.closest(place.terms, closestByWords, isWanted)) found.add(p);

  const { vector } = place;
  const { vectors } = index;
  if (vector === undefined || vectors === undefined) {
    return Array.from(found, p => ({ row: index.rows[p]!, cosine: undefined, isByMeaning: false }));
  }
  const byMeaning = new Set<number>();
  if (scansVectors) {
    const few = fewWanted(index, isWanted);
    const cosines = few === undefined ? vectors.scan(vector) : index.workspace.zeros('cosines', index.size);
    if (few !== undefined) vectors.cosines(vector, few).forEach((cosine, i) => (cosines[few[i]!] = cosine));
    for (const p of highest(cosines, closestByMeaning, isWanted, few)) if (!found.has(p)) byMeaning.add(p);
  }
  const all = [...found, ...byMeaning];
  const cosines = vectors.cosines(vector, all);
  return all.map((p, i) => ({
    row: index.rows[p]!,
    isByMeaning: byMeaning.has(p),
    cosine: index.hasVector[p] === 1 ? cosines[i] : undefined,
  }));
}

/** The wanted positions, where comparing each by itself takes less than scanning all there are. */
function fewWanted(index: MemoryIndex, isWanted: (position: number) => boolean): number[] | undefined {
  const most = index.size * fewShare;
  const few: number[] = [];
  for (let p = 0; p < index.size; p++) if (isWanted(p) && few.push(p) > most) return undefined;
  return few;
}
