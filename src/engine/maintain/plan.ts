import { Turns } from '../base/turns.js';
import type {
  MaintenanceAction,
  MaintenanceDecision,
  MaintenanceInputs,
  MaintenanceProgress,
  TierUse,
} from '../model/maintenance.js';
import type { Memory, Tier } from '../model/memory.js';
import type { RetentionSignals } from '../model/retention.js';
import { effectiveConfidence, isFaded, type DecayInput } from '../scoring/decay.js';
import { GoalMatch } from '../scoring/goalMatch.js';
import { isDerivedFromCode, isExpired, isOpenPromise, isProtected, isPrunable } from '../scoring/keeping.js';
import {
  emotionalWeight,
  predictiveValue,
  recencyFrequency,
  retentionScore,
  scoringVersion,
  type Use,
} from '../scoring/retentionScore.js';
import { tierOf, tiers } from '../scoring/tier.js';
import type { Store } from '../store/store.js';
import { emphasis } from '../text/emphasis.js';
import { terms } from '../text/terms.js';
import { contentTerms, type Basis } from './basis.js';

/** Of those that stay, how many of the lowest scores are told. */
const nextToGoCount = 20;
/** Edges to these say nothing about a memory's own use. */
const opposed: ReadonlySet<string> = new Set(['contradicts', 'supersedes']);
export interface PlanOptions {
  readonly now: Date;
  /** Bytes that quotas have archived within the last day. */
  readonly spent: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MaintenanceProgress) => void;
  /** Resolves when nobody waits for an answer. */
  readonly whenIdle: () => Promise<void>;
}

/** A memory that goes, and what it was like when that was decided. */
export interface Leaving {
  readonly decision: MaintenanceDecision;
  readonly seen: string;
}

/** What a run would do. Made by reading alone. */
export interface Plan {
  readonly inputs: MaintenanceInputs;
  readonly warnings: readonly string[];
  readonly processed: number;
  readonly leaving: Readonly<Record<MaintenanceAction, readonly Leaving[]>>;
  /** By id, those that change. */
  readonly scores: ReadonlyMap<string, number>;
  /** Before any of it is done. */
  readonly tiers: Readonly<Record<Tier, TierUse>>;
  readonly promisesToRevisit: number;
  readonly leftOver: number;
  readonly nextToGo: readonly MaintenanceDecision[];
}

/** A memory that stays unless a quota takes it. */
interface Staying {
  readonly id: string;
  readonly tier: Tier;
  readonly bytes: number;
  readonly effective: number;
  readonly createdAt: string;
  readonly isProtected: boolean;
}

/**
 * Decides what a run over a store would do at `now`: decay, archive, expire, score, quotas, prune, in this order. Reads
 * every memory twice, page by page, since what an open promise makes relevant is known only after the first time.
 * Deterministic: the same store, clock, settings and scoringVersion give the same plan.
 * @returns undefined when it was called off
 */
export async function plan(store: Store, basis: Basis, options: PlanOptions): Promise<Plan | undefined> {
  const survey = await surveyed(store, basis.inputs, options);
  if (survey === undefined) return undefined;
  const scored = await score(store, basis, survey, options);
  if (scored === undefined) return undefined;
  const use = tierUse(survey, basis.inputs);
  const allowance = Math.max(0, basis.inputs.bytesPerRun - options.spent);
  const { taken, leftOver } = overQuota({ order: scored.order, left: survey.left, use, allowance });
  const goes = new Set(taken);
  const { faded, expired, pruned } = survey.leaving;
  return {
    inputs: { ...basis.inputs, promises: survey.promises },
    warnings: basis.warnings,
    processed: survey.processed,
    leaving: {
      faded,
      expired,
      pruned,
      quota: taken.map(it => ({ decision: decisionOf(it), seen: it.seen })),
    },
    scores: scored.changed,
    tiers: use,
    promisesToRevisit: survey.promisesToRevisit,
    leftOver,
    nextToGo: lowest(scored.order, goes).map(decisionOf),
  };
}

function decisionOf({ id, tier, effective, bytes, value, signals }: Scored): MaintenanceDecision {
  return { id, tier, effective, bytes, score: value, signals };
}

/** The first of those that stay. */
function lowest(order: readonly Scored[], goes: ReadonlySet<Scored>): readonly Scored[] {
  const found: Scored[] = [];
  for (const it of order) {
    if (found.length === nextToGoCount) break;
    if (!goes.has(it)) found.push(it);
  }
  return found;
}

