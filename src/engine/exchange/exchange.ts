import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { ChangedImport, ImportInput, ImportReport, ImportUndo, PastImport } from '../model/importReport.js';
import type { StoreScope } from '../model/memory.js';
import { exportMemories, type ExportFormat } from './exporter.js';
import { listChangedImports, settleChangedImports } from './followedFiles.js';
import { importMemories } from './importer.js';
import { listImports, undoImport } from './importLog.js';

/** Memories to and from files: exports, and files of other programs. Part of the façade. */
export class Exchange {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** The stores of a scope as text in chunks; see {@link exportMemories}. @throws EngineError closed */
  export(format: ExportFormat, scope: StoreScope = 'project-then-global'): AsyncIterable<string> {
    this.calls.assertOpen();
    return exportMemories(this.ctx, format, scope);
  }

  /**
   * Imports the memories of another program or of an own export, as notes unless the person vouches for them. Importing
   * the same file twice changes nothing.
   * @throws EngineError invalidInput | unsupportedFile | aborted, and what writing a store throws; what was written stays
   */
  import(input: ImportInput): Promise<ImportReport> {
    return this.calls.change(onWritten => importMemories(this.ctx, input, onWritten));
  }

  /** Imports that can be undone, newest first. */
  listImports(): Promise<readonly PastImport[]> {
    return this.calls.run(() => listImports(this.ctx));
  }

  /**
   * Deletes the memories of an import, the newest one by default, and gives those that it reinforced or weakened their
   * fields back. What was changed, confirmed or said again since stays.
   * @param reference its id, or the end of it
   * @throws EngineError notFound, and what writing a store throws
   */
  undoImport(reference?: string): Promise<ImportUndo> {
    return this.calls.change(onWritten => undoImport(this.ctx, reference, onWritten));
  }

  /** Imported files that say something else than they did, with what is new, changed and gone. */
  changedFiles(): Promise<readonly ChangedImport[]> {
    return this.calls.run(() => listChangedImports(this.ctx));
  }

  /**
   * Takes the changes of imported files over, or leaves the memory as it is and follows the files from here on.
   * @param input.file as it is listed; all by default
   * @returns what was taken or left
   * @throws EngineError notFound, and what writing a store throws
   */
  settleChanged(input: {
    readonly file?: string;
    readonly decision: 'take' | 'leave';
  }): Promise<readonly ChangedImport[]> {
    return this.calls.change(onWritten =>
      settleChangedImports(this.ctx, input, {
        importFile: path => importMemories(this.ctx, { path, format: 'markdown' }, onWritten),
        onWritten,
      }),
    );
  }
}
