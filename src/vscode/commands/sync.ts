import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { MissingChoice, SyncConflict, SyncInput, SyncReport, SyncSide } from '../../engine/model/sync.js';
import { commandIds } from '../contributions.js';
import type { DiffPreviews } from '../ui/diffPreview.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { toDecide } from '../ui/statusBar.js';
import { withProgress } from '../ui/progress.js';
import { pickFolder, requireTrustToWrite } from '../ui/workspaceFolders.js';
import type { CommandRegistry } from './commandRegistry.js';

/** Between syncs of the folders that were synced once, for what changed without this window; each reads them and the memory whole. */
const followIntervalMs = 10 * 60_000;
/** After the last change that this window sees of the memory or of a Markdown file. */
const followDelayMs = 5_000;

interface SyncDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly diffPreviews: DiffPreviews;
}

/** "Sync Markdown…": applies changes of one side, shows each conflict as a diff, and follows the folders that were synced once. */
export function registerSync(dependencies: SyncDependencies): vscode.Disposable {
  const { commands, engineHolder } = dependencies;
  commands.register(commandIds.sync, async how => {
    requireTrustToWrite();
    const folder = await pickFolder();
    if (folder === undefined || !(await confirmFirstSync(dependencies, folder))) return;
    const report = await syncFolder(dependencies, { folder });
    if (how === toDecide && report.conflicts.length > 0) await resolveConflicts(dependencies, folder, report.conflicts);
    else notifySynced(dependencies, folder, report);
  });
  const controller = new AbortController();
  const follow = async (): Promise<void> => {
    if (!vscode.workspace.isTrusted || engineHolder.state.kind !== 'open') return;
    const { engine } = engineHolder.state;
    for (const it of vscode.workspace.workspaceFolders ?? [])
      if (it.uri.scheme === 'file') await engine.sync.follow(it.uri.fsPath, controller.signal);
  };
  let running: Promise<void> = Promise.resolve();
  const followNext = (): void => {
    running = running.then(follow).catch((error: unknown) => {
      commands.logFailure('automatic sync', error);
    });
  };
  let soon: NodeJS.Timeout | undefined;
  const followSoon = (): void => {
    clearTimeout(soon);
    soon = setTimeout(followNext, followDelayMs);
  };
  const timer = setInterval(followNext, followIntervalMs);
  return vscode.Disposable.from(
    engineHolder.onDidChangeMemories(followSoon),
    vscode.workspace.onDidSaveTextDocument(({ languageId }) => {
      if (languageId === 'markdown') followSoon();
    }),
    new vscode.Disposable(() => {
      clearInterval(timer);
      clearTimeout(soon);
      controller.abort();
    }),
  );
}

/** Asks before the first files are written into a folder; later syncs carry over what changed without a question. */
async function confirmFirstSync(dependencies: SyncDependencies, folder: string): Promise<boolean> {
  const { steps, mirror } = await syncFolder(dependencies, { folder, dryRun: true });
  const written = steps.filter(it => it.what === 'written').length;
  if (written === 0 || existsSync(mirror)) return true;
  return confirmModal({
    question: vscode.l10n.t('Write the memories of this project into files?'),
    detail: [
      vscode.l10n.t('{0} in {1}, one for each memory, where git sees them.', countLabel(written, 'file'), mirror),
      vscode.l10n.t('From then on what changes on either side is carried over while this window is open.'),
      vscode.l10n.t(
        'A file alone changes nothing that you said or confirmed: it waits for your decision, and the status bar has a mark.',
      ),
    ].join('\n\n'),
    button: vscode.l10n.t('Write Files'),
  });
}

async function syncFolder({ engineHolder }: SyncDependencies, input: SyncInput): Promise<SyncReport> {
  const engine = await engineHolder.engine();
  return withProgress({ title: vscode.l10n.t('Syncing Markdown') }, progressContext =>
    engine.sync.run({ ...input, ...progressContext }),
  );
}

function notifySynced(dependencies: SyncDependencies, folder: string, report: SyncReport): void {
  const { steps, conflicts, refused, mirror, compared, missing } = report;
  const folderName = vscode.workspace.asRelativePath(mirror);
  if (missing !== undefined) {
    const decide = (choice: MissingChoice) => async (): Promise<void> => {
      requireTrustToWrite();
      notifySynced(dependencies, folder, await syncFolder(dependencies, { folder, missing: choice }));
    };
    dependencies.commands.notify(commandIds.sync, {
      message: vscode.l10n.t(
        'The files of {0} memories in {1} are missing. Nothing was done.',
        formatInteger(missing.memories),
        folderName,
      ),
      actions: [
        { title: vscode.l10n.t('Write the Files Again'), run: decide('write') },
        { title: vscode.l10n.t('Forget the Memories'), run: decide('archive') },
      ],
    });
    return;
  }
  // VS Code truncates a message without buttons to one line.
  const resultParts = [
    ...(steps.length > 0 ? [vscode.l10n.t('{0} carried over', formatInteger(steps.length))] : []),
    ...(conflicts.length > 0 ? [countLabel(conflicts.length, 'conflict')] : []),
    ...(refused.length > 0 ? [vscode.l10n.t('{0} left alone', formatInteger(refused.length))] : []),
  ];
  const emptyMessage =
    compared === 0
      ? vscode.l10n.t('Nothing to sync: no memories and no Markdown here yet.')
      : vscode.l10n.t('Markdown in {0} is up to date.', folderName);
  const message =
    resultParts.length === 0
      ? emptyMessage
      : vscode.l10n.t('Markdown in {0}: {1}.', folderName, resultParts.join(', '));
  const resolveAction = {
    title: vscode.l10n.t('Decide…'),
    run: () => resolveConflicts(dependencies, folder, conflicts),
  };
  const details = async (): Promise<void> => {
    const content = refused.map(it => `- ${it.name}: ${it.reason}\n`).join('');
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'markdown' }));
  };
  const actions = [
    ...(conflicts.length > 0 ? [resolveAction] : []),
    ...(refused.length > 0 ? [{ title: vscode.l10n.t('Details'), run: details }] : []),
  ];
  dependencies.commands.notify(commandIds.sync, { message, actions });
}

async function resolveConflicts(
  dependencies: SyncDependencies,
  folder: string,
  conflicts: readonly SyncConflict[],
): Promise<void> {
  const decisions: Record<string, SyncSide> = {};
  for (const it of conflicts) {
    const side = await pickSide(dependencies, it);
    if (side !== undefined) decisions[it.name] = side;
  }
  if (Object.keys(decisions).length === 0) return;
  requireTrustToWrite();
  const report = await syncFolder(dependencies, { folder, decisions });
  // A memory that has the text of its file now is changed back in the file.
  if (Object.values(decisions).includes('file'))
    dependencies.commands.noteFinalChange(commandIds.sync, await dependencies.engineHolder.engine());
  notifySynced(dependencies, folder, report);
}

/** By the buttons in the title of the diff. Undefined when the user postpones the decision, by closing it. */
async function pickSide(
  { diffPreviews }: SyncDependencies,
  { name, file, memory, isProposal }: SyncConflict,
): Promise<SyncSide | undefined> {
  const title = isProposal
    ? vscode.l10n.t('The file {0} would change what you confirmed. Which one holds?', name)
    : vscode.l10n.t('{0} has changed on both sides. Which one holds?', name);
  const answer = await diffPreviews.ask('sides', { fileName: name, title, left: file, right: memory });
  if (answer === 'left') return 'file';
  return answer === 'right' ? 'memory' : undefined;
}
