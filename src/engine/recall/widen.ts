import type { Opposite } from '../model/query.js';
import type { TraceCandidate } from '../model/trace.js';
import type { Opposites } from '../store/store.js';
import type { Searched } from './fuse.js';
import type { Candidate, Ranker } from './rank.js';

export interface Widened {
  /** The answer before it is packed, at most `limit`: best first, and behind each what contradicts it. */
  readonly placed: readonly Candidate[];
  /** What was found no place for: displaced, or beyond the limit; best first. */
  readonly others: readonly Candidate[];
  /** Memory id -> for whose sake it stands where it does. */
  readonly because: ReadonlyMap<string, NonNullable<TraceCandidate['because']>>;
}

/**
 * One hop along the edges of the best: the active memories that contradict one of them come along, whatever the question
 * and the filter, until a person settles it. They take the places of the weakest that nothing contradicts, but never the
 * first.
 */
export function widen(
  ranked: readonly Candidate[],
  limit: number,
  { searched, rank }: { readonly searched: readonly Searched[]; readonly rank: Ranker },
): Widened {
  const best = ranked.slice(0, limit);
  const contradictions = contradictionsOf(
    best,
    searched.map(it => it.opposites),
  );
  if (contradictions.size === 0) return { placed: best, others: ranked.slice(limit), because: new Map() };

  const candidates = new Map(ranked.map(it => [it.hit.memory.id, it]));
  const idOf = (it: Candidate): string => it.hit.memory.id;
  for (const { store, opposites } of searched) {
    for (const [id, memory] of opposites.memories) {
      if (!contradictions.has(id) || candidates.has(id) || memory.status !== 'active') continue;
      candidates.set(id, rank({ store, memory, features: {}, score: 0, relevance: 0 }));
    }
  }
  const withOpposites = (it: Candidate): Candidate => {
    const contradicts = contradictions
      .get(idOf(it))
      ?.filter(({ id }) => isActive(candidates.get(id)))
      .map(opposite => ({ ...opposite, newer: isNewer(opposite, candidates.get(opposite.id)!, it) }))
      .sort((a, b) => b.certainty - a.certainty || Number(b.newer) - Number(a.newer));
    return contradicts === undefined || contradicts.length === 0 ? it : { ...it, hit: { ...it.hit, contradicts } };
  };

  const placed = new Map<string, Candidate>();
  const because = new Map<string, NonNullable<TraceCandidate['because']>>();
  for (const hit of best.map(withOpposites)) {
    if (!placed.has(idOf(hit))) placed.set(idOf(hit), hit);
    for (const { id, reason } of hit.hit.contradicts ?? []) {
      if (placed.has(id)) continue;
      const opposite = withOpposites(candidates.get(id)!);
      const { relevance } = opposite.factors;
      placed.set(id, relevance > 0 ? opposite : { ...opposite, hit: { ...opposite.hit, broughtBy: idOf(hit) } });
      because.set(id, { contradicts: idOf(hit), reason });
    }
  }
  const kept = trimmed([...placed.values()], limit);
  const places = new Set(kept.map(idOf));
  const all = [...candidates.values()].map(it => placed.get(idOf(it)) ?? it);
  return { placed: kept, others: all.filter(it => !places.has(idOf(it))), because };
}

/** The one told later, or of a later time; of the same time the one stored later. */
function isNewer(opposite: Opposite, { hit: its }: Candidate, { hit: than }: Candidate): boolean {
  const [one, other] = [its.memory.reinforcedAt, than.memory.reinforcedAt];
  return one === other ? opposite.newer : one > other;
}

/** Memory id -> what contradicts it: of each of the best, and from the other end of each of these. */
function contradictionsOf(
  best: readonly Candidate[],
  found: readonly Opposites[],
): ReadonlyMap<string, readonly Opposite[]> {
  const contradictions = new Map<string, Opposite[]>();
  const add = (of: string, opposite: Opposite): void => {
    const its = contradictions.get(of) ?? [];
    contradictions.set(of, its);
    if (!its.some(it => it.id === opposite.id)) its.push(opposite);
  };
  for (const { hit } of best) {
    const { id } = hit.memory;
    for (const it of found.flatMap(its => its.of.get(id) ?? [])) {
      add(id, it);
      add(it.id, { ...it, id, newer: !it.newer });
    }
  }
  return contradictions;
}

/** Takes out the weakest that nothing contradicts, but never the first; where none is left, the last. */
function trimmed(placed: readonly Candidate[], limit: number): readonly Candidate[] {
  const plain = placed.filter((it, i) => i > 0 && it.hit.contradicts === undefined);
  const displaced = new Set(plain.slice(Math.max(0, plain.length - Math.max(0, placed.length - limit))));
  return placed.filter(it => !displaced.has(it)).slice(0, limit);
}

/** What a person or a machine put away contradicts nobody any more. */
function isActive(candidate: Candidate | undefined): boolean {
  return candidate?.hit.memory.status === 'active';
}
