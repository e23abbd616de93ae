import type { Opposite } from '../model/query.js';
import type { TraceCandidate } from '../model/trace.js';
import type { Store } from '../store/store.js';
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
 * first. One query per store where the search did not find them all.
 */
export async function widen(ranked: readonly Candidate[], limit: number, rank: Ranker): Promise<Widened> {
  const best = ranked.slice(0, limit);
  const contradictions = contradictionsOf(best);
  if (contradictions.size === 0) return { placed: best, others: ranked.slice(limit), because: new Map() };

  const candidates = new Map(ranked.map(it => [it.hit.memory.id, it]));
  const idOf = (it: Candidate): string => it.hit.memory.id;
  for (const it of await fetched(best, contradictions, candidates, rank)) candidates.set(idOf(it), it);
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
function contradictionsOf(best: readonly Candidate[]): ReadonlyMap<string, readonly Opposite[]> {
  const found = new Map<string, Opposite[]>();
  const add = (of: string, opposite: Opposite): void => {
    const its = found.get(of) ?? [];
    found.set(of, its);
    if (!its.some(it => it.id === opposite.id)) its.push(opposite);
  };
  for (const { hit, opposites } of best) {
    const { id } = hit.memory;
    for (const it of opposites) {
      add(id, it);
      add(it.id, { ...it, id, newer: !it.newer });
    }
  }
  return found;
}

/** The memories at the other ends that the search did not find. */
async function fetched(
  best: readonly Candidate[],
  contradictions: ReadonlyMap<string, readonly Opposite[]>,
  known: ReadonlyMap<string, Candidate>,
  rank: Ranker,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const [store, ids] of byStore(best)) {
    const missing = ids.flatMap(it => contradictions.get(it) ?? []).filter(it => !known.has(it.id));
    if (missing.length === 0) continue;
    for (const memory of await store.get(missing.map(it => it.id))) {
      if (memory.status === 'active')
        found.push(rank({ store, memory, contradicts: [], features: {}, score: 0, relevance: 0 }));
    }
  }
  return found;
}

/** Takes out the weakest that nothing contradicts, but never the first; where none is left, the last. */
function trimmed(placed: readonly Candidate[], limit: number): readonly Candidate[] {
  const plain = placed.filter((it, i) => i > 0 && it.hit.contradicts === undefined);
  const displaced = new Set(plain.slice(Math.max(0, plain.length - Math.max(0, placed.length - limit))));
  return placed.filter(it => !displaced.has(it)).slice(0, limit);
}

function byStore(candidates: readonly Candidate[]): ReadonlyMap<Store, readonly string[]> {
  const ids = new Map<Store, string[]>();
  for (const { store, hit } of candidates) ids.set(store, [...(ids.get(store) ?? []), hit.memory.id]);
  return ids;
}

/** What a person or a machine put away contradicts nobody any more. */
function isActive(candidate: Candidate | undefined): boolean {
  return candidate?.hit.memory.status === 'active';
}
