import * as vscode from 'vscode';
import type { MaintenanceOptions, MemoryEngine } from '../../engine/engine.js';
import type { MaintenanceRun } from '../../engine/model/maintenance.js';
import { commandIds, maintenanceReportScheme } from '../contributions.js';
import { confirmModal } from '../ui/confirmModal.js';
import { renderMaintenanceReport } from '../ui/maintenanceReport.js';
import type { UserNotification } from '../ui/notifications.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';

const reportUri = vscode.Uri.from({ scheme: maintenanceReportScheme, path: '/maintenance.md' });

/** "Run Maintenance" and "Preview Maintenance", and the report that the latter opens. */
export class MaintenanceCommands implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private report: string | undefined;

  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly commands: CommandRegistry,
    private readonly engineHolder: EngineHolder,
  ) {
    commands.register(commandIds.runMaintenance, () => this.run());
    commands.register(commandIds.previewMaintenance, () => this.preview());
    this.subscriptions = [
      this.changeEmitter,
      vscode.workspace.registerTextDocumentContentProvider(maintenanceReportScheme, this),
    ];
  }

  /** The report is not stored, so it is created again after a reload of the window. */
  async provideTextDocumentContent(): Promise<string> {
    this.report ??= await createReport(await this.engineHolder.engine(), {});
    return this.report;
  }

  /** Shows what runs archived and deleted, and offers to undo the archiving. */
  reportRuns(runs: readonly MaintenanceRun[]): void {
    const { archived, pruned } = countRemovals(runs);
    if (archived + pruned === 0) {
      this.notify({ message: vscode.l10n.t('Maintenance is done. Nothing had to go.') });
      return;
    }
    const message = vscode.l10n.t(
      'Maintenance is done: {0} forgotten, {1} deleted for good.',
      countLabel(archived, 'memory'),
      formatInteger(pruned),
    );
    const undo = { title: vscode.l10n.t('Restore Them'), run: () => this.undo(runs) };
    this.notify({ message, topic: 'maintained', actions: archived === 0 ? [] : [undo] });
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  /**
   * Runs maintenance. Asks for confirmation first where memories would be archived or deleted.
   * @param preview of the same maintenance, a run per store
   * @returns undefined when the user declined
   */
  async confirmAndRun(
    engine: MemoryEngine,
    preview: readonly MaintenanceRun[],
  ): Promise<readonly MaintenanceRun[] | undefined> {
    const { archived, pruned } = countRemovals(preview);
    if (archived + pruned > 0) {
      const confirmed = await confirmModal({
        question: vscode.l10n.t('Run maintenance?'),
        detail: vscode.l10n.t(
          'To forget: {0}. To delete for good: {1}.\n\nWhat is forgotten can be restored, and a recall brings back what it finds of it. Deleting for good cannot be undone.',
          formatInteger(archived),
          formatInteger(pruned),
        ),
        button: vscode.l10n.t('Run Maintenance'),
        severity: 'warning',
      });
      if (!confirmed) return undefined;
    }
    return this.runWithProgress(engine);
  }

  private async run(): Promise<void> {
    const runs = await this.runWithProgress(await this.engineHolder.engine());
    if (runs.some(it => it.status === 'cancelled')) {
      this.notify({ message: vscode.l10n.t('Maintenance was cancelled. Run it again to go on from there.') });
      return;
    }
    this.reportRuns(runs);
  }

  private async runWithProgress(engine: MemoryEngine): Promise<readonly MaintenanceRun[]> {
    const options = {
      title: vscode.l10n.t('Maintaining the memory'),
      unit: formatInteger,
      hasMultiplePasses: true,
    } as const;
    const runs = await withProgress(options, progressContext => engine.maintenance.run(progressContext));
    if (this.report !== undefined) await this.refreshReport(engine);
    return runs;
  }

  private async preview(): Promise<void> {
    const engine = await this.engineHolder.engine();
    const title = vscode.l10n.t('Looking what maintenance would do');
    const options = { title, unit: formatInteger, hasMultiplePasses: true } as const;
    this.report = await withProgress(options, progressContext => createReport(engine, progressContext));
    this.changeEmitter.fire(reportUri);
    await vscode.window.showTextDocument(reportUri, { preview: true });
  }

  private async refreshReport(engine: MemoryEngine): Promise<void> {
    this.report = await createReport(engine, {});
    this.changeEmitter.fire(reportUri);
  }

  private async undo(runs: readonly MaintenanceRun[]): Promise<void> {
    const engine = await this.engineHolder.engine();
    let restoredCount = 0;
    for (const it of runs) restoredCount += (await engine.maintenance.undo(it.id)).length;
    this.notify({ message: vscode.l10n.t('Active again: {0}.', countLabel(restoredCount, 'memory')) });
  }

  private notify(notice: UserNotification): void {
    this.commands.notify(commandIds.runMaintenance, notice);
  }
}

/** The numbers of memories that runs archive and delete. */
function countRemovals(runs: readonly MaintenanceRun[]): { readonly archived: number; readonly pruned: number } {
  const sum = (countOf: (counts: MaintenanceRun['counts']) => number): number =>
    runs.reduce((all, it) => all + countOf(it.counts), 0);
  return { archived: sum(it => it.faded + it.expired + it.quota), pruned: sum(it => it.pruned) };
}

async function createReport(engine: MemoryEngine, options: MaintenanceOptions): Promise<string> {
  const runs = await engine.maintenance.preview(options);
  const ids = runs.flatMap(it =>
    [...Object.values(it.decisions).flat(), ...it.nextToGo, ...(it.takenBack?.items ?? [])].map(({ id }) => id),
  );
  return renderMaintenanceReport(runs, new Map((await engine.getMany(ids)).map(it => [it.id, it])));
}
