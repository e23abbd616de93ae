import { compareMarks, isDecided } from '../model/edge.js';
import type { Memory } from '../model/memory.js';
import type { ContradictingMemory, Hit, Outdating } from '../model/query.js';
import type { TraceCandidate } from '../model/trace.js';
import type { Contradictions } from '../store/store.js';

/** A memory that may be in an answer. */
export interface Candidate {
  readonly hit: Hit;
  /** Probability that it answers the question, 0-1. */
  readonly relevance: { readonly probability: number };
}

/** Statements about pairs of memories of one store, and the function that makes a candidate of a memory that only they name. */
export interface ContradictionSource<T extends Candidate> {
  readonly contradictions: Contradictions;
  readonly toCandidate: (memory: Memory) => T;
}

export interface CurrentMemories<T extends Candidate> {
  /** The answer before the relevance cut, at most `limit`, best first. */
  readonly kept: readonly T[];
  /** Beyond the limit, or outdated by what is kept; best first. */
  readonly dropped: readonly T[];
  /** Memory id -> the candidate it was placed next to. */
  readonly reasons: ReadonlyMap<string, NonNullable<TraceCandidate['because']>>;
}

/** A hit in the making. */
interface Place<T extends Candidate> {
  readonly candidate: T;
  readonly before: T[];
  outdating?: Outdating;
  /** Of the most probable of what it is and what it stands in for. */
  relevance: T['relevance'];
}

/** One step from a memory to what replaces it. */
interface Successor<T> {
  readonly memory: T;
  readonly outdating: Outdating;
  readonly mark: ContradictingMemory['mark'];
}

/**
 * Puts what is current first. A note that something replaces, by a person's or a model's word, gives its place to the
 * replacement and stays below it as `before`. What a person confirmed or pinned follows the replacement as a hit of its own
 * that says that a conflict is open.
 */
export function placeCurrent<T extends Candidate>(
  ranked: readonly T[],
  limit: number,
  sources: readonly ContradictionSource<T>[],
): CurrentMemories<T> {
  const contradictions = collectContradictions(sources.map(it => it.contradictions));
  if (contradictions.size === 0)
    return { kept: ranked.slice(0, limit), dropped: ranked.slice(limit), reasons: new Map() };
  const candidates = addNamedCandidates(ranked, sources);
  const links: Links<T> = { candidates, contradictions };
  const foundIds = new Set(ranked.map(idOf));
  const placed = new Map<string, Place<T>>();
  const reasons = new Map<string, NonNullable<TraceCandidate['because']>>();
  for (const found of ranked) {
    const chain = [found];
    let step = successorOf(found, links);
    const first = step?.outdating;
    const saysSame = step?.mark.isSame === true;
    while (step !== undefined && !chain.includes(step.memory)) {
      chain.unshift(step.memory);
      step = successorOf(step.memory, links);
    }
    const [newest, ...older] = chain;
    const isNew = !placed.has(idOf(newest!));
    if (isNew && placed.size >= limit) continue;
    const place = placed.get(idOf(newest!)) ?? newPlace(newest!);
    if (found.relevance.probability > place.relevance.probability) place.relevance = found.relevance;
    if (isNew) {
      placed.set(idOf(newest!), place);
      if (first !== undefined) reasons.set(idOf(newest!), { contradicts: idOf(found), reason: first.reason });
    }
    if (first === undefined) continue;
    // Only what the search found is worth a line below its replacement.
    if (!isDecided(found.hit.memory, first.by)) {
      if (!placed.has(idOf(found))) placed.set(idOf(found), { ...newPlace(found), outdating: first });
      place.outdating ??= { ...first, id: idOf(found), isNewer: true };
      reasons.set(idOf(found), { contradicts: idOf(newest!), reason: first.reason });
    } else if (!saysSame && older.includes(found) && !place.before.includes(found)) place.before.push(found);
  }
  const broughtBy = (it: T): Pick<Hit, 'broughtBy'> => {
    const because = reasons.get(idOf(it));
    return foundIds.has(idOf(it)) || because === undefined ? {} : { broughtBy: because.contradicts };
  };
  const kept = Array.from(placed.values(), ({ candidate, before, outdating, relevance }) => ({
    ...candidate,
    relevance,
    hit: withLinks(
      { ...candidate.hit, probability: relevance.probability, ...broughtBy(candidate) },
      before,
      outdating,
      openContradictionsOf(candidate, links),
    ),
  })).slice(0, limit);
  const keptIds = new Set(kept.map(idOf));
  return { kept, dropped: [...candidates.values()].filter(it => !keptIds.has(idOf(it))), reasons };
}