interface Survey {
  readonly processed: number;
  readonly leaving: Readonly<Record<'faded' | 'expired' | 'pruned', readonly Leaving[]>>;
  /** By id. */
  readonly staying: ReadonlyMap<string, Staying>;
  /** Bytes of what leaves by fading or expiry. */
  readonly left: Readonly<Record<Tier, number>>;
  /** By id, of every memory that was ever returned or judged and is not about to be deleted. */
  readonly uses: ReadonlyMap<string, Use>;
  /** By scopeId: the words of open promises. */
  readonly promisesOf: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly promises: number;
  readonly promisesToRevisit: number;
}

/** The first reading: what fades, expires and is pruned, and what scores are made of. */
async function surveyed(store: Store, inputs: MaintenanceInputs, options: PlanOptions): Promise<Survey | undefined> {
  const { now } = options;
  const leaving: Record<'faded' | 'expired' | 'pruned', Leaving[]> = { faded: [], expired: [], pruned: [] };
  const staying = new Map<string, Staying>();
  const left: Record<Tier, number> = { 'short-term': 0, 'long-term': 0, permanent: 0 };
  const uses = new Map<string, Use>();
  const promisesOf = new Map<string, (readonly string[])[]>();
  let [processed, promises, promisesToRevisit] = [0, 0, 0];
  const turns = new Turns();
  for await (const page of pagesOf(store, options, 0)) {
    const sizes = await store.sizes(page.map(it => it.id));
    for (const memory of page) {
      if (turns.isOver()) await turns.next();
      processed++;
      const decay: DecayInput = { profile: inputs.profile, centrality: memory.centrality, now };
      const tier = tierOf(memory);
      const bytes = sizes.get(memory.id) ?? 0;
      const effective = effectiveConfidence(memory, decay);
      const leaves = (how: 'faded' | 'expired' | 'pruned'): void => {
        leaving[how].push({ decision: { id: memory.id, tier, effective, bytes }, seen: fingerprint(memory) });
        if (how !== 'pruned') left[tier] += bytes;
      };
      if (isPrunable(memory, now, inputs.pruneAfterDays)) {
        leaves('pruned');
        continue;
      }
      const { accessCount, usefulCount } = memory;
      if (accessCount + usefulCount > 0) uses.set(memory.id, { accessCount, usefulCount });
      if (memory.status !== 'active' || isDerivedFromCode(memory)) continue;
      const isPromise = isOpenPromise(memory);
      const faded = isFaded(memory, decay);
      if (faded && !isPromise) leaves('faded');
      else if (isExpired(memory, now)) leaves('expired');
      else {
        const { id, createdAt, scopeId = '' } = memory;
        staying.set(id, { id, tier, bytes, effective, createdAt, isProtected: isProtected(memory) });
        if (!isPromise) continue;
        promises++;
        if (faded || (memory.dueAt !== undefined && Date.parse(memory.dueAt) <= now.getTime())) promisesToRevisit++;
        pushTo(promisesOf, scopeId, contentTerms(memory.content));
      }
    }
  }
  if (options.signal.aborted) return undefined;
  return { processed, leaving, staying, left, uses, promisesOf, promises, promisesToRevisit };
}

/** A memory that stays, with what it is worth. */
interface Scored extends Staying {
  readonly value: number;
  readonly signals: RetentionSignals;
  readonly seen: string;
}

interface Scores {
  /** By id. */
  readonly changed: ReadonlyMap<string, number>;
  /** Those that a quota may take, the first to go first: lowest score, then oldest. */
  readonly order: readonly Scored[];
}

/** The second reading: the retention score of everything that stays. */
async function score(store: Store, basis: Basis, survey: Survey, options: PlanOptions): Promise<Scores | undefined> {
  const { staying, uses } = survey;
  const scored: Scored[] = [];
  const turns = new Turns();
  const changed = new Map<string, number>();
  const matches = new Map<string, GoalMatch>();
  const matchOf = (scopeId: string): GoalMatch => {
    const known = matches.get(scopeId) ?? new GoalMatch([...basis.goals, ...(survey.promisesOf.get(scopeId) ?? [])]);
    matches.set(scopeId, known);
    return known;
  };
  for await (const page of pagesOf(store, options, survey.processed)) {
    const memories = page.filter(it => staying.has(it.id));
    const around = await neighbours(store, memories, uses);
    for (const memory of memories) {
      if (turns.isOver()) await turns.next();
      const signals: RetentionSignals = {
        relevanceToGoals: relevance(memory, matchOf(memory.scopeId ?? '')),
        emotionalWeight: emotionalWeight(memory, emphasis(memory.content)),
        predictiveValue: predictiveValue(memory, around.get(memory.id) ?? []),
        recencyFrequency: recencyFrequency(memory, options.now),
      };
      const value = retentionScore(signals, basis.inputs.weights);
      const stays = staying.get(memory.id)!;
      if (!stays.isProtected) scored.push({ ...stays, value, signals, seen: fingerprint(memory) });
      if (memory.retentionScore !== value || memory.scoringVersion !== scoringVersion) changed.set(memory.id, value);
    }
  }
  if (options.signal.aborted) return undefined;
  return { changed, order: scored.sort(firstToGo) };
}

