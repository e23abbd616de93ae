import * as vscode from 'vscode';
import { upkeepNeed } from '../../protocol.js';
import { commandIds } from '../contributions.js';
import { rowClicked } from '../explorer/treeNodes.js';
import type { Inspector } from '../inspector/inspector.js';
import type { EngineHolder } from '../engineHolder.js';
import type { CommandRegistry } from './commandRegistry.js';
import { selectedMemoryIds } from './selection.js';

/** Commands that open the inspector: as it was, at a memory, at the last answer, or at who can reach the memory. */
export function registerInspector(commands: CommandRegistry, engineHolder: EngineHolder, inspector: Inspector): void {
  commands.register(commandIds.showInspector, page => {
    inspector.show(page === 'health' ? { page: 'inbox', id: upkeepNeed } : undefined);
  });
  commands.register(commandIds.previewMaintenance, () => {
    inspector.show({ page: 'inbox', id: upkeepNeed, isPreview: true });
  });
  commands.register(commandIds.connections, () => {
    inspector.show({ page: 'access' });
  });
  commands.register(commandIds.showBriefing, () => {
    inspector.show({ page: 'briefing' });
  });
  commands.register(commandIds.showInInspector, (...args) => {
    const [id] = selectedMemoryIds(args);
    inspector.show({ page: 'memories', ...(id === undefined ? {} : { id }) }, args[1] === rowClicked);
  });
  commands.register(commandIds.editMemory, (...args) => {
    const [id] = selectedMemoryIds(args);
    if (id !== undefined) inspector.show({ page: 'memories', id, isEdit: true });
  });
  commands.register(commandIds.explainLastAnswer, async trace => {
    if (typeof trace === 'string') {
      inspector.show({ page: 'answers', id: trace });
      return;
    }
    const [newest] = await (await engineHolder.engine()).explainer.listTraces({ limit: 1 });
    if (newest !== undefined) inspector.show({ page: 'answers', id: newest.id });
    else commands.notify(commandIds.explainLastAnswer, { message: vscode.l10n.t('Nothing has been recalled yet.') });
  });
}
