import os from 'node:os';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { ImportReport } from '../../engine/model/importReport.js';
import type { PublishPreview, PublishInput } from '../../engine/model/publishing.js';
import { commandIds } from '../contributions.js';
import type { DiffPreviews } from '../ui/diffPreview.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';

interface PublishDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly diffPreviews: DiffPreviews;
}

/** "Update CLAUDE.md", the project's or the person's own: shown as a diff first, and written after a yes. */
export function registerPublish(dependencies: PublishDependencies): void {
  dependencies.commands.register(commandIds.publish, async () => {
    requireTrustedFolder();
    const folder = await pickFolder();
    if (folder === undefined) return;
    const nothing = vscode.l10n.t('There is nothing to publish: no confirmed memory is about this project.');
    await previewAndWrite(dependencies, { folder }, nothing);
  });
  dependencies.commands.register(commandIds.publishUser, () =>
    previewAndWrite(
      dependencies,
      { targets: ['user'] },
      vscode.l10n.t('There is nothing to publish: no confirmed memory is about how you work.'),
    ),
  );
  dependencies.commands.register(commandIds.import, () => importMemories(dependencies));
}

async function previewAndWrite(
  dependencies: PublishDependencies,
  input: PublishInput,
  emptyMessage: string,
): Promise<void> {
  const engine = await dependencies.engineHolder.engine();
  const publishPreviews = await engine.publishing.preview(input);
  const changedPreviews = publishPreviews.filter(it => it.diff !== '');
  if (changedPreviews.length === 0) {
    const isEmpty = publishPreviews.every(it => it.memories === 0);
    const message = isEmpty
      ? emptyMessage
      : vscode.l10n.t('{0} is up to date.', publishPreviews.map(displayNameOf).join(', '));
    dependencies.commands.notify(commandIds.publish, { message });
  }
  // An answer may come much later, or never: the command itself is done with the first question.
  dependencies.commands.runInBackground(commandIds.publish, reviewEach(dependencies, changedPreviews));
}

async function importMemories({ commands, engineHolder }: PublishDependencies): Promise<void> {
  const importKind = await vscode.window.showQuickPick(importKinds(), { title: vscode.l10n.t('Import Memories') });
  if (importKind === undefined) return;
  const [pickedUri] =
    (await vscode.window.showOpenDialog({
      title: importKind.label,
      canSelectFiles: importKind.filters !== undefined,
      canSelectFolders: importKind.filters === undefined,
      ...(importKind.filters === undefined ? {} : { filters: importKind.filters }),
    })) ?? [];
  if (pickedUri === undefined) return;
  const trustChoice = await pickTrustLevel(importKind.format === 'recollect');
  if (trustChoice === undefined) return;
  const engine = await engineHolder.engine();
  const report = await withProgress({ title: vscode.l10n.t('Importing memories') }, progressContext =>
    engine.exchange.import({
      path: pickedUri.fsPath,
      format: importKind.format,
      ...trustChoice.importOptions,
      ...progressContext,
    }),
  );
  const refused = report.sources.some(it => it.refused > 0);
  const details = async (): Promise<void> => {
    const content = refusalReport(report);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'markdown' }));
  };
  const actions = refused ? [{ title: vscode.l10n.t('Details'), run: details }] : [];
  commands.notify(commandIds.import, { message: describeImportReport(report), actions });
}

function importKinds(): readonly (vscode.QuickPickItem & {
  readonly format: ImportReport['format'];
  /** Of a file; a folder has none. */
  readonly filters?: Record<string, string[]>;
})[] {
  return [
    {
      label: vscode.l10n.t('An export of Recollect'),
      description: 'recollect.jsonl',
      format: 'recollect',
      filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
    },
    { label: vscode.l10n.t('A folder of lerim'), description: '.lerim', format: 'lerim' },
    {
      label: vscode.l10n.t('The file of the MCP memory server'),
      description: 'memory.json',
      format: 'mcp',
      filters: { [vscode.l10n.t('JSON lines')]: ['json', 'jsonl'] },
    },
    { label: vscode.l10n.t('The memory files of Copilot'), description: 'memory-tool/memories', format: 'copilot' },
    {
      label: vscode.l10n.t('The lists of a Markdown file'),
      description: 'CLAUDE.md, AGENTS.md',
      format: 'markdown',
      filters: { Markdown: ['md'] },
    },
  ];
}

