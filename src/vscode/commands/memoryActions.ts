import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import type { MemoryFilter } from '../../engine/model/query.js';
import { commandIds, type CommandId } from '../contributions.js';
import type { ExplorerNode } from '../explorer/treeNodes.js';
import { toTruncatedLine } from '../ui/markdown.js';
import type { EngineHolder } from '../engineHolder.js';
import { formatInteger } from '../l10n/labels.js';
import { pickMemory } from '../ui/memoryPicker.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, selectedMemoryIds, replaceWithSelection } from './selection.js';
import { showStatusMessage } from '../ui/messages.js';
import type { ChangeName } from '../undo/undoHistory.js';
import { standingStep } from '../undo/undoSteps.js';

/** Characters of a memory's text in a notification. */
const maxQuotedLength = 60;

/** A command on memories that are selected in the explorer, or on one that the user picks. */
interface MemoryAction {
  readonly command: CommandId;
  readonly title: string;
  readonly candidateFilter: MemoryFilter;
  readonly predicate?: (memory: Memory) => boolean;
  readonly run: (engine: MemoryEngine, id: string) => Promise<Memory>;
  readonly messageForOne: (text: string) => string;
  readonly messageForMany: (count: string) => string;
  /** How it is named and undone. */
  readonly change: { readonly name: ChangeName; readonly undo: 'restore' | 'forget' | 'pin' | 'unpin' | 'standing' };
}

/** @param selection returns the selected rows of the explorer, for commands called by a keybinding */
export function registerMemoryActions(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  selection: () => Promise<readonly ExplorerNode[]>,
): void {
  commands.register(commandIds.copyMemory, async (...commandArgs) => {
    const ids = selectedMemoryIds(await replaceWithSelection(commandArgs, selection));
    if (ids.length === 0) return;
    const memories = await (await engineHolder.engine()).getMany([...ids]);
    const texts = new Map(memories.map(it => [it.id, it.content]));
    await vscode.env.clipboard.writeText(ids.flatMap(it => texts.get(it) ?? []).join('\n'));
    showStatusMessage(vscode.l10n.t('Copied.'), statusMessageMs);
  });
  for (const action of memoryActions()) {
    commands.register(action.command, async (...commandArgs) => {
      const args = await replaceWithSelection(commandArgs, selection);
      const engine = await engineHolder.engine();
      const selectedIds = selectedMemoryIds(args);
      if (reportNoSelection(args)) return;
      const ids = selectedIds.length > 0 ? selectedIds : await pickMemoryId(commands, engine, action);
      await applyAction(commands, engineHolder, action, ids);
    });
  }
}

/** The command "Forget", for buttons of other lists. */
export function forgetWithUndo(commands: CommandRegistry, engineHolder: EngineHolder, id: string): Promise<void> {
  return applyAction(
    commands,
    engineHolder,
    memoryActions().find(it => it.command === commandIds.forget)!,
    [id],
  );
}

async function applyAction(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  action: MemoryAction,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const engine = await engineHolder.engine();
  const before: Memory[] = [];
  const changed: Memory[] = [];
  for (const id of ids) {
    before.push(await engine.get(id));
    changed.push(await action.run(engine, id));
  }
  const text = changed.length === 1 ? toTruncatedLine(changed[0]!.content, maxQuotedLength) : undefined;
  const message =
    text === undefined ? action.messageForMany(formatInteger(changed.length)) : action.messageForOne(text);
  const changedIds = changed.map(it => it.id);
  const { name, undo } = action.change;
  const steps = undo === 'standing' ? before.map(standingStep) : [{ do: undo, ids: changedIds }];
  commands.notifyChange(action.command, engine, message, { name, ids: changedIds, steps });
}

async function pickMemoryId(
  commands: CommandRegistry,
  engine: MemoryEngine,
  action: MemoryAction,
): Promise<readonly string[]> {
  const picked = await pickMemory(engine, {
    title: action.title,
    placeholder: vscode.l10n.t('Type what it is about'),
    baseFilter: action.candidateFilter,
    ...(action.predicate === undefined ? {} : { predicate: action.predicate }),
    onError: error => {
      commands.report(action.command, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}

function memoryActions(): readonly MemoryAction[] {
  return [...pinActions(), ...lifeActions()];
}

function pinActions(): readonly MemoryAction[] {
  return [
    {
      command: commandIds.pin,
      title: vscode.l10n.t('Pin a Memory'),
      candidateFilter: { pinned: false },
      run: (engine, id) => engine.pin(id),
      messageForOne: text => vscode.l10n.t('Pinned: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} memories pinned', count),
      change: { name: 'pinned', undo: 'unpin' },
    },
    {
      command: commandIds.unpin,
      title: vscode.l10n.t('Unpin a Memory'),
      candidateFilter: { pinned: true },
      run: (engine, id) => engine.unpin(id),
      messageForOne: text => vscode.l10n.t('Unpinned: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} memories unpinned', count),
      change: { name: 'unpinned', undo: 'pin' },
    },
    {
      command: commandIds.askBefore,
      title: vscode.l10n.t('Ask Before What a Memory Names'),
      candidateFilter: { lane: 'confirmed' },
      run: async (engine, id) => {
        await engine.guards.set(id);
        return engine.pin(id);
      },
      messageForOne: text =>
        vscode.l10n.t('Assistants that can ask you do so before this, until you unpin it: {0}', text),
      messageForMany: count =>
        vscode.l10n.t('Assistants that can ask you do so before what {0} memories name, until you unpin them', count),
      change: { name: 'pinned', undo: 'unpin' },
    },
  ];
}

/** Actions that say whether and how long a memory lives. */
function lifeActions(): readonly MemoryAction[] {
  return [
    {
      command: commandIds.forget,
      title: vscode.l10n.t('Forget a Memory'),
      candidateFilter: {},
      run: (engine, id) => engine.forget(id),
      messageForOne: text => vscode.l10n.t('Forgotten: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} memories forgotten.', count),
      change: { name: 'forgot', undo: 'restore' },
    },
    {
      command: commandIds.restore,
      title: vscode.l10n.t('Restore a Memory'),
      candidateFilter: { statuses: ['archived', 'superseded'] },
      run: (engine, id) => engine.restore(id),
      messageForOne: text => vscode.l10n.t('Restored: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} memories restored', count),
      change: { name: 'restored', undo: 'forget' },
    },
    {
      command: commandIds.promote,
      title: vscode.l10n.t('Promote a Note to Confirmed'),
      candidateFilter: { lane: 'note' },
      run: (engine, id) => engine.promote(id),
      messageForOne: text => vscode.l10n.t('Confirmed: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} memories confirmed', count),
      change: { name: 'confirmed', undo: 'standing' },
    },
    {
      command: commandIds.markCritical,
      title: vscode.l10n.t('Mark a Memory Critical'),
      candidateFilter: {},
      predicate: memory => memory.decayClass !== 'permanent',
      run: (engine, id) => engine.markCritical(id),
      messageForOne: text => vscode.l10n.t('Never fades from now on: {0}', text),
      messageForMany: count => vscode.l10n.t('{0} memories never fade from now on', count),
      change: { name: 'keptForGood', undo: 'standing' },
    },
  ];
}
