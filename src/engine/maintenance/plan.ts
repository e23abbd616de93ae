import { TimeSlicer } from '../base/timeSlicer.js';
import type { DecayRules } from '../model/config.js';
import type {
  MaintenanceAction,
  MaintenanceDecision,
  MaintenanceInputs,
  MaintenanceProgress,
  TierUsage,
} from '../model/maintenance.js';
import type { Memory, Tier } from '../model/memory.js';
import type { RetentionSignals } from '../model/retention.js';
import { effectiveConfidence, isBelowArchiveThreshold, type DecayInput } from '../scoring/decay.js';
import { GoalMatcher } from '../scoring/goalMatcher.js';
import {
  isDerivedFromCode,
  isExpired,
  isOpenPromise,
  isProtectedFromQuota,
  isPurgeable,
} from '../scoring/retentionRules.js';
import {
  emotionalWeight,
  predictiveValue,
  recencyFrequency,
  retentionScore,
  retentionScoringVersion,
  type UsageCounts,
} from '../scoring/retentionScore.js';
import { tierOf, tiers } from '../scoring/tier.js';
import { findReplacements } from '../store/replacements.js';
import type { RelationReader, Store } from '../store/store.js';
import { scoreEmphasis } from '../text/textFeatures.js';
import { analyzeText } from '../text/analyzer.js';
import type { RunInputs } from './runInputs.js';
import { analyzeContent } from '../text/analyzer.js';

/** Memories with the lowest scores listed in a run. */
const maxNextToGo = 20;
/** Edges of these types say nothing about how a memory is used. */
const conflictEdgeTypes: ReadonlySet<string> = new Set(['contradicts', 'supersedes']);
export interface PlanOptions {
  readonly now: Date;
  /** Bytes archived by quotas within the last day. */
  readonly bytesArchivedToday: number;
  /** Memories as they will be by then, by id: of a preview, which takes nothing back itself. */
  readonly changed?: ReadonlyMap<string, Memory>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MaintenanceProgress) => void;
  /** Resolves when no call is waiting. */
  readonly whenIdle: () => Promise<void>;
}

/** A memory to archive or delete, with its state at the time of the decision. */
export interface PlannedRemoval {
  readonly decision: MaintenanceDecision;
  readonly versionStamp: string;
}

/** The decisions of a run. Planning only reads. */
export interface MaintenancePlan {
  readonly inputs: MaintenanceInputs;
  readonly warnings: readonly string[];
  readonly processed: number;
  readonly removals: Readonly<Record<MaintenanceAction, readonly PlannedRemoval[]>>;
  /** Changed scores by id. */
  readonly scores: ReadonlyMap<string, number>;
  /** Before the run. */
  readonly tiers: Readonly<Record<Tier, TierUsage>>;
  readonly promisesToRevisit: number;
  readonly leftOver: number;
  readonly nextToGo: readonly MaintenanceDecision[];
}

/** A memory that stays unless a quota takes it. */
interface RetainedMemory {
  readonly id: string;
  readonly tier: Tier;
  readonly bytes: number;
  readonly effective: number;
  readonly createdAt: string;
  readonly isConfirmed: boolean;
  readonly isProtected: boolean;
}

/**
 * Plans a run over a store at `now`: decay, archive, expire, score, quotas, prune, in this order. Reads every memory
 * twice, page by page, because the terms of open promises are known only after the first pass. Deterministic: the same
 * store, clock, settings and scoringVersion give the same plan.
 * @returns undefined if it was aborted
 */
