import * as vscode from 'vscode';
import type { Log } from '../../engine/model/host.js';
import type { MemorySession } from '../session.js';

/** Git takes many files away at once, and puts others there; then it is quiet. */
const settleMs = 2_000;

/**
 * Lets memories follow the files they are about: at once when somebody renames or moves them in the editor; otherwise,
 * when files have gone while nobody looked or behind the editor's back, git and the code itself say where they are.
 */
export class Renames implements vscode.Disposable {
  private readonly subscriptions: { dispose(): unknown }[];
  private settling: NodeJS.Timeout | undefined;
  private following: Promise<void> = Promise.resolve();

  constructor(
    private readonly session: MemorySession,
    private readonly log: Log,
  ) {
    const watcher = vscode.workspace.createFileSystemWatcher('**/*', true, true, false);
    this.subscriptions = [
      watcher,
      watcher.onDidDelete(() => {
        if (session.state.kind === 'open') this.followSoon();
      }),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        this.inTurn('renamed', async () => {
          const engine = await session.engineForDisplay();
          const moves = files.map(it => ({ from: it.oldUri.toString(), to: it.newUri.toString() }));
          await engine?.anchors.renamed(moves);
        });
      }),
      session.onDidChangeState(({ kind }) => {
        if (kind === 'open') this.followSoon();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.settling);
    for (const it of this.subscriptions) it.dispose();
  }

  private followSoon(): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const { state } = this.session;
      // Git is asked, and a folder that nobody trusts is none to start programs in.
      if (state.kind !== 'open' || !vscode.workspace.isTrusted) return;
      this.inTurn('followed', async () => {
        await state.engine.anchors.follow();
      });
    }, settleMs);
  }

  /** One after another: what was renamed in the editor is no longer missing when it is looked for. */
  private inTurn(what: string, work: () => Promise<void>): void {
    this.following = this.following.then(work).catch((error: unknown) => {
      this.log.warn(`Files were not ${what}: ${error instanceof Error ? error.name : typeof error}.`);
    });
  }
}
