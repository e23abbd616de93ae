import { EngineError } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { storesInScope, type Context, type OpenStore } from '../context.js';
import type { Alert, MaintenanceProgress, MaintenanceRun, Metrics } from '../model/maintenance.js';
import type { Memory, StoreScope } from '../model/memory.js';
import type { ClockGap } from '../scoring/agingTime.js';
import type { Store } from '../store/store.js';
import { collectProgramAlerts, collectStoreAlerts, confirmDamage, confirmRemovals } from './alerts.js';
import { maintenanceStateId, nextDue, type MaintenanceState } from './due.js';
import type { RunOverrides } from './runInputs.js';
import { collectMetrics } from './metrics.js';
import { findTakenBack, undoTakeBack } from './takeBack.js';
import { previewStore, listRuns, runStore, type MergeCandidateCounter, type RunOptions } from './run.js';

/** Pause after a scheduled run that was cancelled. */
const retryAfterMs = 60 * 60_000;
/** Memories restored per transaction. */
const batchSize = 100;

export interface MaintenanceOptions extends RunOverrides {
  readonly scope?: StoreScope;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MaintenanceProgress) => void;
}

/** Parts of other features. */
export interface MaintenanceParts {
  readonly countCandidates?: MergeCandidateCounter;
  /** Deletes decisions that are kept for a day. */
  readonly pruneDecisions?: (ctx: Context, store: Store) => Promise<void>;
  readonly otherAlerts?: readonly ((ctx: Context) => Promise<readonly Alert[]>)[];
}

