import * as vscode from 'vscode';
import type { Checkpoint } from '../../engine/model/checkpoint.js';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger, formatMegabytes, storeLabel } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import type { CommandRegistry } from './commandRegistry.js';

/** Commands that make a copy of the stores, and restore one. */
export function registerCheckpoints(commands: CommandRegistry, engineHolder: EngineHolder): void {
  commands.register(commandIds.backUp, async () => {
    const reason = await vscode.window.showInputBox({
      title: vscode.l10n.t('Back Up Memories'),
      prompt: vscode.l10n.t('Why, to tell this backup from others'),
      placeHolder: vscode.l10n.t('for example: before cleaning up'),
    });
    if (reason === undefined) return;
    const engine = await engineHolder.engine();
    const checkpoints = await engine.checkpoints.make(reason.trim() === '' ? undefined : reason);
    const memories = checkpoints.reduce((sum, it) => sum + (it.memories ?? 0), 0);
    const message = vscode.l10n.t('Backed up: {0}.', countLabel(memories, 'memory'));
    commands.notify(commandIds.backUp, { message });
  });
  commands.register(commandIds.restoreCheckpoint, () => restoreCheckpoint(commands, engineHolder));
}

async function restoreCheckpoint(commands: CommandRegistry, engineHolder: EngineHolder): Promise<void> {
  const engine = await engineHolder.engine();
  const all = await engine.checkpoints.list();
  if (all.length === 0) {
    const message = vscode.l10n.t('There is no checkpoint yet.');
    const backUp = (): unknown => vscode.commands.executeCommand(commandIds.backUp);
    const actions = [{ title: vscode.l10n.t('Back Up…'), run: backUp }];
    commands.notify(commandIds.restoreCheckpoint, { message, actions });
    return;
  }
  const pickedItem = await vscode.window.showQuickPick(all.map(toQuickPickItem), {
    title: vscode.l10n.t('Restore a Checkpoint'),
    placeHolder: vscode.l10n.t('Choose the state to go back to'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (pickedItem === undefined) return;
  const { checkpoint } = pickedItem;
  const confirmed = await confirmModal({
    question: vscode.l10n.t(
      'Replace everything in the {0} by its state of {1}?',
      storeLabel(checkpoint.store),
      formatTime(checkpoint.at),
    ),
    detail: vscode.l10n.t(
      'Its content: {0}. What is there now becomes a checkpoint, so that this can be undone.\n\n{1}',
      memoryCountLabel(checkpoint),
      checkpoint.of,
    ),
    button: vscode.l10n.t('Restore'),
    severity: 'warning',
  });
  if (!confirmed) return;
  const { back, gone, changed, before } = await (await engineHolder.engine()).checkpoints.restore(checkpoint.id);
  const undo = async (): Promise<unknown> => (await engineHolder.engine()).checkpoints.restore(before.id);
  const message = vscode.l10n.t(
    'Restored: {0} back, {1} gone, {2} as before.',
    countLabel(back, 'memory'),
    formatInteger(gone),
    formatInteger(changed),
  );
  commands.notify(commandIds.restoreCheckpoint, { message, actions: [{ title: vscode.l10n.t('Undo'), run: undo }] });
}

function memoryCountLabel({ memories }: Checkpoint): string {
  return memories === undefined ? vscode.l10n.t('cannot be read') : countLabel(memories, 'memory');
}

function toQuickPickItem(checkpoint: Checkpoint): vscode.QuickPickItem & { readonly checkpoint: Checkpoint } {
  const { at, reason, store, bytes } = checkpoint;
  return {
    checkpoint,
    label: formatTime(at),
    description: reason,
    detail: [storeLabel(store), memoryCountLabel(checkpoint), formatMegabytes(bytes)].join(' · '),
  };
}

function formatTime(iso: string): string {
  return new Date(iso).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