function firstToGo(a: Scored, b: Scored): number {
  if (a.value !== b.value) return a.value - b.value;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** By id: how neighbours in the graph were used, with the strength of the edge. */
async function neighbours(
  store: Store,
  memories: readonly Memory[],
  uses: ReadonlyMap<string, Use>,
): Promise<Map<string, (Use & { readonly strength: number })[]>> {
  const wanted = new Set(memories.map(it => it.id));
  const found = new Map<string, (Use & { readonly strength: number })[]>();
  if (uses.size === 0 || wanted.size === 0) return found;
  for (const { source, target, type, strength } of await store.edges([...wanted])) {
    if (opposed.has(type)) continue;
    for (const [id, other] of [
      [source, target],
      [target, source],
    ] as const) {
      const use = uses.get(other);
      if (use !== undefined && wanted.has(id)) pushTo(found, id, { ...use, strength });
    }
  }
  return found;
}

function pushTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function relevance(memory: Memory, match: GoalMatch): number {
  if (isOpenPromise(memory)) return 1; // It is something to be reached itself.
  return match.isEmpty ? 0 : match.relevance(terms([memory.content, ...memory.tags].join('\n')));
}

/** What quotas archive, the first to go first, as far as the limit of bytes allows. */
function overQuota({
  order,
  left,
  use,
  allowance,
}: {
  readonly order: readonly Scored[];
  /** Bytes of what fades or expires before that. */
  readonly left: Readonly<Record<Tier, number>>;
  readonly use: Readonly<Record<Tier, TierUse>>;
  /** Bytes at most. */
  readonly allowance: number;
}): { readonly taken: readonly Scored[]; readonly leftOver: number } {
  const taken: Scored[] = [];
  let allowed = allowance;
  let leftOver = 0;
  for (const tier of tiers) {
    let over = use[tier].before - left[tier] - use[tier].quota;
    for (const it of order) {
      if (over <= 0) break;
      if (it.tier !== tier) continue;
      if (it.bytes > allowed) {
        leftOver += over;
        break;
      }
      taken.push(it);
      allowed -= it.bytes;
      over -= it.bytes;
    }
  }
  return { taken, leftOver };
}

function tierUse({ staying, left }: Survey, { quotas }: MaintenanceInputs): Readonly<Record<Tier, TierUse>> {
  const use = Object.fromEntries(tiers.map(it => [it, { bytes: left[it], protected: 0 }])) as Record<
    Tier,
    { bytes: number; protected: number }
  >;
  for (const it of staying.values()) {
    use[it.tier].bytes += it.bytes;
    if (it.isProtected) use[it.tier].protected += it.bytes;
  }
  return Object.fromEntries(
    tiers.map(it => [
      it,
      { quota: quotas[it], before: use[it].bytes, after: use[it].bytes, protected: use[it].protected },
    ]),
  ) as Record<Tier, TierUse>;
}

/** Every page of the store, with progress and a rest between pages; ends early when called off. */
async function* pagesOf(
  store: Store,
  { signal, onProgress, whenIdle }: PlanOptions,
  total: number,
): AsyncIterable<readonly Memory[]> {
  let done = 0;
  for await (const page of store.all()) {
    await whenIdle();
    if (signal.aborted) return;
    yield page;
    done += page.length;
    onProgress({ store: store.kind, pass: 'plan', done, total: Math.max(total, done) });
  }
}

/** Tells whether somebody has touched a memory since it was decided about. */
export function fingerprint(it: Memory): string {
  return JSON.stringify([
    it.status,
    it.pinned,
    it.decayClass,
    it.lane,
    it.gate,
    it.confidence,
    it.feedback,
    it.accessCount,
    it.usefulCount,
    it.contentHash,
    it.updatedAt,
    it.reinforcedAt,
    it.accessedAt,
    it.archivedAt,
    it.expiresAt,
  ]);
}
