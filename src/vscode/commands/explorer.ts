import * as vscode from 'vscode';
import { commandIds, explorerViewId, walkthroughId } from '../contributions.js';
import type { MemoryExplorer } from '../explorer/explorer.js';
import type { MoreNode } from '../explorer/treeNodes.js';
import { openAnchoredCode } from '../ui/memoryDocuments.js';
import type { EngineHolder } from '../engineHolder.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, selectedMemoryIds } from './selection.js';

/** From the last keystroke to the update of the tree. */
const debounceMs = 150;

export interface ExplorerDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly explorer: MemoryExplorer;
  /** Prefix of the walkthrough's id. */
  readonly extensionId: string;
}

/** Commands of the explorer's toolbar, and the one that opens the code of a memory. */
export function registerExplorer({ commands, engineHolder, explorer, extensionId }: ExplorerDependencies): void {
  commands.register(commandIds.groupByTopic, () => explorer.setGrouping('topic'));
  commands.register(commandIds.groupByLasting, () => explorer.setGrouping('lasting'));
  commands.register(commandIds.filter, () => {
    showFilterBox(explorer);
  });
  commands.register(commandIds.clearFilter, () => {
    explorer.setFilter('');
  });
  commands.register(commandIds.refresh, async () => {
    await engineHolder.engine();
    explorer.refresh();
  });
  commands.register(commandIds.collapseAll, async () => {
    // `showCollapseAll` would add a button to the title, which has no room for it in a narrow side bar.
    await vscode.commands.executeCommand(`${explorerViewId}.focus`);
    await vscode.commands.executeCommand('list.collapseAll');
  });
  commands.register(commandIds.showMore, node => {
    explorer.loadMore(node as MoreNode);
  });
  commands.register(commandIds.getStarted, () =>
    vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${walkthroughId}`, false),
  );
  commands.register(commandIds.openAnchor, async (...args) => {
    const [id] = selectedMemoryIds(args);
    if (id === undefined) reportNoSelection(args);
    else await openAnchoredCode(await (await engineHolder.engine()).get(id));
  });
}

/** An input box that filters the tree while the user types; Escape restores the previous filter. */
function showFilterBox(explorer: MemoryExplorer): void {
  const previousFilter = explorer.filter;
  const box = vscode.window.createInputBox();
  box.title = vscode.l10n.t('Filter Memories');
  box.placeholder = vscode.l10n.t('Words that the text has, #tag, @pinned, @note, @confirmed, @set:ID');
  box.prompt = vscode.l10n.t('Empty shows everything');
  box.value = previousFilter;
  let debounceTimer: NodeJS.Timeout | undefined;
  let accepted = false;
  box.onDidChangeValue(value => {
    clearTimeout(debounceTimer);
    debounceTimer = setTimeout(() => {
      explorer.setFilter(value);
    }, debounceMs);
  });
  box.onDidAccept(() => {
    accepted = true;
    box.hide();
  });
  box.onDidHide(() => {
    clearTimeout(debounceTimer);
    explorer.setFilter(accepted ? box.value : previousFilter);
    box.dispose();
  });
  box.show();
}