async function pickTrustLevel(
  isRecollectFormat: boolean,
): Promise<{ readonly importOptions: { readonly own?: boolean; readonly lane?: 'confirmed' } } | undefined> {
  const asNotes = {
    label: vscode.l10n.t('As notes'),
    detail: vscode.l10n.t('They expire unless you promote them.'),
    importOptions: {},
  };
  const trustedItem = isRecollectFormat
    ? {
        label: vscode.l10n.t('It is my own export'),
        detail: vscode.l10n.t('Everything is as it was: what you confirmed, pinned and decided.'),
        importOptions: { own: true },
      }
    : {
        label: vscode.l10n.t('As confirmed memories'),
        detail: vscode.l10n.t('You vouch for all of them.'),
        importOptions: { lane: 'confirmed' as const },
      };
  return vscode.window.showQuickPick([asNotes, trustedItem], { title: vscode.l10n.t('How Far Do You Trust It?') });
}

function describeImportReport({ sources }: ImportReport): string {
  const sum = (countOf: 'fresh' | 'known' | 'refused'): string =>
    formatInteger(sources.reduce((all, it) => all + it[countOf], 0));
  return vscode.l10n.t('Imported: {0} new, {1} known, {2} refused.', sum('fresh'), sum('known'), sum('refused'));
}

function refusalReport({ sources }: ImportReport): string {
  const refused = sources.filter(it => it.refused > 0);
  return refused
    .map(it => `# ${it.source}\n\n${it.refusals.map(({ where, reason }) => `- ${where}: ${reason}`).join('\n')}\n`)
    .join('\n');
}

/** What a folder brings along may not be spread, nor anything be written into it, before somebody trusts it. */
export function requireTrustedFolder(): void {
  if (vscode.workspace.isTrusted) return;
  throw new EngineError(
    'invalidInput',
    vscode.l10n.t('This folder is not trusted, so nothing is written into it. Trust it first.'),
  );
}

/** The folder of a window with one; of several, the one that is picked. */
export async function pickFolder(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(it => it.uri.scheme === 'file');
  if (folders.length === 0) {
    throw new EngineError('invalidInput', vscode.l10n.t('There is no project here. Open its folder first.'));
  }
  if (folders.length === 1) return folders[0]!.uri.fsPath;
  return (await vscode.window.showWorkspaceFolderPick())?.uri.fsPath;
}

async function reviewEach(dependencies: PublishDependencies, publications: readonly PublishPreview[]): Promise<void> {
  for (const it of publications) if (await confirmWrite(dependencies, it)) await writePublication(dependencies, it);
}

async function confirmWrite({ diffPreviews }: PublishDependencies, publication: PublishPreview): Promise<boolean> {
  const { before = '', after, memories, contradicting } = publication;
  const name = displayNameOf(publication);
  const close = await diffPreviews.showDiff(name, before, after);
  const writeLabel = vscode.l10n.t('Write');
  const conflictNote =
    contradicting === 0
      ? ''
      : ` ${vscode.l10n.t('Left out because of contradictions: {0}.', countLabel(contradicting, 'memory'))}`;
  const question = vscode.l10n.t('Write {0} into {1}?', countLabel(memories, 'memory'), name) + conflictNote;
  const answer = await vscode.window.showInformationMessage(question, writeLabel, vscode.l10n.t('Cancel'));
  await close();
  return answer === writeLabel;
}

async function writePublication(
  { commands, engineHolder }: PublishDependencies,
  publication: PublishPreview,
): Promise<void> {
  const { file, folder } = publication;
  // The person's own file is nobody's folder.
  if (folder !== undefined) requireTrustedFolder();
  const openDocument = vscode.workspace.textDocuments.find(it => it.uri.scheme === 'file' && it.uri.fsPath === file);
  if (openDocument?.isDirty === true) {
    throw new EngineError(
      'unsupportedFile',
      vscode.l10n.t('{0} has changes that are not saved. Save it, and update it again.', displayNameOf(publication)),
    );
  }
  await (await engineHolder.engine()).publishing.write(publication);
  const message = vscode.l10n.t('{0} is up to date.', displayNameOf(publication));
  const undo = async (): Promise<void> => (await engineHolder.engine()).publishing.undo(publication);
  const actions = [
    { title: vscode.l10n.t('Undo'), run: undo },
    { title: vscode.l10n.t('Open'), run: () => vscode.window.showTextDocument(vscode.Uri.file(file)) },
  ];
  commands.notify(commandIds.publish, { message, actions });
}

function displayNameOf({ file }: PublishPreview): string {
  return vscode.workspace.asRelativePath(file).replace(os.homedir(), '~');
}