export async function planRun(
  store: Store,
  runInputs: RunInputs,
  options: PlanOptions,
): Promise<MaintenancePlan | undefined> {
  const scan = await scanStore(store, runInputs.inputs, options);
  if (scan === undefined) return undefined;
  const scored = await scoreRetained(store, runInputs, scan, options);
  if (scored === undefined) return undefined;
  const usage = computeTierUsage(scan, runInputs.inputs);
  const byteBudget = Math.max(0, runInputs.inputs.bytesPerRun - options.bytesArchivedToday);
  const { selected: overQuota, leftOver } = selectOverQuota({
    evictionOrder: scored.evictionOrder,
    removedBytes: scan.removedBytes,
    usage,
    byteBudget,
  });
  const overQuotaSet = new Set(overQuota);
  const { faded, expired, pruned } = scan.removals;
  return {
    inputs: { ...runInputs.inputs, promises: scan.promises },
    warnings: runInputs.warnings,
    processed: scan.processed,
    removals: {
      faded,
      expired,
      pruned,
      quota: overQuota.map(it => ({ decision: toDecision(it), versionStamp: it.versionStamp })),
    },
    scores: scored.changedScores,
    tiers: usage,
    promisesToRevisit: scan.promisesToRevisit,
    leftOver,
    nextToGo: lowestRetained(scored.evictionOrder, overQuotaSet).map(toDecision),
  };
}

function toDecision({ id, tier, effective, bytes, score, signals }: ScoredMemory): MaintenanceDecision {
  return { id, tier, effective, bytes, score: score, signals };
}

/** The retained memories with the lowest scores. */
function lowestRetained(order: readonly ScoredMemory[], excluded: ReadonlySet<ScoredMemory>): readonly ScoredMemory[] {
  const found: ScoredMemory[] = [];
  for (const it of order) {
    if (found.length === maxNextToGo) break;
    if (!excluded.has(it)) found.push(it);
  }
  return found;
}

interface StoreScan {
  readonly processed: number;
  readonly removals: Readonly<Record<'faded' | 'expired' | 'pruned', readonly PlannedRemoval[]>>;
  /** By id. */
  readonly retained: ReadonlyMap<string, RetainedMemory>;
  /** Bytes removed by decay or expiry. */
  readonly removedBytes: Readonly<Record<Tier, number>>;
  /** By id; all memories that were returned or judged and will not be deleted. */
  readonly usageById: ReadonlyMap<string, UsageCounts>;
  /** ScopeId -> terms of each open promise. */
  readonly promiseTermsByScope: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly promises: number;
  readonly promisesToRevisit: number;
}

/** First pass: selects what to archive, expire and prune, and collects the inputs of the scores. */
async function scanStore(
  store: Store,
  inputs: MaintenanceInputs,
  options: PlanOptions,
): Promise<StoreScan | undefined> {
  const { now } = options;
  const rules: DecayRules = { profile: inputs.profile, kindHalfLives: inputs.kindHalfLives ?? {} };
  const removals: Record<'faded' | 'expired' | 'pruned', PlannedRemoval[]> = { faded: [], expired: [], pruned: [] };
  const retained = new Map<string, RetainedMemory>();
  const removedBytes = Object.fromEntries(tiers.map(it => [it, 0])) as Record<Tier, number>;
  const usageById = new Map<string, UsageCounts>();
  const promiseTermsByScope = new Map<string, (readonly string[])[]>();
  let [processed, promises, promisesToRevisit] = [0, 0, 0];
  const slicer = new TimeSlicer();
  for await (const page of readPages(store, options, 0)) {
    const sizes = await store.memorySizes(page.map(it => it.id));
    const replaced = await findReplacements(store, page.filter(isOpenPromise));
    for (const memory of page) {
      if (slicer.shouldYield()) await slicer.yield();
      processed++;
      const decay: DecayInput = { rules, centrality: memory.centrality, now };
      const tier = tierOf(memory);
      const bytes = sizes.get(memory.id) ?? 0;
      const effective = effectiveConfidence(memory, decay);
      const addRemoval = (action: 'faded' | 'expired' | 'pruned'): void => {
        removals[action].push({
          decision: { id: memory.id, tier, effective, bytes },
          versionStamp: versionStampOf(memory),
        });
        if (action !== 'pruned') removedBytes[tier] += bytes;
      };
      if (isPurgeable(memory, now, inputs.pruneAfterDays)) {
        addRemoval('pruned');
        continue;
      }
      const { accessCount, usefulCount } = memory;
      if (accessCount + usefulCount > 0) usageById.set(memory.id, { accessCount, usefulCount });
      if (memory.status !== 'active' || isDerivedFromCode(memory)) continue;
      const isPromise = isOpenPromise(memory);
      const faded = isBelowArchiveThreshold(memory, decay);
      if (faded && !isPromise) addRemoval('faded');
      else if (isExpired(memory, now)) addRemoval('expired');
      else {
        const { id, createdAt, scopeId = '', lane } = memory;
        const isProtected = isProtectedFromQuota(memory);
        retained.set(id, { id, tier, bytes, effective, createdAt, isConfirmed: lane === 'confirmed', isProtected });
        if (!isPromise || replaced.has(memory.id)) continue;
        promises++;
        if (faded || (memory.dueAt !== undefined && Date.parse(memory.dueAt) <= now.getTime())) promisesToRevisit++;
        appendTo(promiseTermsByScope, scopeId, analyzeContent(memory.content));
      }
    }
  }
  if (options.signal.aborted) return undefined;
  return { processed, removals, retained, removedBytes, usageById, promiseTermsByScope, promises, promisesToRevisit };
}

