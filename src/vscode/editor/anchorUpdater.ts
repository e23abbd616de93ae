import * as vscode from 'vscode';
import type { Log } from '../../engine/model/host.js';
import type { EngineHolder } from '../engineHolder.js';

/** Git takes many files away at once, and puts others there; then it is quiet. */
const debounceMs = 2_000;

/**
 * Lets memories follow the files they are about: at once when somebody renames or moves them in the editor; otherwise,
 * when files have gone while nobody looked or behind the editor's back, git and the code itself say where they are.
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
      // Git is asked, and a folder that nobody trusts is none to start programs in.
      if (state.kind !== 'open' || !vscode.workspace.isTrusted) return;
      this.enqueue('followed', async () => {
        await state.engine.codeAnchors.update();
      });
    }, debounceMs);
  }

  /** One after another: what was renamed in the editor is no longer missing when it is looked for. */
  private enqueue(operation: string, work: () => Promise<void>): void {
    this.updateQueue = this.updateQueue.then(work).catch((error: unknown) => {
      this.log.warn(`Files were not ${operation}: ${error instanceof Error ? error.name : typeof error}.`);
    });
  }
}
