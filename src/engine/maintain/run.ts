import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import { newId } from '../base/newId.js';
import type { Context, OpenStore } from '../context.js';
import type {
  MaintenanceAction,
  MaintenanceDecision,
  MaintenancePass,
  MaintenanceProgress,
  MaintenanceRun,
  TierUse,
} from '../model/maintenance.js';
import { maintenanceActions } from '../model/maintenance.js';
import { handle, type Memory, type Tier } from '../model/memory.js';
import { dayMs } from '../scoring/decay.js';
import { scoringVersion } from '../scoring/retentionScore.js';
import { tiers } from '../scoring/tier.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { readBasis, type Basis, type RunSettings } from './basis.js';
import { fingerprint, plan, type Leaving, type Plan } from './plan.js';

/** Memories archived or deleted in one transaction: what a write that comes meanwhile may have to wait for. */
const batchSize = 100;
/** Scores written in one transaction; they cost little. */
const scoreBatchSize = 1_000;
/** For so long a run that was not heard of is taken for dead. */
export const leaseMs = 30_000;

/** Looks for memories of a store that are worth merging, and says how many groups of them there are. */
export type ConsolidationCandidates = (ctx: Context, store: Store, signal: AbortSignal) => Promise<number>;

export interface RunOptions extends RunSettings {
  readonly dryRun: boolean;
  readonly trigger: MaintenanceRun['trigger'];
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MaintenanceProgress) => void;
  /** Resolves when nobody waits for an answer. */
  readonly whenIdle: () => Promise<void>;
  /** Told of the memories that are other than before. */
  readonly changed: (store: Store, ids: readonly string[]) => void;
  /** The last pass; left out where there is none. */
  readonly candidates: ConsolidationCandidates | undefined;
}

/** What a dry run finds: the run that there would be. Reads only, and leaves nothing behind. */
export async function previewStore(ctx: Context, open: OpenStore, options: RunOptions): Promise<MaintenanceRun> {
  const { run, basis } = await begin(ctx, open, options);
  const now = new Date(run.at);
  const spent = spentSince(await runsOf(open.store), now);
  const planned = await plan(open.store, basis, { ...options, now, spent });
  if (planned === undefined) return { ...run, status: 'cancelled' };
  const keep = ctx.host.config().maintenance.keepDecisions;
  const decided = maintenanceActions.reduce(
    (told, action) => withGone(told, { action, gone: planned.leaving[action], keep }),
    filled(run, planned),
  );
  const counts = { ...decided.counts, scored: planned.scores.size };
  const candidates = await countCandidates(ctx, open.store, options);
  if (options.signal.aborted) return { ...run, status: 'cancelled' };
  return { ...decided, counts, ...(candidates === undefined ? {} : { candidates }), status: 'finished' };
}

/** How many groups could be merged as the store is now; undefined where nobody counts, or when it was called off. */
async function countCandidates(
  ctx: Context,
  store: Store,
  { candidates, signal }: RunOptions,
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
  const holder = newId(ctx.host.now());
  if (!(await store.takeLease('maintenance', holder, leaseMs))) throw busy(store);
  try {
    if (!(await isDue())) return undefined;
    // What recalls have returned counts, also what they returned a moment ago.
    await ctx.usage.flush();
    return await new Run(ctx, store, options, holder).perform(await begin(ctx, open, options));
  } finally {
    await store.endLease('maintenance', holder);
  }
}

/** One run under way, alone with its store. */
class Run {
  private run!: MaintenanceRun;
  private leaseTakenAt: number;
  private readonly touched: string[] = [];

  constructor(
    private readonly ctx: Context,
    private readonly store: Store,
    private readonly options: RunOptions,
    private readonly holder: string,
  ) {
    this.leaseTakenAt = ctx.host.now().getTime();
  }

  async perform({ run, basis }: { run: MaintenanceRun; basis: Basis }): Promise<MaintenanceRun> {
    const runs = await runsOf(this.store);
    // Whoever began these is dead: this run has the lease.
    const interrupted = runs.filter(it => it.status === 'running');
    this.run = { ...run, warnings: [...interrupted.map(afterInterruption), ...run.warnings] };
    await this.write(async tx => {
      for (const it of interrupted) await tx.putRecord('run', it.id, { ...it, status: 'interrupted' });
      await tx.putRecord('run', run.id, this.run);
    });
    const now = new Date(run.at);
    const whenIdle = async (): Promise<void> => {
      await this.options.whenIdle();
      await this.keepLease();
    };
    const planned = await plan(this.store, basis, { ...this.options, whenIdle, now, spent: spentSince(runs, now) });
    try {
      const whole = planned !== undefined && (await this.apply(planned));
      await this.finish(whole ? 'finished' : 'cancelled');
    } finally {
      if (this.touched.length > 0) this.options.changed(this.store, this.touched);
    }
    return this.run;
  }

