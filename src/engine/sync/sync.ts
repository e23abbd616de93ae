import { EngineError } from '../base/errors.js';
import type { CallTracker } from '../store/callTracker.js';
import { requireReachable, type Context } from '../context.js';
import type { SyncInput, SyncReport } from '../model/sync.js';
import { listFollowedMirrors, noteMirror } from './followedMirrors.js';
import { writeReports, writeTraces } from './lerimTraces.js';
import { findMirrorTarget, type MirrorTarget } from './mirrorTarget.js';
import { SyncEngine } from './syncEngine.js';

/** Two-way sync of a project's memories, or of the global ones, with a folder of Markdown files. Part of the façade. */
export class Sync {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Carries changes between memories and files, in both directions. A change on both sides is a conflict: neither side is
   * touched until the person has decided.
   * @throws EngineError invalidInput | storeReadOnly | aborted, and what writing a store throws; what was written stays
   */
  async run(input: SyncInput = {}): Promise<SyncReport> {
    const { report, target } = await this.sync(input);
    if (input.dryRun !== true && input.globalFolder === undefined) await noteMirror(this.ctx, target, report);
    return report;
  }

  /**
   * Syncs the folders that a person has synced once with the memory of a project, as far as nothing needs their word: conflicts,
   * and memories whose files are gone, wait and become an alert. A folder that cannot be synced now costs no other one.
   * @param folder one of the host's folders
   */
  async follow(folder: string, signal?: AbortSignal): Promise<readonly SyncReport[]> {
    const reports: SyncReport[] = [];
    for (const mirror of await this.calls.run(() => listFollowedMirrors(this.ctx, folder))) {
      if (signal?.aborted === true) break;
      const input = { folder, mirror, isFollowing: true, ...(signal === undefined ? {} : { signal }) } as const;
      try {
        reports.push(await this.run(input));
      } catch (error) {
        if (!EngineError.is(error)) throw error;
        this.ctx.host.log.warn(`The folder ${mirror} could not be synced (${error.code}).`);
      }
    }
    return reports;
  }

  private sync(input: SyncInput): Promise<{ readonly report: SyncReport; readonly target: MirrorTarget }> {
    return this.calls.change(async onWritten => {
      const target = await findMirrorTarget(this.ctx, input);
      requireReachable(this.ctx, target.store);
      // New files belong to this project's memory, whichever project is open first.
      const stores = this.ctx.stores.filter(
        it => target.store.kind === 'global' || it.store === target.store || it.store.kind === 'global',
      );
      const traces =
        input.traces === true ? await writeTraces(target.store, target.root, input.dryRun === true) : undefined;
      const engine = new SyncEngine({ ...this.ctx, stores }, { ...target, traces: traces?.files }, input, onWritten);
      const synced = await engine.run();
      const report = {
        ...synced,
        ...(target.notes.length === 0 ? {} : { notes: target.notes }),
        ...(traces === undefined ? {} : { traces: traces.files.size, refused: [...synced.refused, ...traces.refused] }),
      };
      if (traces !== undefined && input.dryRun !== true)
        await writeReports(target.store, target.root, report, this.ctx.host.now().toISOString());
      return { report, target };
    });
  }
}
