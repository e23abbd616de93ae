import * as vscode from 'vscode';
import type { Checkpoint } from '../../engine/model/checkpoint.js';
import { commandIds } from '../contributions.js';
import type { MemorySession } from '../session.js';
import { counted, countWord, storeWord } from '../words.js';
import type { Commands } from './registry.js';

/** Copies of whole stores: making one, and going back to one. */
export function registerCheckpoints(commands: Commands, session: MemorySession): void {
  commands.register(commandIds.backUp, async () => {
    const reason = await vscode.window.showInputBox({
      title: vscode.l10n.t('Back Up Memories'),
      prompt: vscode.l10n.t('Why, to tell this backup from others'),
      placeHolder: vscode.l10n.t('for example: before cleaning up'),
    });
    if (reason === undefined) return;
    const engine = await session.engine();
    const made = await engine.checkpoints.make(reason.trim() === '' ? undefined : reason);
    const memories = made.reduce((sum, it) => sum + (it.memories ?? 0), 0);
    const message = vscode.l10n.t('Backed up: {0}.', counted(memories, 'memory'));
    commands.tell(commandIds.backUp, { message });
  });
  commands.register(commandIds.restoreCheckpoint, () => restore(commands, session));
}

async function restore(commands: Commands, session: MemorySession): Promise<void> {
  const engine = await session.engine();
  const all = await engine.checkpoints.list();
  if (all.length === 0) {
    const message = vscode.l10n.t('There is no checkpoint yet.');
    const backUp = (): unknown => vscode.commands.executeCommand(commandIds.backUp);
    const actions = [{ title: vscode.l10n.t('Back Up…'), run: backUp }];
    commands.tell(commandIds.restoreCheckpoint, { message, actions });
    return;
  }
  const chosen = await vscode.window.showQuickPick(all.map(row), {
    title: vscode.l10n.t('Restore a Checkpoint'),
    placeHolder: vscode.l10n.t('Choose the state to go back to'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen === undefined) return;
  const { checkpoint } = chosen;
  const yes = vscode.l10n.t('Restore');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      'Replace everything in the {0} by its state of {1}?',
      storeWord(checkpoint.store),
      timeWord(checkpoint.at),
    ),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Its content: {0}. What is there now becomes a checkpoint, so that this can be undone.\n\n{1}',
        memoriesOf(checkpoint),
        checkpoint.of,
      ),
    },
    yes,
  );
  if (answer !== yes) return;
  const { back, gone, changed, before } = await (await session.engine()).checkpoints.restore(checkpoint.id);
  const undo = async (): Promise<unknown> => (await session.engine()).checkpoints.restore(before.id);
  const message = vscode.l10n.t(
    'Restored: {0} back, {1} gone, {2} as before.',
    counted(back, 'memory'),
    countWord(gone),
    countWord(changed),
  );
  commands.tell(commandIds.restoreCheckpoint, { message, actions: [{ title: vscode.l10n.t('Undo'), run: undo }] });
}

function memoriesOf({ memories }: Checkpoint): string {
  return memories === undefined ? vscode.l10n.t('cannot be read') : counted(memories, 'memory');
}

function row(checkpoint: Checkpoint): vscode.QuickPickItem & { readonly checkpoint: Checkpoint } {
  const { at, reason, store, bytes } = checkpoint;
  const size = vscode.l10n.t('{0} MB', (bytes / 1e6).toFixed(1));
  return {
    checkpoint,
    label: timeWord(at),
    description: reason,
    detail: [storeWord(store), memoriesOf(checkpoint), size].join(' · '),
  };
}

function timeWord(iso: string): string {
  return new Date(iso).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