  /** @returns false when it was called off */
  private async apply(planned: Plan): Promise<boolean> {
    const { leaving } = planned;
    this.run = filled(this.run, planned);
    return (
      (await this.leave('archive', 'faded', leaving.faded)) &&
      (await this.leave('expire', 'expired', leaving.expired)) &&
      (await this.saveScores(planned.scores)) &&
      (await this.leave('quota', 'quota', leaving.quota)) &&
      (await this.leave('prune', 'pruned', leaving.pruned)) &&
      (await this.lookForCandidates())
    );
  }

  /** Archives or deletes in batches; what somebody has touched since it was decided stays. */
  private async leave(pass: MaintenancePass, action: MaintenanceAction, leaving: readonly Leaving[]): Promise<boolean> {
    const keep = this.ctx.host.config().maintenance.keepDecisions;
    return this.inBatches(pass, leaving, batchSize, async batch => {
      const gone = await this.write(async tx => {
        const gone: Leaving[] = [];
        for (const it of batch) {
          const memory = await tx.get(it.decision.id);
          if (memory === undefined || fingerprint(memory) !== it.seen) continue;
          if (action === 'pruned') await tx.delete(memory.id, 'prune');
          else await tx.update(archived(memory, action, this.run.at), 'archive', this.because(action, it.decision));
          gone.push(it);
        }
        // With what it did: should the process be killed, the record says what had happened by then.
        await tx.putRecord('run', this.run.id, withGone(this.run, { action, gone, keep }));
        return gone;
      });
      this.run = withGone(this.run, { action, gone, keep });
      this.touched.push(...gone.map(it => it.decision.id));
    });
  }

  private async saveScores(scores: ReadonlyMap<string, number>): Promise<boolean> {
    return this.inBatches('score', [...scores], scoreBatchSize, async batch => {
      await this.write(tx => tx.saveScores(new Map(batch), scoringVersion));
      this.run = { ...this.run, counts: { ...this.run.counts, scored: this.run.counts.scored + batch.length } };
    });
  }

  private async lookForCandidates(): Promise<boolean> {
    const { onProgress } = this.options;
    if (this.options.candidates === undefined) return true;
    onProgress({ store: this.store.kind, pass: 'candidates', done: 0, total: 1 });
    await this.keepLease();
    const candidates = await countCandidates(this.ctx, this.store, this.options);
    if (candidates !== undefined) this.run = { ...this.run, candidates };
    // Called off here, all that changes something is done; only the count is missing.
    return true;
  }

  private async inBatches<T>(
    pass: MaintenancePass,
    items: readonly T[],
    size: number,
    work: (batch: readonly T[]) => Promise<void>,
  ): Promise<boolean> {
    for (let start = 0; start < items.length; start += size) {
      await this.options.whenIdle();
      if (this.options.signal.aborted) return false;
      await this.keepLease();
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
        await tx.log('maintain', { run: this.run.id, status, scoringVersion, ...counts });
      }
    });
  }

  private because(action: MaintenanceAction, { effective, score }: MaintenanceDecision): Record<string, unknown> {
    const why = score === undefined ? { effective: Math.round(effective * 10) / 10 } : { score };
    return { because: action, run: this.run.id, ...why };
  }

  private write<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return this.store.write(this.ctx.host.client, work);
  }

  /** Renews it when half of its time is over. @throws EngineError storeBusy when another process has taken it over */
  private async keepLease(): Promise<void> {
    const now = this.ctx.host.now().getTime();
    if (Math.abs(now - this.leaseTakenAt) < leaseMs / 2) return;
    if (!(await this.store.takeLease('maintenance', this.holder, leaseMs))) throw busy(this.store);
    this.leaseTakenAt = now;
  }
}