/** A retained memory with its score. */
interface ScoredMemory extends RetainedMemory {
  readonly score: number;
  readonly signals: RetentionSignals;
  readonly versionStamp: string;
}

interface ScoringResult {
  /** By id. */
  readonly changedScores: ReadonlyMap<string, number>;
  /** Memories that a quota may take: notes before what a person confirmed, lowest score first, then oldest. */
  readonly evictionOrder: readonly ScoredMemory[];
}

/** Second pass: scores every retained memory. */
async function scoreRetained(
  store: Store,
  runInputs: RunInputs,
  scan: StoreScan,
  options: PlanOptions,
): Promise<ScoringResult | undefined> {
  const { retained, usageById } = scan;
  const scored: ScoredMemory[] = [];
  const slicer = new TimeSlicer();
  const changedScores = new Map<string, number>();
  const matchersByScope = new Map<string, GoalMatcher>();
  const matcherFor = (scopeId: string): GoalMatcher => {
    const matcher =
      matchersByScope.get(scopeId) ??
      new GoalMatcher([...runInputs.goalTerms, ...(scan.promiseTermsByScope.get(scopeId) ?? [])]);
    matchersByScope.set(scopeId, matcher);
    return matcher;
  };
  for await (const page of readPages(store, options, scan.processed)) {
    const memories = page.filter(it => retained.has(it.id));
    const usageOfNeighbors = await neighborUsage(store, memories, usageById);
    for (const memory of memories) {
      if (slicer.shouldYield()) await slicer.yield();
      const signals: RetentionSignals = {
        relevanceToGoals: goalRelevance(memory, matcherFor(memory.scopeId ?? '')),
        emotionalWeight: emotionalWeight(memory, scoreEmphasis(memory.content)),
        predictiveValue: predictiveValue(memory, usageOfNeighbors.get(memory.id) ?? []),
        recencyFrequency: recencyFrequency(memory, options.now),
      };
      const value = retentionScore(signals, runInputs.inputs.weights);
      const retainedMemory = retained.get(memory.id)!;
      if (!retainedMemory.isProtected)
        scored.push({ ...retainedMemory, score: value, signals, versionStamp: versionStampOf(memory) });
      if (memory.retentionScore !== value || memory.scoringVersion !== retentionScoringVersion)
        changedScores.set(memory.id, value);
    }
  }
  if (options.signal.aborted) return undefined;
  return { changedScores, evictionOrder: scored.sort(byEvictionOrder) };
}

