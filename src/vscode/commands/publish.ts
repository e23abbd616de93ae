import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { PublishPreview, PublishInput } from '../../engine/model/publishing.js';
import { commandIds, type CommandId } from '../contributions.js';
import type { DiffAnswer, DiffPreviews } from '../ui/diffPreview.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel } from '../l10n/labels.js';
import { pickFolder, requireTrustToWrite, shortPath } from '../ui/workspaceFolders.js';
import type { CommandRegistry } from './commandRegistry.js';

interface PublishDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly diffPreviews: DiffPreviews;
}

/** The buttons in the title of a diff that asks. */
const diffAnswers: readonly (readonly [CommandId, DiffAnswer])[] = [
  [commandIds.writeDiff, 'write'],
  [commandIds.cancelDiff, 'cancel'],
  [commandIds.keepLeft, 'left'],
  [commandIds.keepRight, 'right'],
];

/** "Update CLAUDE.md", the project's or the user's, and taking out what was written: shows a diff, and writes it once confirmed. */
export function registerPublish(dependencies: PublishDependencies): void {
  const { commands, diffPreviews } = dependencies;
  for (const [command, answer] of diffAnswers)
    commands.register(command, uri => {
      diffPreviews.answer(uri, answer);
    });
  dependencies.commands.register(commandIds.publish, async () => {
    requireTrustToWrite();
    const folder = await pickFolder();
    if (folder === undefined) return;
    const nothing = vscode.l10n.t('There is nothing to publish: no confirmed memory is about this project.');
    await previewAndWrite(dependencies, { folder }, nothing);
  });
  dependencies.commands.register(commandIds.unpublish, async () => {
    requireTrustToWrite();
    const folder = await pickFolder();
    if (folder === undefined) return;
    const previews = await (await dependencies.engineHolder.engine()).publishing.previewWithdrawals({ folder });
    if (previews.length === 0) {
      const message = vscode.l10n.t('Recollect has written nothing into the instructions files of this project.');
      dependencies.commands.notify(commandIds.unpublish, { message });
      return;
    }
    dependencies.commands.runInBackground(commandIds.unpublish, reviewEach(dependencies, previews));
  });
  dependencies.commands.register(commandIds.publishUser, () =>
    previewAndWrite(
      dependencies,
      { targets: ['user'] },
      vscode.l10n.t('There is nothing to publish: no confirmed memory is about how you work.'),
    ),
  );
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
  // Not awaited: the user may answer much later, or never.
  dependencies.commands.runInBackground(commandIds.publish, reviewEach(dependencies, changedPreviews));
}

async function reviewEach(dependencies: PublishDependencies, publications: readonly PublishPreview[]): Promise<void> {
  for (const it of publications) if (await confirmWrite(dependencies, it)) await writePublication(dependencies, it);
}

/** The title of the diff asks, and has the buttons. */
async function confirmWrite({ diffPreviews }: PublishDependencies, publication: PublishPreview): Promise<boolean> {
  const { before = '', after = '' } = publication;
  const options = { fileName: displayNameOf(publication), title: askToWrite(publication), left: before, right: after };
  return (await diffPreviews.ask('write', options)) === 'write';
}

function askToWrite(publication: PublishPreview): string {
  const { after, memories, withdraws, link } = publication;
  const name = displayNameOf(publication);
  if (withdraws && after === undefined) return vscode.l10n.t('Delete {0}? It holds only what Recollect wrote.', name);
  if (withdraws) return vscode.l10n.t('Remove what Recollect wrote from {0}?', name);
  const written = countLabel(memories, 'memory');
  return link === undefined
    ? vscode.l10n.t('Write {0} into {1}?', written, name)
    : vscode.l10n.t('{0} is a link to {1}. Write {2} into it?', displayNameOf({ file: link }), name, written);
}

function writtenSentence(publication: PublishPreview): string {
  const { memories, contradicting, alreadySaid, withdraws } = publication;
  const name = displayNameOf(publication);
  if (withdraws) return vscode.l10n.t('Nothing of Recollect is left in {0}.', name);
  return [
    vscode.l10n.t('Written into {0}: {1}.', name, countLabel(memories, 'memory')),
    ...(contradicting === 0
      ? []
      : [vscode.l10n.t('Left out because of contradictions: {0}.', countLabel(contradicting, 'memory'))]),
    ...(alreadySaid === 0
      ? []
      : [vscode.l10n.t('Left out because the file says it already: {0}.', countLabel(alreadySaid, 'memory'))]),
  ].join(' ');
}

async function writePublication(
  { commands, engineHolder }: PublishDependencies,
  publication: PublishPreview,
): Promise<void> {
  const { file, folder } = publication;
  // The user's own file is in no workspace folder.
  if (folder !== undefined) requireTrustToWrite();
  const openDocument = vscode.workspace.textDocuments.find(it => it.uri.scheme === 'file' && it.uri.fsPath === file);
  if (openDocument?.isDirty === true) {
    throw new EngineError(
      'unsupportedFile',
      vscode.l10n.t('{0} has changes that are not saved. Save it, and update it again.', displayNameOf(publication)),
    );
  }
  await (await engineHolder.engine()).publishing.write(publication);
  const message = writtenSentence(publication);
  const undo = async (): Promise<void> => (await engineHolder.engine()).publishing.undo(publication);
  const actions = [
    { title: vscode.l10n.t('Undo'), run: undo },
    ...(publication.after === undefined
      ? []
      : [{ title: vscode.l10n.t('Open'), run: () => vscode.window.showTextDocument(vscode.Uri.file(file)) }]),
  ];
  commands.notify(commandIds.publish, { message, actions });
}

function displayNameOf({ file }: Pick<PublishPreview, 'file'>): string {
  return shortPath(vscode.workspace.asRelativePath(file));
}
