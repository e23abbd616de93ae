import * as vscode from 'vscode';
import { commandIds, explorerViewId, settingKeys, settingsSection, walkthroughId } from '../contributions.js';
import type { Explorer } from '../explorer/explorer.js';
import type { MoreNode } from '../explorer/nodes.js';
import { openAnchor, type MemoryDocuments } from '../memoryDocuments.js';
import type { MemorySession } from '../session.js';
import type { Grouping } from '../settings.js';
import type { Commands } from './registry.js';
import { calledOnNoMemory, targetsOf } from './targets.js';

/** Typing settles for this long before the tree follows it. */
const settleMs = 150;

export interface ExplorerParts {
  readonly commands: Commands;
  readonly session: MemorySession;
  readonly explorer: Explorer;
  readonly documents: MemoryDocuments;
  /** The extension's own id, which names its walkthrough. */
  readonly extensionId: string;
}

/** The explorer's toolbar, and going from a memory to its page or its code. */
export function registerExplorer({ commands, session, explorer, documents, extensionId }: ExplorerParts): void {
  commands.register(commandIds.groupByGate, () => groupBy('gate'));
  commands.register(commandIds.groupByDecayClass, () => groupBy('decayClass'));
  commands.register(commandIds.filter, () => {
    askForFilter(explorer);
  });
  commands.register(commandIds.clearFilter, () => {
    explorer.setFilter('');
  });
  commands.register(commandIds.refresh, async () => {
    await session.engine();
    explorer.refresh();
  });
  commands.register(commandIds.collapseAll, async () => {
    // VS Code's own button for it always stands in the title, which a narrow side bar has no room for.
    await vscode.commands.executeCommand(`${explorerViewId}.focus`);
    await vscode.commands.executeCommand('list.collapseAll');
  });
  commands.register(commandIds.showMore, node => {
    explorer.showMore(node as MoreNode);
  });
  commands.register(commandIds.getStarted, () =>
    vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${walkthroughId}`, false),
  );
  commands.register(commandIds.openMemory, async (...args) => {
    const [id] = targetsOf(args);
    if (id !== undefined) await documents.open(id);
  });
  commands.register(commandIds.openAnchor, async (...args) => {
    const [id] = targetsOf(args);
    if (id === undefined) calledOnNoMemory(args);
    else await openAnchor(await (await session.engine()).get(id));
  });
}

function groupBy(grouping: Grouping): Thenable<void> {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  return settings.update(settingKeys.explorerGroupBy, grouping, vscode.ConfigurationTarget.Global);
}

/** A box above the window; the tree follows while one types, Escape brings back what was there. */
function askForFilter(explorer: Explorer): void {
  const before = explorer.filter;
  const box = vscode.window.createInputBox();
  box.title = vscode.l10n.t('Filter Memories');
  box.placeholder = vscode.l10n.t('Words, #tag, @pinned, @note, @confirmed');
  box.prompt = vscode.l10n.t('Empty shows everything');
  box.value = before;
  let settling: NodeJS.Timeout | undefined;
  let accepted = false;
  box.onDidChangeValue(value => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      explorer.setFilter(value);
    }, settleMs);
  });
  box.onDidAccept(() => {
    accepted = true;
    box.hide();
  });
  box.onDidHide(() => {
    clearTimeout(settling);
    explorer.setFilter(accepted ? box.value : before);
    box.dispose();
  });
  box.show();
}