/** The runs of a store that are kept, newest first. One that its process left behind is told as interrupted. */
export async function runsOf(store: Store, now?: Date): Promise<MaintenanceRun[]> {
  return (await store.records<MaintenanceRun>('run')).map(({ at, body }) =>
    now !== undefined && body.status === 'running' && now.getTime() - Date.parse(at) > 2 * leaseMs
      ? { ...body, status: 'interrupted' }
      : body,
  );
}

/** A run about which nothing is known yet but what decides it. */
async function begin(
  ctx: Context,
  open: OpenStore,
  options: RunOptions,
): Promise<{ readonly run: MaintenanceRun; readonly basis: Basis }> {
  const basis = await readBasis(ctx, open, options);
  const now = ctx.host.now();
  const none = { faded: 0, expired: 0, quota: 0, pruned: 0 };
  const run: MaintenanceRun = {
    id: newId(now),
    store: open.store.kind,
    dryRun: options.dryRun,
    trigger: options.trigger,
    client: ctx.host.client,
    status: 'running',
    at: now.toISOString(),
    inputs: basis.inputs,
    processed: 0,
    counts: { ...none, scored: 0 },
    tiers: Object.fromEntries(
      tiers.map(it => [it, { quota: basis.inputs.quotas[it], before: 0, after: 0, protected: 0 }]),
    ) as Record<Tier, TierUse>,
    promisesToRevisit: 0,
    quotaBytes: 0,
    leftOver: 0,
    decisions: { faded: [], expired: [], quota: [], pruned: [] },
    more: none,
    nextToGo: [],
    warnings: basis.warnings,
  };
  for (const it of basis.warnings) ctx.host.log.warn(it);
  return { run, basis };
}

/** The run with what its plan knows, before any of it is done. */
function filled(run: MaintenanceRun, planned: Plan): MaintenanceRun {
  const { inputs, processed, tiers, promisesToRevisit, leftOver, nextToGo } = planned;
  return { ...run, inputs, processed, tiers, promisesToRevisit, leftOver, nextToGo };
}

/** The run when some memories more have left; the decisions about the first `keep` of each action are told. */
function withGone(
  run: MaintenanceRun,
  {
    action,
    gone,
    keep,
  }: { readonly action: MaintenanceAction; readonly gone: readonly Leaving[]; readonly keep: number },
): MaintenanceRun {
  const left = gone.map(it => it.decision);
  const count = run.counts[action] + left.length;
  const kept = [...run.decisions[action], ...left].slice(0, keep);
  const bytes = (of: readonly MaintenanceDecision[]): number => of.reduce((sum, it) => sum + it.bytes, 0);
  // What lies in the archive counts for no tier, and so what is deleted from there does not either.
  const leaves = (tier: Tier): number => (action === 'pruned' ? 0 : bytes(left.filter(it => it.tier === tier)));
  return {
    ...run,
    counts: { ...run.counts, [action]: count },
    quotaBytes: run.quotaBytes + (action === 'quota' ? bytes(left) : 0),
    tiers: Object.fromEntries(
      tiers.map(it => [it, { ...run.tiers[it], after: run.tiers[it].after - leaves(it) }]),
    ) as Record<Tier, TierUse>,
    decisions: { ...run.decisions, [action]: kept },
    more: { ...run.more, [action]: count - kept.length },
  };
}

/** What a person should know of a run whose process died. */
function afterInterruption({ id, at, counts }: MaintenanceRun): string {
  const archivedCount = counts.faded + counts.expired + counts.quota;
  return `The run #${handle({ id })} of ${at} was interrupted: its program ended in the middle. What it had done stays (${archivedCount} archived, ${counts.pruned} deleted), and this run went on from there.`;
}

function archived(memory: Memory, archiveReason: Exclude<MaintenanceAction, 'pruned'>, at: string): Memory {
  return { ...memory, status: 'archived', archiveReason, archivedAt: at };
}

/** Bytes that quotas have archived in runs of the last day: their limit holds for all of them together. */
function spentSince(runs: readonly MaintenanceRun[], now: Date): number {
  const recent = runs.filter(it => Math.abs(now.getTime() - Date.parse(it.at)) < dayMs);
  return recent.reduce((sum, it) => sum + it.quotaBytes, 0);
}

function busy(store: Store): EngineError {
  return new EngineError(
    'storeBusy',
    message`Another program is maintaining ${store.file} just now. Let it finish, or try again in a minute.`,
  );
}
