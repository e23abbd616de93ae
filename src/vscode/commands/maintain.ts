import * as vscode from 'vscode';
import type { MaintenanceOptions, MemoryEngine } from '../../engine/engine.js';
import type { MaintenanceRun } from '../../engine/model/maintenance.js';
import { commandIds, maintenanceScheme } from '../contributions.js';
import { maintenancePage } from '../maintenancePage.js';
import type { Notice } from '../notices.js';
import type { MemorySession } from '../session.js';
import { counted, countWord } from '../words.js';
import { withProgress } from './progress.js';
import type { Commands } from './registry.js';

const previewUri = vscode.Uri.from({ scheme: maintenanceScheme, path: '/maintenance.md' });

/** "Run Maintenance", and "Preview Maintenance", whose page has a button to run it. */
export class MaintenanceCommands implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private page: string | undefined;

  readonly onDidChange = this.changed.event;

  constructor(
    private readonly commands: Commands,
    private readonly session: MemorySession,
  ) {
    commands.register(commandIds.runMaintenance, () => this.run());
    commands.register(commandIds.previewMaintenance, () => this.preview());
    this.subscriptions = [this.changed, vscode.workspace.registerTextDocumentContentProvider(maintenanceScheme, this)];
  }

  /** After a reload of the window the page is made anew. */
  async provideTextDocumentContent(): Promise<string> {
    this.page ??= await pageOf(await this.session.engine(), {});
    return this.page;
  }

  /** Says what runs took out, and offers to bring it back. */
  tell(runs: readonly MaintenanceRun[]): void {
    const { archived, pruned } = departures(runs);
    if (archived + pruned === 0) {
      this.inform({ message: vscode.l10n.t('Maintenance is done. Nothing had to go.') });
      return;
    }
    const message = vscode.l10n.t(
      'Maintenance is done: {0} archived, {1} deleted from the archive.',
      counted(archived, 'memory'),
      countWord(pruned),
    );
    const undo = { title: vscode.l10n.t('Undo Archiving'), run: () => this.undo(runs) };
    this.inform({ message, topic: 'maintained', actions: archived === 0 ? [] : [undo] });
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  /**
   * Runs maintenance after the person's yes, which is asked for only where memories would go.
   * @param preview what it would do, store by store
   * @returns undefined when they said no
   */
  async agreeAndRun(
    engine: MemoryEngine,
    preview: readonly MaintenanceRun[],
  ): Promise<readonly MaintenanceRun[] | undefined> {
    const { archived, pruned } = departures(preview);
    if (archived + pruned > 0) {
      const yes = vscode.l10n.t('Run Maintenance');
      const answer = await vscode.window.showWarningMessage(
        vscode.l10n.t('Run maintenance?'),
        {
          modal: true,
          detail: vscode.l10n.t(
            'To be archived: {0}. To be deleted from the archive: {1}.\n\nArchiving can be undone, and a recall brings back what it finds there. Deleting cannot be undone.',
            countWord(archived),
            countWord(pruned),
          ),
        },
        yes,
      );
      if (answer !== yes) return undefined;
    }
    return this.work(engine);
  }

  private async run(): Promise<void> {
    const runs = await this.work(await this.session.engine());
    if (runs.some(it => it.status === 'cancelled')) {
      this.inform({ message: vscode.l10n.t('Maintenance was called off. Run it again to go on from there.') });
      return;
    }
    this.tell(runs);
  }

  private async work(engine: MemoryEngine): Promise<readonly MaintenanceRun[]> {
    const options = { title: vscode.l10n.t('Maintaining the memory'), unit: countWord, passes: true } as const;
    const runs = await withProgress(options, means => engine.maintenance.run(means));
    if (this.page !== undefined) await this.refresh(engine);
    return runs;
  }

  private async preview(): Promise<void> {
    const engine = await this.session.engine();
    const title = vscode.l10n.t('Looking what maintenance would do');
    const options = { title, unit: countWord, passes: true } as const;
    this.page = await withProgress(options, means => pageOf(engine, means));
    this.changed.fire(previewUri);
    await vscode.window.showTextDocument(previewUri, { preview: true });
  }

  private async refresh(engine: MemoryEngine): Promise<void> {
    this.page = await pageOf(engine, {});
    this.changed.fire(previewUri);
  }

  private async undo(runs: readonly MaintenanceRun[]): Promise<void> {
    const engine = await this.session.engine();
    let back = 0;
    for (const it of runs) back += (await engine.maintenance.undo(it.id)).length;
    this.inform({ message: vscode.l10n.t('Active again: {0}.', counted(back, 'memory')) });
  }

  private inform(notice: Notice): void {
    this.commands.tell(commandIds.runMaintenance, notice);
  }
}

/** How many memories runs archive and delete. */
function departures(runs: readonly MaintenanceRun[]): { readonly archived: number; readonly pruned: number } {
  const sum = (of: (counts: MaintenanceRun['counts']) => number): number =>
    runs.reduce((all, it) => all + of(it.counts), 0);
  return { archived: sum(it => it.faded + it.expired + it.quota), pruned: sum(it => it.pruned) };
}

async function pageOf(engine: MemoryEngine, options: MaintenanceOptions): Promise<string> {
  const runs = await engine.maintenance.preview(options);
  const ids = runs.flatMap(it => [...Object.values(it.decisions).flat(), ...it.nextToGo].map(({ id }) => id));
  return maintenancePage(runs, new Map((await engine.getAll(ids)).map(it => [it.id, it])));
}
