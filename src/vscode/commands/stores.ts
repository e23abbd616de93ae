import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { localizeText } from '../l10n/engineMessages.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';

/** Commands on whole stores, and "Show Log". */
export function registerStores(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  channel: vscode.LogOutputChannel,
): void {
  const showLog = (): void => {
    channel.show();
  };
  commands.register(commandIds.showLog, showLog);
  commands.register(commandIds.retry, () => engineHolder.engine());
  commands.register(commandIds.export, () => exportAll(commands, engineHolder));
  commands.register(commandIds.verify, async () => {
    const engine = await engineHolder.engine();
    const options = { title: vscode.l10n.t('Verifying the memory stores'), cancellable: false } as const;
    const reports = await withProgress(options, () => engine.verify());
    const problems = reports.flatMap(it => it.problems.map(problem => ({ file: it.file, problem })));
    const memories = reports.reduce((sum, it) => sum + it.memories, 0);
    if (problems.length === 0) {
      const message = vscode.l10n.t('All is in order: {0} with history.', countLabel(memories, 'memory'));
      commands.notify(commandIds.verify, { message });
      return;
    }
    for (const { file, problem } of problems) channel.warn(`${file}: ${problem}`);
    const message =
      problems.length === 1
        ? `${problems[0]!.file}: ${localizeText(problems[0]!.problem)}`
        : vscode.l10n.t('{0} problems were found.', formatInteger(problems.length));
    const actions = [{ title: vscode.l10n.t('Show Log'), run: showLog }];
    commands.notify(commandIds.verify, { message, severity: 'warning', actions });
  });
}

async function exportAll(commands: CommandRegistry, engineHolder: EngineHolder): Promise<void> {
  const engine = await engineHolder.engine();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export All Memories'),
    filters: { [vscode.l10n.t('JSON lines (everything)')]: ['jsonl'], [vscode.l10n.t('Markdown (to read)')]: ['md'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, 'recollect.jsonl') }),
  });
  if (target === undefined) return;
  const format = target.path.toLowerCase().endsWith('.md') ? 'markdown' : 'jsonl';
  await withProgress({ title: vscode.l10n.t('Exporting memories') }, async ({ signal }) => {
    const chunks: Buffer[] = [];
    for await (const chunk of engine.exchange.export(format)) {
      if (signal.aborted) throw new vscode.CancellationError();
      chunks.push(Buffer.from(chunk));
    }
    await vscode.workspace.fs.writeFile(target, Buffer.concat(chunks));
  });
  commands.notify(commandIds.export, {
    message: vscode.l10n.t('Exported to {0}.', target.fsPath),
    actions: [{ title: vscode.l10n.t('Open'), run: () => vscode.window.showTextDocument(target) }],
  });
}
