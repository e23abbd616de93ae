import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { MaintenanceRun } from '../../engine/model/maintenance.js';
import { commandIds } from '../contributions.js';
import { confirmModal } from '../ui/confirmModal.js';
import { showStatusMessage } from '../ui/messages.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';

/** "Run Maintenance…": the question before it, the work, and what is said afterwards. */
export class MaintenanceCommands {
  constructor(
    private readonly commands: CommandRegistry,
    private readonly engineHolder: EngineHolder,
  ) {
    commands.register(commandIds.runMaintenance, () => this.run());
  }

  /** Shows what runs archived and deleted, and offers to undo the archiving. */
  reportRuns(runs: readonly MaintenanceRun[]): void {
    const { archived, pruned } = countRemovals(runs);
    if (archived + pruned === 0) {
      showStatusMessage(vscode.l10n.t('Maintenance is done. Nothing had to go.'), statusMessageMs, 'check');
      return;
    }
    const message = vscode.l10n.t(
      'Maintenance is done: {0} forgotten, {1} deleted for good.',
      countLabel(archived, 'memory'),
      formatInteger(pruned),
    );
    const undo = { title: vscode.l10n.t('Restore Them'), run: () => this.undo(runs) };
    this.commands.notify(commandIds.runMaintenance, {
      message,
      topic: 'maintained',
      actions: archived === 0 ? [] : [undo],
    });
  }

  /**
   * Runs maintenance. Finds out first what would go, and asks with the numbers where anything would; the inspector shows what,
   * for a person who wants to see it before.
   * @returns a run per store; undefined when the person declined or looks at the preview
   */
  async confirmAndRun(engine: MemoryEngine): Promise<readonly MaintenanceRun[] | undefined> {
    const title = vscode.l10n.t('Looking what maintenance would do');
    const preview = await withProgress({ title, unit: formatInteger, hasMultiplePasses: true }, progressContext =>
      engine.maintenance.preview(progressContext),
    );
    const { archived, pruned } = countRemovals(preview);
    if (archived + pruned > 0) {
      const confirmed = await confirmModal({
        question: vscode.l10n.t('Run maintenance?'),
        detail: describeRemovals(archived, pruned),
        button: vscode.l10n.t('Run Maintenance'),
        ...(pruned === 0 ? {} : { severity: 'warning' }),
        more: {
          title: vscode.l10n.t('Show What'),
          run: () => vscode.commands.executeCommand(commandIds.previewMaintenance),
        },
      });
      if (!confirmed) return undefined;
    }
    const running = vscode.l10n.t('Maintaining the memory');
    return withProgress({ title: running, unit: formatInteger, hasMultiplePasses: true }, progressContext =>
      engine.maintenance.run(progressContext),
    );
  }

  private async run(): Promise<void> {
    const runs = await this.confirmAndRun(await this.engineHolder.engine());
    if (runs === undefined) return;
    if (runs.some(it => it.status === 'cancelled')) {
      const message = vscode.l10n.t('Maintenance was cancelled. Run it again to go on from there.');
      this.commands.notify(commandIds.runMaintenance, { message });
      return;
    }
    this.reportRuns(runs);
  }

  private async undo(runs: readonly MaintenanceRun[]): Promise<void> {
    const engine = await this.engineHolder.engine();
    let restoredCount = 0;
    for (const it of runs) restoredCount += (await engine.maintenance.undo(it.id)).length;
    const restored = countLabel(restoredCount, 'memory');
    showStatusMessage(vscode.l10n.t('Active again: {0}.', restored), statusMessageMs, 'check');
  }
}

/** The numbers of the question, each with what becomes of it; one that is zero is left out. */
function describeRemovals(archived: number, pruned: number): string {
  const forgotten = vscode.l10n.t(
    'To forget: {0}. What is forgotten can be restored, and a recall brings back what it finds of it.',
    formatInteger(archived),
  );
  const deleted = vscode.l10n.t('To delete for good: {0}. That cannot be undone.', formatInteger(pruned));
  return [...(archived === 0 ? [] : [forgotten]), ...(pruned === 0 ? [] : [deleted])].join('\n\n');
}

/** The numbers of memories that runs archive and delete. */
function countRemovals(runs: readonly MaintenanceRun[]): { readonly archived: number; readonly pruned: number } {
  const sum = (countOf: (counts: MaintenanceRun['counts']) => number): number =>
    runs.reduce((all, it) => all + countOf(it.counts), 0);
  return { archived: sum(it => it.faded + it.expired + it.quota), pruned: sum(it => it.pruned) };
}
