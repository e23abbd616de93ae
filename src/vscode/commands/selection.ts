import * as vscode from 'vscode';
import { isMemoryNode, type ExplorerNode, type MemoryNode } from '../explorer/treeNodes.js';
import { statusMessageMs } from '../ui/notifications.js';
import { showStatusMessage } from '../ui/messages.js';

/** The argument of the keybindings in package.json, which cannot pass a row. */
const selectedArgument = 'selected';

/**
 * Replaces the argument of a keybinding by the selected rows, in the form that a context menu passes them.
 * @param selection returns the selected rows of the explorer
 */
export async function replaceWithSelection(
  args: readonly unknown[],
  selection: () => Promise<readonly ExplorerNode[]>,
): Promise<readonly unknown[]> {
  if (args[0] !== selectedArgument) return args;
  const selected = await selection();
  return selected.length === 0 ? [[]] : [selected[0], selected];
}

/**
 * The ids of the memories in the arguments of a command: the selected rows, the row that it was called on, or ids.
 * Empty when the user has to pick one.
 */
export function selectedMemoryIds(args: readonly unknown[]): readonly string[] {
  const [firstArg, secondArg] = args;
  if (typeof firstArg === 'string') return [firstArg];
  if (Array.isArray(firstArg)) return firstArg.filter(it => typeof it === 'string');
  if (!isMemoryNode(firstArg)) return [];
  const selected: readonly MemoryNode[] = Array.isArray(secondArg) ? secondArg.filter(isMemoryNode) : [];
  const nodes = selected.length > 0 ? selected : [firstArg];
  return [...new Set(nodes.map(it => it.details.memory.id))];
}

/**
 * Whether a command was called on rows none of which is a memory. VS Code passes undefined for a row of a tree that is
 * being refreshed; then a status message asks the user to try again.
 */
export function reportNoSelection(args: readonly unknown[]): boolean {
  if (args.length === 0 || selectedMemoryIds(args).length > 0) return false;
  if (args[0] === undefined) {
    showStatusMessage(vscode.l10n.t('The list was just changing. Please try again.'), statusMessageMs);
  }
  return true;
}
