import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { newUuid } from '../base/uuid.js';
import type { Context, OpenStore } from '../context.js';
import type {
  MaintenanceAction,
  MaintenanceDecision,
  MaintenancePass,
  MaintenanceProgress,
  MaintenanceRun,
  TierUsage,
} from '../model/maintenance.js';
import { maintenanceActions } from '../model/maintenance.js';
import { shortId, type Memory, type Tier } from '../model/memory.js';
import { dayMs } from '../model/duration.js';
import { retentionScoringVersion } from '../scoring/retentionScore.js';
import { tiers } from '../scoring/tier.js';
import type { RecordStore, Store, StoreTransaction } from '../store/store.js';
import { prepareItemHistory } from './itemHistory.js';
import { loadRunInputs, type RunInputs, type RunOverrides } from './runInputs.js';
import {
  applyTakeBack,
  findUndoRecords,
  isTakenBack,
  planTakeBack,
  recordTakenBack,
  reportTakeBack,
} from './takeBack.js';
import { versionStampOf, planRun, type PlannedRemoval, type MaintenancePlan, type PlanOptions } from './plan.js';

/** Memories archived or deleted per transaction: bounds the wait of concurrent writes. */
const batchSize = 100;
/** Scores per transaction; they are cheap to write. */
const scoreBatchSize = 1_000;
/** A run whose lease was not renewed for this long is considered dead. */
export const maintenanceLeaseMs = 30_000;

/** Counts the groups of memories of a store that could be merged. */
export type MergeCandidateCounter = (ctx: Context, store: Store, signal: AbortSignal) => Promise<number>;

export interface RunOptions extends RunOverrides {
  readonly dryRun: boolean;
  readonly trigger: MaintenanceRun['trigger'];
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MaintenanceProgress) => void;
  /** Resolves when no call is waiting. */
  readonly whenIdle: () => Promise<void>;
  /** Called with the ids of changed memories. */
  readonly onChanged: (store: Store, ids: readonly string[]) => void;
  /** The last pass; undefined to skip it. */
  readonly countCandidates: MergeCandidateCounter | undefined;
}

/** Dry run: the run that `runStore` would make now. Only reads, and keeps no record. */
export async function previewStore(ctx: Context, open: OpenStore, options: RunOptions): Promise<MaintenanceRun> {
  const { run, runInputs } = await startRun(ctx, open, options);
  const bytesArchivedToday = bytesArchivedSince(await listRuns(open.store), new Date(run.at));
  const takenBack = await planTakeBack(ctx, open.store, options);
  const changed = new Map(takenBack.map(it => [it.before.id, it.after]));
  const plan = await planAt(ctx, open.store, runInputs, { ...options, bytesArchivedToday, changed });
  if (plan === undefined) return { ...run, status: 'cancelled' };
  const keep = ctx.host.config().maintenance.keepDecisions;
  const runAfterPlan = maintenanceActions.reduce(
    (runSoFar, action) => withRemovals(runSoFar, { action, removed: plan.removals[action], keep }),
    withPlan({ ...run, ...reportTakeBack(takenBack, keep) }, plan),
  );
  const counts = { ...runAfterPlan.counts, scored: plan.scores.size };
  const candidates = await countMergeCandidates(ctx, open.store, options);
  if (options.signal.aborted) return { ...run, status: 'cancelled' };
  return { ...runAfterPlan, counts, ...(candidates === undefined ? {} : { candidates }), status: 'finished' };
}

/** The plan at the time by which memories age; without removals where the clock may be wrong. */
async function planAt(
  { aging }: Context,
  store: Store,
  runInputs: RunInputs,
  options: Omit<PlanOptions, 'now'>,
): Promise<MaintenancePlan | undefined> {
  const plan = await planRun(store, runInputs, { ...options, now: aging.now() });
  if (plan === undefined || !aging.isUpkeepHeld) return plan;
  return { ...plan, removals: { faded: [], expired: [], quota: [], pruned: [] } };
}

