import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import type { MemorySet } from '../../engine/model/query.js';
import { commandIds, explorerViewId } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import type { MemoryExplorer } from '../explorer/explorer.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel } from '../l10n/labels.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import { pickMemory } from '../ui/memoryPicker.js';
import { showStatusMessage } from '../ui/messages.js';
import { statusMessageMs } from '../ui/notifications.js';
import { formatSetFilter } from '../ui/searchAsYouType.js';
import type { CommandRegistry } from './commandRegistry.js';
import { replaceWithSelection, reportNoSelection, selectedMemoryIds } from './selection.js';

/** Characters of a memory's text in a notification. */
const maxQuotedLength = 60;

/** A set by its name, or the shared memories under the empty name. */
type SetItem = vscode.QuickPickItem & { readonly scopeId?: string };

/** Commands on isolated sets: put memories into one, show the memories of one. */
export function registerSets(commands: CommandRegistry, engineHolder: EngineHolder, explorer: MemoryExplorer): void {
  commands.register(commandIds.moveToSet, async (...commandArgs) => {
    const args = await replaceWithSelection(commandArgs, () => explorer.selection());
    if (reportNoSelection(args)) return;
    const selectedIds = selectedMemoryIds(args);
    const ids = selectedIds.length > 0 ? selectedIds : await pickMemoryId(commands, engineHolder);
    if (ids.length === 0) return;
    const engine = await engineHolder.engine();
    const before: Memory[] = [];
    for (const id of ids) before.push(await engine.get(id));
    const scopeId = typeof args[1] === 'string' ? args[1] : await pickTargetSet(engine, before);
    if (scopeId !== undefined) await moveWithUndo(commands, engineHolder, before, scopeId);
  });
  commands.register(commandIds.showSet, async (...args) => {
    const scopeId = typeof args[0] === 'string' ? args[0] : await pickSet(commands, engineHolder);
    if (scopeId === undefined) return;
    explorer.setFilter(formatSetFilter(scopeId));
    await vscode.commands.executeCommand(`${explorerViewId}.focus`);
  });
}

async function moveWithUndo(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  before: readonly Memory[],
  scopeId: string,
): Promise<void> {
  const engine = await engineHolder.engine();
  const ids = before.map(it => it.id);
  const { moved, refused } = await engine.sets.move(ids, scopeId);
  const movedBefore = before.filter(it => moved.some(({ id }) => id === it.id));
  const steps = movedBefore.map(it => ({ do: 'moveToSet', ids: [it.id], scopeId: it.scopeId ?? '' }) as const);
  const refusals = refused.map(it => `${toTruncatedLine(it.memory.content, maxQuotedLength)}: ${localize(it.reason)}`);
  if (refusals.length > 0) commands.notify(commandIds.moveToSet, { message: refusals.join(' ') });
  if (moved.length > 0) {
    const change = { name: 'moved', ids: movedBefore.map(it => it.id), steps } as const;
    commands.notifyChange(commandIds.moveToSet, engine, movedSentence(moved, scopeId), change);
  } else if (refusals.length === 0)
    showStatusMessage(vscode.l10n.t('Nothing to move: it is there already.'), statusMessageMs);
}

function movedSentence(moved: readonly Memory[], scopeId: string): string {
  const what =
    moved.length === 1 ? toTruncatedLine(moved[0]!.content, maxQuotedLength) : countLabel(moved.length, 'memory');
  return scopeId === ''
    ? vscode.l10n.t('In no set any more: {0}', what)
    : vscode.l10n.t('Moved to the set {0}: {1}', toTruncatedLine(scopeId, maxQuotedLength), what);
}

async function pickMemoryId(commands: CommandRegistry, engineHolder: EngineHolder): Promise<readonly string[]> {
  const picked = await pickMemory(await engineHolder.engine(), {
    title: vscode.l10n.t('Move Which Memory to a Set?'),
    placeholder: vscode.l10n.t('Type what it is about; #tag, @pinned, @note, @confirmed and @set:ID narrow'),
    onError: error => {
      commands.report(commandIds.moveToSet, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}

/** The name of a set, empty for the shared memories; undefined when the picker is closed. */
async function pickTargetSet(engine: MemoryEngine, memories: readonly Memory[]): Promise<string | undefined> {
  const isThere = (scopeId: string): boolean => memories.every(it => (it.scopeId ?? '') === scopeId);
  const now = vscode.l10n.t('where it is now');
  const create: SetItem = { label: `$(add) ${vscode.l10n.t('New Set…')}` };
  const shared: SetItem = {
    label: vscode.l10n.t('No set'),
    description: [vscode.l10n.t('found by every recall'), ...(isThere('') ? [now] : [])].join(' · '),
    scopeId: '',
  };
  const sets = (await engine.sets.list()).map(it => {
    const item = toItem(it);
    return isThere(it.scopeId) ? { ...item, description: `${item.description} · ${now}` } : item;
  });
  const picked = await vscode.window.showQuickPick<SetItem>([...sets, shared, create], {
    title: vscode.l10n.t('Move to Set'),
    placeHolder: vscode.l10n.t('Memories in a set are found only where the set is asked for'),
  });
  if (picked === undefined || picked.scopeId !== undefined) return picked?.scopeId;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Set'),
    prompt: vscode.l10n.t('Its name, such as a customer or a trial'),
    validateInput: it => (it.trim() === '' ? vscode.l10n.t('A name, please') : undefined),
  });
  return name?.trim();
}

async function pickSet(commands: CommandRegistry, engineHolder: EngineHolder): Promise<string | undefined> {
  const sets = await (await engineHolder.engine()).sets.list();
  if (sets.length === 0) {
    const message = vscode.l10n.t('There is no set yet. "Move to Set…" on a memory makes one.');
    commands.notify(commandIds.showSet, { message });
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(sets.map(toItem), {
    title: vscode.l10n.t('Show a Set'),
    placeHolder: vscode.l10n.t('Its memories are shown until you clear the filter'),
  });
  return picked?.scopeId;
}

function toItem({ scopeId, active, archived }: MemorySet): SetItem & { readonly description: string } {
  const counts = [
    countLabel(active, 'memory'),
    ...(archived === 0 ? [] : [vscode.l10n.t('{0} forgotten', countLabel(archived, 'memory'))]),
  ];
  return { label: toPlainMessage(scopeId), description: counts.join(' · '), scopeId };
}