function byEvictionOrder(a: ScoredMemory, b: ScoredMemory): number {
  if (a.isConfirmed !== b.isConfirmed) return a.isConfirmed ? 1 : -1;
  if (a.score !== b.score) return a.score - b.score;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Memory id -> usage of its neighbors in the graph, with the strength of the edge. */
async function neighborUsage(
  store: RelationReader,
  memories: readonly Memory[],
  usageById: ReadonlyMap<string, UsageCounts>,
): Promise<Map<string, (UsageCounts & { readonly strength: number })[]>> {
  const wantedIds = new Set(memories.map(it => it.id));
  const usageByMemory = new Map<string, (UsageCounts & { readonly strength: number })[]>();
  if (usageById.size === 0 || wantedIds.size === 0) return usageByMemory;
  for (const { source, target, type, strength } of await store.edgesInSets([...wantedIds])) {
    if (conflictEdgeTypes.has(type)) continue;
    for (const [id, neighborId] of [
      [source, target],
      [target, source],
    ] as const) {
      const neighborUse = usageById.get(neighborId);
      if (neighborUse !== undefined && wantedIds.has(id)) appendTo(usageByMemory, id, { ...neighborUse, strength });
    }
  }
  return usageByMemory;
}

function appendTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function goalRelevance(memory: Memory, matcher: GoalMatcher): number {
  if (isOpenPromise(memory)) return 1; // A promise is a goal itself.
  return matcher.isEmpty ? 0 : matcher.relevance(analyzeText([memory.content, ...memory.tags].join('\n')));
}

/** Selects what quotas archive, in eviction order, within the byte budget. */
function selectOverQuota({
  evictionOrder,
  removedBytes,
  usage,
  byteBudget,
}: {
  readonly evictionOrder: readonly ScoredMemory[];
  /** Bytes removed before by decay or expiry. */
  readonly removedBytes: Readonly<Record<Tier, number>>;
  readonly usage: Readonly<Record<Tier, TierUsage>>;
  /** Maximum bytes to archive. */
  readonly byteBudget: number;
}): { readonly selected: readonly ScoredMemory[]; readonly leftOver: number } {
  const selected: ScoredMemory[] = [];
  let remainingBudget = byteBudget;
  let leftOver = 0;
  for (const tier of tiers) {
    let excessBytes = usage[tier].before - removedBytes[tier] - usage[tier].quota;
    for (const it of evictionOrder) {
      if (excessBytes <= 0) break;
      if (it.tier !== tier) continue;
      if (it.bytes > remainingBudget) {
        leftOver += excessBytes;
        break;
      }
      selected.push(it);
      remainingBudget -= it.bytes;
      excessBytes -= it.bytes;
    }
  }
  return { selected, leftOver };
}

function computeTierUsage(
  { retained, removedBytes }: StoreScan,
  { quotas }: MaintenanceInputs,
): Readonly<Record<Tier, TierUsage>> {
  const usage = Object.fromEntries(tiers.map(it => [it, { bytes: removedBytes[it], protected: 0 }])) as Record<
    Tier,
    { bytes: number; protected: number }
  >;
  for (const it of retained.values()) {
    usage[it.tier].bytes += it.bytes;
    if (it.isProtected) usage[it.tier].protected += it.bytes;
  }
  return Object.fromEntries(
    tiers.map(it => [
      it,
      { quota: quotas[it], before: usage[it].bytes, after: usage[it].bytes, protected: usage[it].protected },
    ]),
  ) as Record<Tier, TierUsage>;
}

/** Yields every page of the store, reports progress and pauses between pages; ends early if aborted. */
async function* readPages(
  store: Store,
  { signal, onProgress, whenIdle, changed }: PlanOptions,
  total: number,
): AsyncIterable<readonly Memory[]> {
  let done = 0;
  for await (const page of store.scanAll()) {
    await whenIdle();
    if (signal.aborted) return;
    yield changed === undefined ? page : page.map(it => changed.get(it.id) ?? it);
    done += page.length;
    onProgress({ store: store.kind, pass: 'plan', done, total: Math.max(total, done) });
  }
}

/** Changes whenever the memory changes, to detect changes between decision and action. */
export function versionStampOf(memory: Memory): string {
  return JSON.stringify([
    memory.status,
    memory.pinned,
    memory.decayClass,
    memory.lane,
    memory.gate,
    memory.confidence,
    memory.feedback,
    memory.accessCount,
    memory.usefulCount,
    memory.contentHash,
    memory.updatedAt,
    memory.reinforcedAt,
    memory.accessedAt,
    memory.archivedAt,
    memory.expiresAt,
    memory.dueAt,
  ]);
}
