import * as vscode from 'vscode';
import { isMemoryNode, type ExplorerNode, type MemoryNode } from '../explorer/treeNodes.js';
import { statusMessageMs } from '../ui/notifications.js';

/** What a keybinding passes: it knows no row. package.json has the same word. */
const selectedArgument = 'selected';

/**
 * The arguments of a command as if it was called on the selected rows, where a key called it.
 * @param selection of the explorer
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
 * The ids of the memories that a command is meant for: those selected in the explorer when it was called on one of
 * them, the one it was called on, or those whose ids were passed. Empty when a person must choose first.
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
 * Whether a command was called on rows of which none is a memory. One that VS Code does not know any more, because the
 * tree was just being replaced, is told of.
 */
export function reportNoSelection(args: readonly unknown[]): boolean {
  if (args.length === 0 || selectedMemoryIds(args).length > 0) return false;
  if (args[0] === undefined) {
    vscode.window.setStatusBarMessage(vscode.l10n.t('The list was just changing. Please try again.'), statusMessageMs);
  }
  return true;
}
