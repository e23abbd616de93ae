import type { CallTracker } from '../callTracker.js';
import { requireWorkspaceFolder, storeOfFolder, type Context } from '../context.js';
import type { SyncInput, SyncReport } from '../model/sync.js';
import { resolveMirrorFolder } from './mirrorFiles.js';
import { SyncEngine } from './syncEngine.js';

/** Two-way sync of a project's memories with a folder of Markdown files. Part of the façade. */
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
    return this.calls.change(onWritten => {
      const folder = requireWorkspaceFolder(this.ctx, input.folder);
      const root = resolveMirrorFolder(folder, input.mirror);
      return new SyncEngine(this.ctx, storeOfFolder(this.ctx, folder), root, { ...input, folder }, onWritten).run();
    });
  }
}
