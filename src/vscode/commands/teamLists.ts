import * as vscode from 'vscode';
import { shortId } from '../../engine/model/memory.js';
import { sharedMessages } from '../../engine/model/sharedMessages.js';
import type { OwnShare, ReceivedShare, ReceivedState, TeamStatus } from '../../engine/model/team.js';
import { commandIds } from '../contributions.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel, formatDay } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import { requireTrustToWrite } from '../ui/workspaceFolders.js';
import { askForName, reportSync, type TeamDependencies } from './team.js';

const maxRowLength = 100;

interface ShareItem extends vscode.QuickPickItem {
  /** Of the memory here; absent where there is none. */
  readonly memory?: string;
  /** For the whole team. */
  readonly sharedId: string;
}

/** Lists the facts that this person and the others share; choosing one opens it. */
export async function showShared({ engineHolder }: TeamDependencies): Promise<void> {
  const { team } = await engineHolder.engine();
  const status = await team.status();
  const chosen = await vscode.window.showQuickPick(toItems(status), {
    title: vscode.l10n.t('Shared in {0}', toPlainMessage(status.folder)),
    placeHolder: emptyNote(status) ?? vscode.l10n.t('Choose one to open it'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen?.memory !== undefined) await vscode.commands.executeCommand(commandIds.showInInspector, chosen.memory);
}

/** Takes back what is shared: what one shared oneself, and what the place lets any member withdraw. */
export async function withdrawShared({ commands, engineHolder, onConnectionChange }: TeamDependencies): Promise<void> {
  requireTrustToWrite();
  const { team } = await engineHolder.engine();
  const status = await team.status();
  const chosen = await vscode.window.showQuickPick(toItems(status), {
    title: vscode.l10n.t('Withdraw Which Memories?'),
    placeHolder: emptyNote(status) ?? vscode.l10n.t('Type what they are about'),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen === undefined || chosen.length === 0) return;
  const as = status.name ?? (await askForName());
  if (as === undefined) return;
  const preview = await team.previewShare({ references: chosen.map(it => it.sharedId), as, withdraw: true });
  const reasons = preview.refused.map(it => it.reason);
  if (preview.memories.length === 0) {
    commands.notify(commandIds.team, { message: [...new Set(reasons)].join(' '), severity: 'warning' });
    return;
  }
  const rest =
    preview.server === undefined
      ? localize(sharedMessages.gitKeepsHistory)
      : vscode.l10n.t('Members put it away at their next sync; who confirmed it decides.');
  const isConfirmed = await confirmModal({
    question: vscode.l10n.t('Withdraw {0}?', countLabel(preview.memories.length, 'memory')),
    detail: [...preview.memories.map(it => `• ${toTruncatedLine(it.content, maxRowLength)}`), ...reasons, rest].join(
      '\n',
    ),
    button: vscode.l10n.t('Withdraw'),
    severity: 'warning',
  });
  if (!isConfirmed) return;
  await team.share(preview);
  if (preview.server !== undefined) {
    onConnectionChange();
    reportSync(commands, await team.sync());
    return;
  }
  const count = countLabel(preview.memories.length, 'memory');
  commands.notify(commandIds.team, {
    message: vscode.l10n.t('{0} withdrawn: commit and push {1}.', count, preview.file),
  });
}

/** Lists the members, also former ones; adding and removing is the administrator's, at a terminal. */
export async function showColleagues({ engineHolder }: TeamDependencies): Promise<void> {
  const { team } = await engineHolder.engine();
  const { folder, server } = await team.status();
  const items = (await team.colleagues()).map(({ name, hasDeparted }) => ({
    label: toPlainMessage(name),
    ...(hasDeparted ? { description: vscode.l10n.t('no longer in the team') } : {}),
  }));
  await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Members of {0}', toPlainMessage(folder)),
    placeHolder:
      server === undefined
        ? vscode.l10n.t('By the commits of the folder')
        : vscode.l10n.t('Its administrator adds and removes them: recollect team members'),
  });
}

/** The sentence where nothing is shared; undefined otherwise. */
function emptyNote({ own, received }: TeamStatus): string | undefined {
  return own.length + received.length === 0 ? vscode.l10n.t('Nothing is shared yet.') : undefined;
}

function toItems({ own, received }: TeamStatus): readonly ShareItem[] {
  return [...own.map(toOwnItem), ...received.map(toReceivedItem)];
}

function toOwnItem({ id, sharedId, content, at, isCommitted, isStale }: OwnShare): ShareItem {
  const labels = [
    vscode.l10n.t('by you on {0}', formatDay(at)),
    ...(isCommitted ? [] : [vscode.l10n.t('not sent yet')]),
    ...(isStale ? [vscode.l10n.t('your memory says something else by now')] : []),
  ];
  return toItem({ content, sharedId, memory: id }, labels);
}

function toReceivedItem({ id, sharedId, content, author, state }: ReceivedShare): ShareItem {
  const memory = id === undefined ? {} : { memory: id };
  return toItem({ content, sharedId, ...memory }, [author, receivedStateLabel(state)]);
}

function toItem(
  share: Pick<ShareItem, 'memory' | 'sharedId'> & { readonly content: string },
  labels: readonly string[],
): ShareItem {
  const { content, ...ids } = share;
  return {
    ...ids,
    label: toPlainMessage(toTruncatedLine(content, maxRowLength)),
    description: `#${shortId({ id: share.sharedId })}`,
    detail: toPlainMessage(labels.join(' · ')),
  };
}

function receivedStateLabel(state: ReceivedState): string {
  switch (state) {
    case 'new':
      return vscode.l10n.t('not read yet');
    case 'note':
      return vscode.l10n.t('a note here');
    case 'confirmed':
      return vscode.l10n.t('confirmed by you');
    case 'known':
      return vscode.l10n.t('you had it already');
    case 'dropped':
      return vscode.l10n.t('forgotten here');
  }
}
