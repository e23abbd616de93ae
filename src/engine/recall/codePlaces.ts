import type { Memory } from '../model/memory.js';
import type { RankedMemory } from './rank.js';
import type { RecallQuery } from './recallQuery.js';

/** For each better piece of the same file; chosen on questions to six repositories. */
const sameFileWeight = 0.5;

/** Looks up stored descriptions of code. */
export type FindDescriptions = (
  codes: readonly RankedMemory[],
) => Promise<ReadonlyMap<string, (code: RankedMemory) => RankedMemory>>;

/** Candidates with one place for each piece of code. */
export interface CodePlaces {
  readonly ranked: readonly RankedMemory[];
  /** Code whose description has the place of both. */
  readonly merged: readonly RankedMemory[];
}

/** The active descriptions of code, each ranked as its code. */
export async function findDescriptions(
  codes: readonly RankedMemory[],
  { statuses }: RecallQuery['filter'],
): Promise<ReadonlyMap<string, (code: RankedMemory) => RankedMemory>> {
  const found = new Map<string, (code: RankedMemory) => RankedMemory>();
  for (const store of new Set(codes.map(it => it.store))) {
    const edges = await store.edgesInSets(
      codes.filter(it => it.store === store).map(it => it.hit.memory.id),
      ['source_of'],
    );
    const descriptions = new Map((await store.get(edges.map(it => it.source))).map(it => [it.id, it]));
    for (const { source, target } of edges) {
      const memory = descriptions.get(source);
      if (memory?.kind !== 'code-description' || statuses?.includes(memory.status) === false) continue;
      found.set(target, code => ({ ...code, hit: { ...code.hit, memory } }));
    }
  }
  return found;
}

/**
 * Gives a piece of code and its description one place, the better of both, with the description as the hit: it is short,
 * and names the code. Further pieces of the same file come behind. What a person confirmed or pinned keeps its own place.
 * @param ranked best first
 * @param limit places that can be returned: only for those are missing descriptions looked up
 */
export async function mergeCodePlaces(
  ranked: readonly RankedMemory[],
  limit: number,
  findDescriptions: FindDescriptions,
): Promise<CodePlaces> {
  const places = new Map<string, { first: RankedMemory; description: RankedMemory | undefined }>();
  const order: (RankedMemory | string)[] = [];
  const merged: RankedMemory[] = [];
  for (const it of ranked) {
    const key = placeKey(it.hit.memory);
    const place = key === undefined ? undefined : places.get(key);
    if (key === undefined) order.push(it);
    else if (place === undefined) {
      places.set(key, { first: it, description: isDescription(it) ? it : undefined });
      order.push(key);
    } else if (isDescription(it) && place.description === undefined) {
      merged.push(place.first);
      place.description = it;
    } else if (!isDescription(it) && place.description !== undefined) merged.push(it);
    else order.push(it);
  }
  const shown = order.slice(0, limit).flatMap(it => (typeof it === 'string' ? [places.get(it)!] : []));
  const lonely = shown.filter(it => it.description === undefined);
  const found = lonely.length === 0 ? undefined : await findDescriptions(lonely.map(it => it.first));
  for (const place of lonely) {
    const toDescription = found?.get(place.first.hit.memory.id);
    if (toDescription === undefined) continue;
    place.description = toDescription(place.first);
    merged.push(place.first);
  }
  const result = order.map(it => {
    if (typeof it !== 'string') return it;
    const { first, description = first } = places.get(it)!;
    return description === first ? first : withPlaceOf(description, first);
  });
  return { ranked: spreadOverFiles(result), merged };
}

/**
 * Places several pieces of one file behind the best of other files: who asks where something is done is helped more by
 * three files than by three lines of one.
 */
function spreadOverFiles(ranked: readonly RankedMemory[]): readonly RankedMemory[] {
  const countByFile = new Map<string, number>();
  const further: { readonly it: RankedMemory; readonly rank: number }[] = [];
  const others = ranked.filter(it => {
    const { rank, memory } = it.hit;
    const { uri } = memory.provenance;
    if (uri === undefined || placeKey(memory) === undefined) return true;
    const count = countByFile.get(uri) ?? 0;
    countByFile.set(uri, count + 1);
    if (count > 0) further.push({ it, rank: rank * sameFileWeight ** count });
    return count === 0;
  });
  further.sort((a, b) => b.rank - a.rank);
  // The others keep their order, which the rank alone does not decide.
  const spread = others.flatMap(it => {
    const before = further.findIndex(({ rank }) => rank <= it.hit.rank);
    return [...further.splice(0, before < 0 ? further.length : before).map(one => one.it), it];
  });
  return [...spread, ...further.map(one => one.it)];
}

function withPlaceOf(description: RankedMemory, first: RankedMemory): RankedMemory {
  const { factors, relevance, wording, hasEveryWord, hit } = first;
  const { rank, probability } = hit;
  return {
    ...description,
    factors,
    relevance,
    wording,
    hasEveryWord,
    hit: { ...description.hit, rank, ...(probability === undefined ? {} : { probability }) },
  };
}

function isDescription({ hit: { memory } }: RankedMemory): boolean {
  return memory.kind === 'code-description';
}

/** Key that a description and its code share; undefined for other memories. */
function placeKey({ kind, lane, pinned, provenance, store }: Memory): string | undefined {
  const { source, uri, symbol = '', range } = provenance;
  const isIndexed = source === 'code-index' && (kind === 'code' || kind === 'code-description');
  if (!isIndexed || lane === 'confirmed' || pinned || uri === undefined) return undefined;
  return `${store} ${uri} ${symbol} ${range?.startLine ?? ''}`;
}