function newPlace<T extends Candidate>(candidate: T): Place<T> {
  return { candidate, before: [], relevance: candidate.relevance };
}

/** Statements about pairs of memories, by the id of either one, and the candidates that they name. */
interface Links<T extends Candidate> {
  readonly candidates: ReadonlyMap<string, T>;
  readonly contradictions: ReadonlyMap<string, readonly ContradictingMemory[]>;
}

/** The candidates by id, with active memories that only a statement about them names. */
function addNamedCandidates<T extends Candidate>(
  ranked: readonly T[],
  sources: readonly ContradictionSource<T>[],
): ReadonlyMap<string, T> {
  const candidates = new Map(ranked.map(it => [idOf(it), it]));
  for (const { contradictions: found, toCandidate } of sources) {
    for (const [id, memory] of found.memories) {
      if (candidates.has(id) || memory.status !== 'active') continue;
      candidates.set(id, toCandidate(memory));
    }
  }
  return candidates;
}

/** The active memory that replaces one, by the statement that counts most. */
function successorOf<T extends Candidate>(it: T, { candidates, contradictions }: Links<T>): Successor<T> | undefined {
  if (it.hit.memory.status !== 'active') return undefined;
  return (contradictions.get(idOf(it)) ?? [])
    .flatMap(link => {
      const memory = candidates.get(link.id);
      if (memory?.hit.memory.status !== 'active' || link.mark.outdated !== 'this') return [];
      const { id, reason, mark } = link;
      return [{ outdating: { id, reason, by: mark.by, isNewer: false }, mark, memory }];
    })
    .sort((a, b) => compareMarks(b.mark, a.mark) || compareByAge(b.memory, a.memory))[0];
}

/** Its open contradictions with active memories, the most certain first, ordered by when each was last asserted. */
function openContradictionsOf<T extends Candidate>(
  it: T,
  { candidates, contradictions }: Links<T>,
): readonly ContradictingMemory[] {
  return (contradictions.get(idOf(it)) ?? [])
    .flatMap(link => {
      const other = candidates.get(link.id);
      if (other?.hit.memory.status !== 'active') return [];
      const age = compareByAge(other, it);
      return [{ ...link, newer: age === 0 ? link.newer : age > 0 }];
    })
    .sort((a, b) => b.certainty - a.certainty || Number(b.newer) - Number(a.newer));
}

function withLinks(
  hit: Hit,
  before: readonly Candidate[],
  outdating: Outdating | undefined,
  contradicts: readonly ContradictingMemory[],
): Hit {
  return {
    ...hit,
    ...(before.length === 0 ? {} : { before: [...before].sort((a, b) => compareByAge(b, a)).map(it => it.hit.memory) }),
    ...(outdating === undefined ? {} : { outdating }),
    ...(contradicts.length === 0 ? {} : { contradicts }),
  };
}

/** Older first: by the time it was last asserted. */
function compareByAge({ hit: a }: Candidate, { hit: b }: Candidate): number {
  const [first, second] = [a.memory.reinforcedAt, b.memory.reinforcedAt];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Memory id -> what was stated about it and another one, seen from both ends: of each pair the statement that stands. */
function collectContradictions(found: readonly Contradictions[]): ReadonlyMap<string, readonly ContradictingMemory[]> {
  const contradictions = new Map<string, ContradictingMemory[]>();
  const add = (id: string, link: ContradictingMemory): void => {
    const links = contradictions.get(id) ?? [];
    contradictions.set(id, links);
    const known = links.findIndex(it => it.id === link.id);
    if (known < 0) links.push(link);
    else if (compareMarks(links[known]!.mark, link.mark) < 0) links[known] = link;
  };
  for (const { byMemoryId } of found) {
    for (const [id, links] of byMemoryId) {
      for (const link of links) {
        add(id, link);
        add(link.id, {
          ...link,
          id,
          newer: !link.newer,
          mark: { ...link.mark, outdated: link.mark.outdated === 'this' ? 'other' : 'this' },
        });
      }
    }
  }
  return contradictions;
}

function idOf(it: Candidate): string {
  return it.hit.memory.id;
}
