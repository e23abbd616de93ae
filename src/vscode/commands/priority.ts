import * as vscode from 'vscode';
import type { Memory } from '../../engine/model/memory.js';
import { commandIds } from '../contributions.js';
import type { ExplorerNode } from '../explorer/treeNodes.js';
import type { EngineHolder } from '../engineHolder.js';
import { formatInteger } from '../l10n/labels.js';
import { toTruncatedLine } from '../ui/markdown.js';
import { pickMemory } from '../ui/memoryPicker.js';
import type { CommandRegistry } from './commandRegistry.js';
import { replaceWithSelection, reportNoSelection, selectedMemoryIds } from './selection.js';

/** Priorities from the one that counts most. */
const priorities = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1] as const;

/** Characters of a memory's text in a notification. */
const maxQuotedLength = 60;

/**
 * The command that sets how much memories count when memories are ranked. A second argument of a caller that knows the
 * priority takes the place of the question.
 * @param selection returns the selected rows of the explorer
 */
export function registerPriority(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  selection: () => Promise<readonly ExplorerNode[]>,
): void {
  commands.register(commandIds.setPriority, async (...commandArgs) => {
    const args = await replaceWithSelection(commandArgs, selection);
    if (reportNoSelection(args)) return;
    const engine = await engineHolder.engine();
    const selectedIds = selectedMemoryIds(args);
    const ids = selectedIds.length > 0 ? selectedIds : await pickMemoryId(commands, engineHolder);
    if (ids.length === 0) return;
    const before: Memory[] = [];
    for (const id of ids) before.push(await engine.get(id));
    const priority = typeof args[1] === 'number' ? args[1] : await pickPriority(before);
    if (priority === undefined) return;
    await setPriorityWithUndo(commands, engineHolder, before, priority);
  });
}

async function setPriorityWithUndo(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  before: readonly Memory[],
  priority: number,
): Promise<void> {
  const engine = await engineHolder.engine();
  for (const { id } of before) await engine.setPriority(id, priority);
  const steps = before.map(it => ({ do: 'prioritize', ids: [it.id], priority: it.priority }) as const);
  const message =
    before.length === 1
      ? vscode.l10n.t('Priority {0}: {1}', priority, toTruncatedLine(before[0]!.content, maxQuotedLength))
      : vscode.l10n.t('{0} memories have priority {1}', formatInteger(before.length), priority);
  const change = { name: 'prioritized', ids: before.map(it => it.id), steps } as const;
  commands.notifyChange(commandIds.setPriority, engine, message, change);
}

async function pickMemoryId(commands: CommandRegistry, engineHolder: EngineHolder): Promise<readonly string[]> {
  const picked = await pickMemory(await engineHolder.engine(), {
    title: vscode.l10n.t('Set the Priority of Which Memory?'),
    placeholder: vscode.l10n.t('Type what it is about'),
    onError: error => {
      commands.report(commandIds.setPriority, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}

/** Undefined when the picker is closed. */
async function pickPriority(memories: readonly Memory[]): Promise<number | undefined> {
  const items = priorities.map(priority => ({
    label: formatInteger(priority),
    description: [
      ...(priority === 10 ? [vscode.l10n.t('counts most')] : []),
      ...(priority === 5 ? [vscode.l10n.t('the default')] : []),
      ...(priority === 1 ? [vscode.l10n.t('counts least')] : []),
      ...(memories.every(it => it.priority === priority) ? [vscode.l10n.t('now')] : []),
    ].join(' · '),
    priority,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Priority'),
    placeHolder: vscode.l10n.t('How much it counts when memories are ranked'),
  });
  return picked?.priority;
}