/** Maintenance of the stores: runs, their review and undo, and metrics. */
export class Maintenance {
  /** Of the last scheduled run. */
  private failure: LocalizableMessage | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly parts: MaintenanceParts,
  ) {}

  /**
   * Preview of `run`, per store. Changes nothing, not even the files. If `signal` is aborted, the current
   * store's run is `cancelled`.
   */
  preview(options: MaintenanceOptions = {}): Promise<readonly MaintenanceRun[]> {
    return this.forEachStore(options, 'person', async (open, run) =>
      previewStore(this.ctx, open, { ...run, dryRun: true }),
    );
  }

  /**
   * Decays, archives, expires, scores, applies quotas and prunes, in every store of the scope. Yields to calls. Aborted
   * by `signal` or by closing the engine, it ends soon as `cancelled`, and the next run continues.
   * @throws EngineError storeBusy while another process maintains a store, and errors of writing a store
   */
  run(options: MaintenanceOptions = {}): Promise<readonly MaintenanceRun[]> {
    return this.forEachStore(options, 'person', async (open, run) => {
      await this.parts.pruneDecisions?.(this.ctx, open.store);
      return runStore(this.ctx, open, run);
    });
  }

  /**
   * Runs maintenance in writable stores whose interval has passed, once across all processes. The first call for a
   * store starts its first interval; an interval of 0 days means never.
   * @returns the runs; none for a store that another process maintains
   */
  async runIfDue(options: MaintenanceOptions = {}): Promise<readonly MaintenanceRun[]> {
    try {
      await this.calls.run(() => this.ctx.aging.observe());
      const runs = await this.forEachStore(options, 'schedule', (open, run) => this.runStoreIfDue(open, run));
      this.failure = undefined;
      return runs;
    } catch (error) {
      if (!EngineError.is(error, 'closed')) this.failure = describeFailure(error);
      throw error;
    }
  }

  /** Alerts: a tier over its quota, a run that removed much, what fails. The stores' come first. */
  alerts(): Promise<readonly Alert[]> {
    return this.calls.run(() => this.collectAlerts());
  }

  /** Alerts that concern a store: counts all memories. */
  storeAlerts(): Promise<readonly Alert[]> {
    return this.calls.run(() => this.collectStoreAlerts());
  }

  /** Alerts that concern this program and no store: reads nothing. */
  programAlerts(): readonly Alert[] {
    return collectProgramAlerts(this.ctx, { write: this.calls.writeError, maintenance: this.failure });
  }

  /** A person has seen the alerts; of those whose cause lasts, the next failure brings one back. */
  confirmAlerts(): Promise<void> {
    return this.calls.run(async () => {
      await confirmRemovals(this.ctx);
      await confirmDamage(this.ctx);
      this.failure = undefined;
      this.calls.forgetWriteError();
    });
  }

  /** A time without use, after which the clock may be wrong; undefined where there is none, or a person confirmed it. */
  get clockGap(): ClockGap | undefined {
    return this.ctx.aging.gap;
  }

  /** Sentences on stores that are older copies of themselves, at once; `verify` looks at all of a store. */
  olderCopies(): Promise<readonly string[]> {
    return this.calls.run(async () => {
      const problems: string[] = [];
      for (const { store } of this.ctx.stores) {
        const problem = await store.olderCopyProblem?.();
        if (problem !== undefined) problems.push(problem);
      }
      return problems;
    });
  }

  /** A person says that the date is right: the time without use makes memories older too. */
  confirmClock(): Promise<void> {
    return this.calls.run(async () => {
      await this.ctx.aging.confirm();
      this.calls.notify({ store: 'global', ids: [] });
    });
  }

  /** Newest first, of every store. */
  runs(limit = 50): Promise<readonly MaintenanceRun[]> {
    return this.calls.run(async () => {
      const now = this.ctx.host.now();
      const runs = (await Promise.all(this.ctx.stores.map(it => listRuns(it.store, now)))).flat();
      return runs.sort((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1)).slice(0, limit);
    });
  }

  /**
   * Reactivates the memories that a run archived and that have not changed since. Their decay restarts, and notes do
   * not expire again. Pruned memories cannot be restored. What the run took back of earlier rules holds again.
   * @returns the changed memories
   * @throws EngineError notFound, and errors of writing a store
   */
  undo(runId: string): Promise<readonly Memory[]> {
    return this.calls.change(async onWritten => {
      const { store, run, ids } = await this.findArchivedBy(runId);
      const restored = new Map<string, Memory>();
      const inBatches = async (
        of: readonly string[],
        restore: (batch: readonly string[]) => Promise<readonly Memory[]>,
      ): Promise<void> => {
        for (let start = 0; start < of.length; start += batchSize) {
          const batch = await restore(of.slice(start, start + batchSize));
          onWritten(
            store,
            batch.map(it => it.id),
          );
          for (const it of batch) restored.set(it.id, it);
        }
      };
      await inBatches(ids, batch => this.restore(store, batch, run));
      await inBatches(await findTakenBack(store, run.id), batch =>
        store.write(this.ctx.host.client, async tx => {
          const memories: Memory[] = [];
          for (const id of batch) memories.push(...(await undoTakeBack(tx, run.id, id)));
          return memories;
        }),
      );
      return [...restored.values()];
    });
  }

  /** Number of memories that `undo` would change. @throws EngineError notFound */
  countUndoable(runId: string): Promise<number> {
    return this.calls.run(async () => {
      const { store, run, ids } = await this.findArchivedBy(runId);
      const taken = run.takenBack === undefined ? [] : await findTakenBack(store, run.id);
      return new Set([...ids, ...taken]).size;
    });
  }

  metrics(): Promise<Metrics> {
    return this.calls.run(async () => collectMetrics(this.ctx, store => this.dueAt(store), await this.collectAlerts()));
  }

  private async collectAlerts(): Promise<readonly Alert[]> {
    return [...(await this.collectStoreAlerts()), ...this.programAlerts()];
  }

  private async collectStoreAlerts(): Promise<readonly Alert[]> {
    const others = await Promise.all((this.parts.otherAlerts ?? []).map(it => it(this.ctx)));
    return [...(await collectStoreAlerts(this.ctx)), ...others.flat()];
  }

  /** @returns undefined where nothing is due, or another process maintains the store */
  private async runStoreIfDue(open: OpenStore, options: RunOptions): Promise<MaintenanceRun | undefined> {
    const { store } = open;
    if (store.readOnly) return undefined;
    await this.parts.pruneDecisions?.(this.ctx, store);
    if (!(await this.isDue(store))) return undefined;
    try {
      return await runStore(this.ctx, open, options, () => this.isDue(store));
    } catch (error) {
      if (EngineError.is(error, 'storeBusy')) return undefined;
      throw error;
    }
  }

  /** Memories that a run archived and that have not changed since. */
  private async findArchivedBy(runId: string): Promise<{ store: Store; run: MaintenanceRun; ids: readonly string[] }> {
    for (const { store } of this.ctx.stores) {
      const record = await store.record<MaintenanceRun>('run', runId);
      if (record !== undefined) return { store, run: record.body, ids: await store.autoArchivedAt(record.body.at) };
    }
    throw new EngineError(
      'notFound',
      message`There is no maintenance run ${runId.slice(0, 40)}. List them: recollect maintain --runs.`,
    );
  }

  private async restore(store: Store, ids: readonly string[], run: MaintenanceRun): Promise<Memory[]> {
    const { host } = this.ctx;
    const updatedAt = host.now().toISOString();
    return store.write(host.client, async tx => {
      const restored: Memory[] = [];
      for (const id of ids) {
        const memory = await tx.get(id);
        if (memory?.status !== 'archived' || memory.archivedAt !== run.at) continue;
        const { archivedAt, archiveReason, ...rest } = memory;
        const after: Memory = { ...rest, status: 'active', updatedAt };
        await tx.update(after, 'restore', { because: 'undone', run: run.id });
        restored.push(after);
      }
      return restored;
    });
  }

  /** Time of the next scheduled run: an interval after the last finished run, or after the first request. */
  private async dueAt(store: Store): Promise<Date | undefined> {
    const from = intervalStart(
      await listRuns(store),
      await store.record<MaintenanceState>('state', maintenanceStateId),
    );
    return from === undefined ? undefined : nextDue(from, this.ctx.host.config());
  }

  private async isDue(store: Store): Promise<boolean> {
    const now = this.ctx.host.now();
    const config = this.ctx.host.config();
    if (config.maintenance.intervalDays <= 0) return false;
    const [runs, state] = [await listRuns(store), await store.record<MaintenanceState>('state', maintenanceStateId)];
    const from = intervalStart(runs, state) ?? now.toISOString();
    if (state?.body.from !== from) {
      // For programs that look without an engine whether there is something to do.
      await store.write(this.ctx.host.client, tx => tx.putRecord('state', maintenanceStateId, { from }));
    }
    return nextDue(from, config).getTime() <= now.getTime() && !wasJustCancelled(runs[0], now);
  }

  /** Sequentially. */
  private forEachStore(
    { scope = 'project-then-global', signal, onProgress = () => undefined, ...settings }: MaintenanceOptions,
    trigger: RunOptions['trigger'],
    work: (open: OpenStore, options: RunOptions) => Promise<MaintenanceRun | undefined>,
  ): Promise<readonly MaintenanceRun[]> {
    return this.calls.runInBackground(signal, async combinedSignal => {
      const storesToMaintain = new Set(storesInScope(this.ctx, scope));
      const runs: MaintenanceRun[] = [];
      for (const open of this.ctx.stores.filter(it => storesToMaintain.has(it.store))) {
        if (combinedSignal.aborted) break;
        const run = await work(open, {
          ...settings,
          dryRun: false,
          trigger,
          signal: combinedSignal,
          onProgress,
          whenIdle: () => this.calls.whenIdle(),
          onChanged: (store: Store, ids) => {
            this.calls.notifyChanged(store, ids);
          },
          countCandidates: this.parts.countCandidates,
        });
        if (run !== undefined) runs.push(run);
      }
      return runs;
    });
  }
}

/** Of an unknown error nothing but its name is shown: it may hold text of a memory. */
function describeFailure(error: unknown): LocalizableMessage {
  return EngineError.is(error) ? error.localizable : message`The log says why.`;
}

/** The start of the current interval: the last finished run, or the first request. */
function intervalStart(
  runs: readonly MaintenanceRun[],
  state: { readonly body: MaintenanceState } | undefined,
): string | undefined {
  const last = runs.find(it => it.status === 'finished')?.at;
  const first = state?.body.from;
  return last === undefined || (first !== undefined && first > last) ? first : last;
}

/** Whether a scheduled run did not get done in its time lately: it would not now either. */
function wasJustCancelled(run: MaintenanceRun | undefined, now: Date): boolean {
  if (run?.status !== 'cancelled' || run.trigger !== 'schedule') return false;
  return now.getTime() - Date.parse(run.at) < retryAfterMs;
}
