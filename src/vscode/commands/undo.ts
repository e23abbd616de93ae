import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { changeLabel } from '../l10n/labels.js';
import { showStatusMessage } from '../ui/messages.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { UndoHistory } from '../undo/undoHistory.js';
import type { CommandRegistry } from './commandRegistry.js';

/** "Undo Last Change", of this window or another one. */
export function registerUndo(commands: CommandRegistry, engineHolder: EngineHolder, history: UndoHistory): void {
  commands.register(commandIds.undo, async () => {
    const engine = await engineHolder.engine();
    const undone = await history.undo(engine);
    if (undone === undefined) {
      showStatusMessage(vscode.l10n.t('There is nothing to undo.'), statusMessageMs);
      return;
    }
    const [memory] = await engine.getMany(undone.ids.slice(0, 1));
    showStatusMessage(vscode.l10n.t('Undone: {0}', changeLabel(undone, memory?.content)), statusMessageMs);
  });
}
