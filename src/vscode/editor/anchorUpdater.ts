import * as vscode from 'vscode';
import type { Log } from '../../engine/model/host.js';
import type { EngineHolder } from '../engineHolder.js';

/** Git deletes and creates many files within a moment. */
const debounceMs = 2_000;

/**
 * Updates the anchors of memories when files move: at once for a rename in the editor. For files that have disappeared
 * otherwise, the engine locates them by git and by their code.
 */
export class AnchorUpdater implements vscode.Disposable {
  private readonly subscriptions: { dispose(): unknown }[];
  private debounceTimer: NodeJS.Timeout | undefined;
  private updateQueue: Promise<void> = Promise.resolve();

  constructor(
    private readonly engineHolder: EngineHolder,
    private readonly log: Log,
  ) {
    const watcher = vscode.workspace.createFileSystemWatcher('**/*', true, true, false);
    this.subscriptions = [
      watcher,
      watcher.onDidDelete(() => {
        if (engineHolder.state.kind === 'open') this.scheduleUpdate();
      }),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        this.enqueue('renamed', async () => {
          const engine = await engineHolder.engineIfAvailable();
          const moves = files.map(it => ({ from: it.oldUri.toString(), to: it.newUri.toString() }));
          await engine?.codeAnchors.applyRenames(moves);
        });
      }),
      engineHolder.onDidChangeState(({ kind }) => {
        if (kind === 'open') this.scheduleUpdate();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.debounceTimer);
    for (const it of this.subscriptions) it.dispose();
  }

  private scheduleUpdate(): void {
    clearTimeout(this.debounceTimer);
    this.debounceTimer = setTimeout(() => {
      const { state } = this.engineHolder;
      // The update runs git, which must not happen in an untrusted workspace.
      if (state.kind !== 'open' || !vscode.workspace.isTrusted) return;
      this.enqueue('followed', async () => {
        await state.engine.codeAnchors.update();
      });
    }, debounceMs);
  }

  /** In sequence, so that a file renamed in the editor is not missing in the next update. */
  private enqueue(operation: string, work: () => Promise<void>): void {
    this.updateQueue = this.updateQueue.then(work).catch((error: unknown) => {
      this.log.warn(`Files were not ${operation}: ${error instanceof Error ? error.name : typeof error}.`);
    });
  }
}
