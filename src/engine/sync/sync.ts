import type { CallTracker } from '../callTracker.js';
import { requireReachable, type Context } from '../context.js';
import type { SyncInput, SyncReport } from '../model/sync.js';
import { writeReports, writeTraces } from './lerimTraces.js';
import { findMirrorTarget } from './mirrorTarget.js';
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
  run(input: SyncInput = {}): Promise<SyncReport> {
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
      return report;
    });
  }
}
