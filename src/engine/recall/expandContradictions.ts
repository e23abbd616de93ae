import type { ContradictingMemory } from '../model/query.js';
import type { TraceCandidate } from '../model/trace.js';
import type { Contradictions } from '../store/store.js';
import type { StoreSearchResult } from './mergeResults.js';
import type { RankedMemory, Ranker } from './rank.js';

export interface ExpandedResult {
  /** The answer before it is packed, at most `limit`: best first, and behind each what contradicts it. */
  readonly kept: readonly RankedMemory[];
  /** What was found no place for: displaced, or beyond the limit; best first. */
  readonly dropped: readonly RankedMemory[];
  /** Memory id -> for whose sake it stands where it does. */
  readonly reasons: ReadonlyMap<string, NonNullable<TraceCandidate['because']>>;
}

/**
 * One hop along the edges of the best: the active memories that contradict one of them come along, whatever the question
 * and the filter, until a person settles it. They take the places of the weakest that nothing contradicts, but never the
 * first.
 */
export function expandContradictions(
  ranked: readonly RankedMemory[],
  limit: number,
  { storeResults, rank }: { readonly storeResults: readonly StoreSearchResult[]; readonly rank: Ranker },
): ExpandedResult {
  const best = ranked.slice(0, limit);
  const contradictions = collectContradictions(
    best,
    storeResults.map(it => it.contradictions),
  );
  if (contradictions.size === 0) return { kept: best, dropped: ranked.slice(limit), reasons: new Map() };

  const candidates = new Map(ranked.map(it => [it.hit.memory.id, it]));
  const idOf = (it: RankedMemory): string => it.hit.memory.id;
  for (const { store, contradictions: opposites } of storeResults) {
    for (const [id, memory] of opposites.memories) {
      if (!contradictions.has(id) || candidates.has(id) || memory.status !== 'active') continue;
      candidates.set(id, rank({ store, memory, features: {}, score: 0, relevance: 0 }));
    }
  }
  const withContradictions = (it: RankedMemory): RankedMemory => {
    const contradicts = contradictions
      .get(idOf(it))
      ?.filter(({ id }) => isActive(candidates.get(id)))
      .map(contradicting => ({
        ...contradicting,
        newer: isNewer(contradicting, candidates.get(contradicting.id)!, it),
      }))
      .sort((a, b) => b.certainty - a.certainty || Number(b.newer) - Number(a.newer));
    return contradicts === undefined || contradicts.length === 0 ? it : { ...it, hit: { ...it.hit, contradicts } };
  };

  const expanded = new Map<string, RankedMemory>();
  const reasons = new Map<string, NonNullable<TraceCandidate['because']>>();
  for (const hit of best.map(withContradictions)) {
    if (!expanded.has(idOf(hit))) expanded.set(idOf(hit), hit);
    for (const { id, reason } of hit.hit.contradicts ?? []) {
      if (expanded.has(id)) continue;
      const contradicting = withContradictions(candidates.get(id)!);
      const { relevance } = contradicting.factors;
      expanded.set(
        id,
        relevance > 0 ? contradicting : { ...contradicting, hit: { ...contradicting.hit, broughtBy: idOf(hit) } },
      );
      reasons.set(id, { contradicts: idOf(hit), reason });
    }
  }
  const kept = enforceLimit([...expanded.values()], limit);
  const keptIds = new Set(kept.map(idOf));
  const all = [...candidates.values()].map(it => expanded.get(idOf(it)) ?? it);
  return { kept: kept, dropped: all.filter(it => !keptIds.has(idOf(it))), reasons };
}

/** The one told later, or of a later time; of the same time the one stored later. */
function isNewer(
  contradicting: ContradictingMemory,
  { hit: candidateHit }: RankedMemory,
  { hit: otherHit }: RankedMemory,
): boolean {
  const [candidateTime, otherTime] = [candidateHit.memory.reinforcedAt, otherHit.memory.reinforcedAt];
  return candidateTime === otherTime ? contradicting.newer : candidateTime > otherTime;
}

/** Memory id -> what contradicts it: of each of the best, and from the other end of each of these. */
function collectContradictions(
  best: readonly RankedMemory[],
  contradictionsByStore: readonly Contradictions[],
): ReadonlyMap<string, readonly ContradictingMemory[]> {
  const contradictions = new Map<string, ContradictingMemory[]>();
  const add = (memoryId: string, contradicting: ContradictingMemory): void => {
    const known = contradictions.get(memoryId) ?? [];
    contradictions.set(memoryId, known);
    if (!known.some(it => it.id === contradicting.id)) known.push(contradicting);
  };
  for (const { hit } of best) {
    const { id } = hit.memory;
    for (const it of contradictionsByStore.flatMap(its => its.byMemoryId.get(id) ?? [])) {
      add(id, it);
      add(it.id, { ...it, id, newer: !it.newer });
    }
  }
  return contradictions;
}

/** Takes out the weakest that nothing contradicts, but never the first; where none is left, the last. */
function enforceLimit(candidates: readonly RankedMemory[], limit: number): readonly RankedMemory[] {
  const uncontradicted = candidates.filter((it, i) => i > 0 && it.hit.contradicts === undefined);
  const displaced = new Set(
    uncontradicted.slice(Math.max(0, uncontradicted.length - Math.max(0, candidates.length - limit))),
  );
  return candidates.filter(it => !displaced.has(it)).slice(0, limit);
}

/** What a person or a machine put away contradicts nobody any more. */
function isActive(candidate: RankedMemory | undefined): boolean {
  return candidate?.hit.memory.status === 'active';
}
