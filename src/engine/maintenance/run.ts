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
import { dayMs } from '../scoring/decay.js';
import { retentionScoringVersion } from '../scoring/retentionScore.js';
import { tiers } from '../scoring/tier.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { loadRunInputs, type RunInputs, type RunOverrides } from './runInputs.js';
import { versionStampOf, planRun, type PlannedRemoval, type MaintenancePlan } from './plan.js';

/** Memories archived or deleted in one transaction: what a write that comes meanwhile may have to wait for. */
const batchSize = 100;
/** Scores written in one transaction; they cost little. */
const scoreBatchSize = 1_000;
/** For so long a run that was not heard of is taken for dead. */
export const maintenanceLeaseMs = 30_000;

/** Looks for memories of a store that are worth merging, and says how many groups of them there are. */
export type MergeCandidateCounter = (ctx: Context, store: Store, signal: AbortSignal) => Promise<number>;

export interface RunOptions extends RunOverrides {
  readonly dryRun: boolean;
  readonly trigger: MaintenanceRun['trigger'];
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MaintenanceProgress) => void;
  /** Resolves when nobody waits for an answer. */
  readonly whenIdle: () => Promise<void>;
  /** Told of the memories that are other than before. */
  readonly onChanged: (store: Store, ids: readonly string[]) => void;
  /** The last pass; left out where there is none. */
  readonly countCandidates: MergeCandidateCounter | undefined;
}

/** What a dry run finds: the run that there would be. Reads only, and leaves nothing behind. */
export async function previewStore(ctx: Context, open: OpenStore, options: RunOptions): Promise<MaintenanceRun> {
  const { run, runInputs } = await startRun(ctx, open, options);
  const now = new Date(run.at);
  const bytesArchivedToday = bytesArchivedSince(await listRuns(open.store), now);
  const plan = await planRun(open.store, runInputs, { ...options, now, bytesArchivedToday });
  if (plan === undefined) return { ...run, status: 'cancelled' };
  const keep = ctx.host.config().maintenance.keepDecisions;
  const runAfterPlan = maintenanceActions.reduce(
    (runSoFar, action) => withRemovals(runSoFar, { action, removed: plan.removals[action], keep }),
    withPlan(run, plan),
  );
  const counts = { ...runAfterPlan.counts, scored: plan.scores.size };
  const candidates = await countMergeCandidates(ctx, open.store, options);
  if (options.signal.aborted) return { ...run, status: 'cancelled' };
  return { ...runAfterPlan, counts, ...(candidates === undefined ? {} : { candidates }), status: 'finished' };
}

/** How many groups could be merged as the store is now; undefined where nobody counts, or when it was called off. */
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
 * Maintains a store: decides by reading, then changes what it decided in small transactions, each of which leaves the
 * store whole and checks that nobody has touched the memory meanwhile. Called off or killed between two of them, what is
 * done stays, and the next run decides anew from there: it ends where one run would have.
 * @returns undefined when `isDue` says that another process has done it in the meantime
 * @throws EngineError storeBusy when another process is at it, and what writing a store throws
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
    // What recalls have returned counts, also what they returned a moment ago.
    await ctx.usage.flush();
    return await new MaintenanceRunner(ctx, store, options, holder).perform(await startRun(ctx, open, options));
  } finally {
    await store.releaseLease('maintenance', holder);
  }
}

/** One run under way, alone with its store. */
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
    // Whoever began these is dead: this run has the lease.
    const interrupted = runs.filter(it => it.status === 'running');
    this.run = { ...run, warnings: [...interrupted.map(interruptionWarning), ...run.warnings] };
    await this.write(async tx => {
      for (const it of interrupted) await tx.putRecord('run', it.id, { ...it, status: 'interrupted' });
      await tx.putRecord('run', run.id, this.run);
    });
    const now = new Date(run.at);
    const whenIdle = async (): Promise<void> => {
      await this.options.whenIdle();
      await this.renewLease();
    };
    const plan = await planRun(this.store, runInputs, {
      ...this.options,
      whenIdle,
      now,
      bytesArchivedToday: bytesArchivedSince(runs, now),
    });
    try {
      const isComplete = plan !== undefined && (await this.apply(plan));
      await this.finish(isComplete ? 'finished' : 'cancelled');
    } finally {
      if (this.changedIds.length > 0) this.options.onChanged(this.store, this.changedIds);
    }
    return this.run;
  }

  /** @returns false when it was called off */
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

  /** Archives or deletes in batches; what somebody has touched since it was decided stays. */
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
        // With what it did: should the process be killed, the record says what had happened by then.
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
    // Called off here, all that changes something is done; only the count is missing.
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
    const old = (await this.store.records('run')).slice(keepRuns).map(it => it.id);
    const { counts } = this.run;
    await this.write(async tx => {
      await tx.putRecord('run', this.run.id, this.run);
      for (const id of old) await tx.deleteRecord('run', id);
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

  /** Renews it when half of its time is over. @throws EngineError storeBusy when another process has taken it over */
  private async renewLease(): Promise<void> {
    const now = this.ctx.host.now().getTime();
    if (Math.abs(now - this.leaseTakenAt) < maintenanceLeaseMs / 2) return;
    if (!(await this.store.acquireLease('maintenance', this.holder, maintenanceLeaseMs))) throw busyError(this.store);
    this.leaseTakenAt = now;
  }
}

/** The runs of a store that are kept, newest first. One that its process left behind is told as interrupted. */
export async function listRuns(store: Store, now?: Date): Promise<MaintenanceRun[]> {
  return (await store.records<MaintenanceRun>('run')).map(({ at, body }) =>
    now !== undefined && body.status === 'running' && now.getTime() - Date.parse(at) > 2 * maintenanceLeaseMs
      ? { ...body, status: 'interrupted' }
      : body,
  );
}

/** A run about which nothing is known yet but what decides it. */
async function startRun(
  ctx: Context,
  open: OpenStore,
  options: RunOptions,
): Promise<{ readonly run: MaintenanceRun; readonly runInputs: RunInputs }> {
  const runInputs = await loadRunInputs(ctx, open, options);
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

/** The run with what its plan knows, before any of it is done. */
function withPlan(run: MaintenanceRun, plan: MaintenancePlan): MaintenanceRun {
  const { inputs, processed, tiers, promisesToRevisit, leftOver, nextToGo } = plan;
  return { ...run, inputs, processed, tiers, promisesToRevisit, leftOver, nextToGo };
}

/** The run when some memories more have left; the decisions about the first `keep` of each action are told. */
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
  // What lies in the archive counts for no tier, and so what is deleted from there does not either.
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

/** What a person should know of a run whose process died. */
function interruptionWarning({ id, at, counts }: MaintenanceRun): string {
  const archivedCount = counts.faded + counts.expired + counts.quota;
  return `The run #${shortId({ id })} of ${at} was interrupted: its program ended in the middle. What it had done stays (${archivedCount} archived, ${counts.pruned} deleted), and this run went on from there.`;
}

function archiveMemory(memory: Memory, archiveReason: Exclude<MaintenanceAction, 'pruned'>, at: string): Memory {
  return { ...memory, status: 'archived', archiveReason, archivedAt: at };
}

/** Bytes that quotas have archived in runs of the last day: their limit holds for all of them together. */
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