/** Number of groups that could be merged now; undefined without a counter and if aborted. */
async function countMergeCandidates(
  ctx: Context,
  store: Store,
  { countCandidates: candidates, signal }: RunOptions,
): Promise<number | undefined> {
  try {
    return await candidates?.(ctx, store, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Maintains a store: plans by reading, then applies the plan in small transactions. Each transaction leaves the store
 * consistent and skips memories that changed after the decision. If the run is aborted or killed between two
 * transactions, completed work is kept, and the next run plans again and ends in the same state.
 * @returns undefined if `isDue` reports that another process has run meanwhile
 * @throws EngineError storeBusy while another process maintains the store, and errors of writing a store
 */
export async function runStore(
  ctx: Context,
  open: OpenStore,
  options: RunOptions,
  isDue: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<MaintenanceRun | undefined> {
  const { store } = open;
  const holder = newUuid(ctx.host.now());
  if (!(await store.acquireLease('maintenance', holder, maintenanceLeaseMs))) throw busyError(store);
  try {
    if (!(await isDue())) return undefined;
    // Includes the usage of the most recent recalls.
    await ctx.usage.flush();
    return await new MaintenanceRunner(ctx, store, options, holder).perform(await startRun(ctx, open, options));
  } finally {
    await store.releaseLease('maintenance', holder);
  }
}

/** A running maintenance run, which holds the lease of its store. */
class MaintenanceRunner {
  private run!: MaintenanceRun;
  private leaseTakenAt: number;
  private readonly changedIds: string[] = [];

  constructor(
    private readonly ctx: Context,
    private readonly store: Store,
    private readonly options: RunOptions,
    private readonly holder: string,
  ) {
    this.leaseTakenAt = ctx.host.now().getTime();
  }

  async perform({ run, runInputs }: { run: MaintenanceRun; runInputs: RunInputs }): Promise<MaintenanceRun> {
    const runs = await listRuns(this.store);
    // Their processes are dead, because this run has the lease.
    const interrupted = runs.filter(it => it.status === 'running');
    this.run = { ...run, warnings: [...interrupted.map(interruptionWarning), ...run.warnings] };
    await this.write(async tx => {
      for (const it of interrupted) await tx.putRecord('run', it.id, { ...it, status: 'interrupted' });
      await tx.putRecord('run', run.id, this.run);
    });
    const whenIdle = async (): Promise<void> => {
      await this.options.whenIdle();
      await this.renewLease();
    };
    const bytesArchivedToday = bytesArchivedSince(runs, new Date(run.at));
    try {
      const options = { ...this.options, whenIdle, bytesArchivedToday };
      const plan = (await this.takeBack(whenIdle)) ? await planAt(this.ctx, this.store, runInputs, options) : undefined;
      const isComplete = plan !== undefined && (await this.apply(plan));
      await this.finish(isComplete ? 'finished' : 'cancelled');
    } finally {
      if (this.changedIds.length > 0) this.options.onChanged(this.store, this.changedIds);
    }
    return this.run;
  }

  /** @returns false if aborted */
  private async apply(plan: MaintenancePlan): Promise<boolean> {
    const { removals } = plan;
    this.run = withPlan(this.run, plan);
    return (
      (await this.removeInBatches('archive', 'faded', removals.faded)) &&
      (await this.removeInBatches('expire', 'expired', removals.expired)) &&
      (await this.saveScores(plan.scores)) &&
      (await this.removeInBatches('quota', 'quota', removals.quota)) &&
      (await this.removeInBatches('prune', 'pruned', removals.pruned)) &&
      (await this.updateCandidateCount())
    );
  }

  /** Takes back judgements of an earlier version before anything is decided by them. @returns false if aborted */
  private async takeBack(whenIdle: () => Promise<void>): Promise<boolean> {
    const { store, options, run } = this;
    const planned = await planTakeBack(this.ctx, store, { signal: options.signal, whenIdle });
    const applied: (typeof planned)[number][] = [];
    const isComplete = await this.forEachBatch('takeBack', planned, batchSize, async batch => {
      await this.write(async tx => {
        for (const it of batch) {
          const current = await tx.get(it.before.id);
          if (current === undefined || versionStampOf(current) !== versionStampOf(it.before)) continue;
          await applyTakeBack(tx, it, run);
          applied.push(it);
        }
      });
      this.changedIds.push(...batch.map(it => it.before.id));
    });
    this.run = { ...run, ...reportTakeBack(applied, this.ctx.host.config().maintenance.keepDecisions) };
    if (!isComplete || options.signal.aborted) return false;
    if (await isTakenBack(store)) return true;
    await this.write(async tx => {
      await recordTakenBack(tx, run.id);
      await tx.putRecord('run', run.id, this.run);
    });
    return true;
  }

  /** Archives or deletes in batches, except memories that changed after the decision. */
  private async removeInBatches(
    pass: MaintenancePass,
    action: MaintenanceAction,
    removals: readonly PlannedRemoval[],
  ): Promise<boolean> {
    const keep = this.ctx.host.config().maintenance.keepDecisions;
    return this.forEachBatch(pass, removals, batchSize, async batch => {
      const removed = await this.write(async tx => {
        const removed: PlannedRemoval[] = [];
        for (const it of batch) {
          const memory = await tx.get(it.decision.id);
          if (memory === undefined || versionStampOf(memory) !== it.versionStamp) continue;
          if (action === 'pruned') await tx.delete(memory.id, 'prune');
          else
            await tx.update(
              archiveMemory(memory, action, this.run.at),
              'archive',
              this.auditDetail(action, it.decision),
            );
          removed.push(it);
        }
        // In the same transaction as the removal: if the process is killed, the record says what has happened.
        await tx.putRecord('run', this.run.id, withRemovals(this.run, { action, removed, keep }));
        return removed;
      });
      this.run = withRemovals(this.run, { action, removed, keep });
      this.changedIds.push(...removed.map(it => it.decision.id));
    });
  }

  private async saveScores(scores: ReadonlyMap<string, number>): Promise<boolean> {
    return this.forEachBatch('score', [...scores], scoreBatchSize, async batch => {
      await this.write(tx => tx.saveScores(new Map(batch), retentionScoringVersion));
      this.run = { ...this.run, counts: { ...this.run.counts, scored: this.run.counts.scored + batch.length } };
    });
  }

  private async updateCandidateCount(): Promise<boolean> {
    const { onProgress } = this.options;
    if (this.options.countCandidates === undefined) return true;
    onProgress({ store: this.store.kind, pass: 'candidates', done: 0, total: 1 });
    await this.renewLease();
    const candidates = await countMergeCandidates(this.ctx, this.store, this.options);
    if (candidates !== undefined) this.run = { ...this.run, candidates };
    // If aborted here, all changes are done; only the count is missing.
    return true;
  }

  private async forEachBatch<T>(
    pass: MaintenancePass,
    items: readonly T[],
    size: number,
    work: (batch: readonly T[]) => Promise<void>,
  ): Promise<boolean> {
    for (let start = 0; start < items.length; start += size) {
      await this.options.whenIdle();
      if (this.options.signal.aborted) return false;
      await this.renewLease();
      await work(items.slice(start, start + size));
      const done = Math.min(items.length, start + size);
      this.options.onProgress({ store: this.store.kind, pass, done, total: items.length });
    }
    return true;
  }

  private async finish(status: 'finished' | 'cancelled'): Promise<void> {
    this.run = { ...this.run, status, finishedAt: this.ctx.host.now().toISOString() };
    const { keepRuns } = this.ctx.host.config().maintenance;
    const old = (await listRuns(this.store)).slice(keepRuns);
    const undoRecordIds = await findUndoRecords(this.store, old);
    const { counts } = this.run;
    const saveItemHistory = await prepareItemHistory(this.store, this.ctx.host.now());
    await this.write(async tx => {
      await tx.putRecord('run', this.run.id, this.run);
      await saveItemHistory(tx);
      for (const { id } of old) await tx.deleteRecord('run', id);
      for (const it of undoRecordIds) await tx.deleteRecord('takenBack', it);
      if (Object.values(counts).some(it => it > 0)) {
        await tx.log('maintain', { run: this.run.id, status, scoringVersion: retentionScoringVersion, ...counts });
      }
    });
  }

  private auditDetail(action: MaintenanceAction, { effective, score }: MaintenanceDecision): Record<string, unknown> {
    const cause = score === undefined ? { effective: Math.round(effective * 10) / 10 } : { score };
    return { because: action, run: this.run.id, ...cause };
  }

  private write<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return this.store.write(this.ctx.host.client, work);
  }

  /** Renews the lease at half of its duration. @throws EngineError storeBusy if another process took it over */
  private async renewLease(): Promise<void> {
    const now = this.ctx.host.now().getTime();
    if (Math.abs(now - this.leaseTakenAt) < maintenanceLeaseMs / 2) return;
    if (!(await this.store.acquireLease('maintenance', this.holder, maintenanceLeaseMs))) throw busyError(this.store);
    this.leaseTakenAt = now;
  }
}

/** The kept runs of a store, newest first. A run whose process died is reported as interrupted. */
export async function listRuns(store: RecordStore, now?: Date): Promise<MaintenanceRun[]> {
  return (await store.records<MaintenanceRun>('run')).map(({ at, body }) =>
    now !== undefined && body.status === 'running' && now.getTime() - Date.parse(at) > 2 * maintenanceLeaseMs
      ? { ...body, status: 'interrupted' }
      : body,
  );
}

/** A new run with its inputs and no results. */
async function startRun(
  ctx: Context,
  open: OpenStore,
  options: RunOptions,
): Promise<{ readonly run: MaintenanceRun; readonly runInputs: RunInputs }> {
  const loaded = await loadRunInputs(ctx, open, options);
  const runInputs = { ...loaded, warnings: [...loaded.warnings, ...clockWarnings(ctx)] };
  const now = ctx.host.now();
  const zeroCounts = { faded: 0, expired: 0, quota: 0, pruned: 0 };
  const run: MaintenanceRun = {
    id: newUuid(now),
    store: open.store.kind,
    dryRun: options.dryRun,
    trigger: options.trigger,
    client: ctx.host.client,
    status: 'running',
    at: now.toISOString(),
    inputs: runInputs.inputs,
    processed: 0,
    counts: { ...zeroCounts, scored: 0 },
    tiers: Object.fromEntries(
      tiers.map(it => [it, { quota: runInputs.inputs.quotas[it], before: 0, after: 0, protected: 0 }]),
    ) as Record<Tier, TierUsage>,
    promisesToRevisit: 0,
    quotaBytes: 0,
    leftOver: 0,
    decisions: { faded: [], expired: [], quota: [], pruned: [] },
    more: zeroCounts,
    nextToGo: [],
    warnings: runInputs.warnings,
  };
  for (const it of runInputs.warnings) ctx.host.log.warn(it);
  return { run, runInputs };
}

function clockWarnings({ aging }: Context): string[] {
  if (aging.gap === undefined) return [];
  const [from, to] = [aging.gap.from, aging.gap.to].map(it => it.slice(0, 10));
  const effect = aging.isUpkeepHeld ? 'Nothing is archived or deleted for now' : 'That time makes no memory older';
  return [
    `No program used the memory from ${from} to ${to}, or the clock is wrong. ${effect}. If the date is right, the time counts after: recollect maintain --confirm-clock`,
  ];
}

/** The run with the numbers of its plan, before it is applied. */
function withPlan(run: MaintenanceRun, plan: MaintenancePlan): MaintenanceRun {
  const { inputs, processed, tiers, promisesToRevisit, leftOver, nextToGo } = plan;
  return { ...run, inputs, processed, tiers, promisesToRevisit, leftOver, nextToGo };
}

/** The run after removing more memories; keeps the first `keep` decisions of each action. */
function withRemovals(
  run: MaintenanceRun,
  {
    action,
    removed,
    keep,
  }: { readonly action: MaintenanceAction; readonly removed: readonly PlannedRemoval[]; readonly keep: number },
): MaintenanceRun {
  const decisions = removed.map(it => it.decision);
  const count = run.counts[action] + decisions.length;
  const keptDecisions = [...run.decisions[action], ...decisions].slice(0, keep);
  const bytes = (of: readonly MaintenanceDecision[]): number => of.reduce((sum, it) => sum + it.bytes, 0);
  // Archived memories count for no tier, so neither do memories deleted from the archive.
  const removedBytesOf = (tier: Tier): number =>
    action === 'pruned' ? 0 : bytes(decisions.filter(it => it.tier === tier));
  return {
    ...run,
    counts: { ...run.counts, [action]: count },
    quotaBytes: run.quotaBytes + (action === 'quota' ? bytes(decisions) : 0),
    tiers: Object.fromEntries(
      tiers.map(it => [it, { ...run.tiers[it], after: run.tiers[it].after - removedBytesOf(it) }]),
    ) as Record<Tier, TierUsage>,
    decisions: { ...run.decisions, [action]: keptDecisions },
    more: { ...run.more, [action]: count - keptDecisions.length },
  };
}

/** Warning about a run whose process died. */
function interruptionWarning({ id, at, counts }: MaintenanceRun): string {
  const archivedCount = counts.faded + counts.expired + counts.quota;
  return `The run #${shortId({ id })} of ${at} was interrupted: its program ended in the middle. What it had done stays (${archivedCount} archived, ${counts.pruned} deleted), and this run went on from there.`;
}

function archiveMemory(memory: Memory, archiveReason: Exclude<MaintenanceAction, 'pruned'>, at: string): Memory {
  return { ...memory, status: 'archived', archiveReason, archivedAt: at };
}

/** Bytes archived by quotas in all runs of the last day, which share one limit. */
function bytesArchivedSince(runs: readonly MaintenanceRun[], now: Date): number {
  const recent = runs.filter(it => Math.abs(now.getTime() - Date.parse(it.at)) < dayMs);
  return recent.reduce((sum, it) => sum + it.quotaBytes, 0);
}

function busyError(store: Store): EngineError {
  return new EngineError(
    'storeBusy',
    message`Another program is maintaining ${store.file} just now. Let it finish, or try again in a minute.`,
  );
}
