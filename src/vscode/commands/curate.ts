import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import type { MemoryFilter } from '../../engine/model/query.js';
import { commandIds, type CommandId } from '../contributions.js';
import type { ExplorerNode } from '../explorer/nodes.js';
import { oneLine } from '../markdown.js';
import type { MemorySession } from '../session.js';
import { countWord } from '../words.js';
import { pickMemory } from './pick.js';
import type { Commands } from './registry.js';
import { calledOnNoMemory, targetsOf, withSelection } from './targets.js';

/** Long enough to be read once. */
const statusMs = 4_000;
/** Of a memory's text in a notification. */
const quotedCharacters = 60;

/** What a person may do to memories that exist: chosen in the explorer, or picked by typing. */
interface Curation {
  readonly command: CommandId;
  readonly title: string;
  readonly among: MemoryFilter;
  readonly only?: (memory: Memory) => boolean;
  readonly change: (engine: MemoryEngine, id: string) => Promise<Memory>;
  readonly said: (text: string) => string;
  readonly saidOfMany: (count: string) => string;
  readonly undo?: (engine: MemoryEngine, id: string) => Promise<Memory>;
}

/** @param selection what is selected in the explorer, for keys */
export function registerCuration(
  commands: Commands,
  session: MemorySession,
  selection: () => Promise<readonly ExplorerNode[]>,
): void {
  for (const curation of curations()) {
    commands.register(curation.command, async (...called) => {
      const args = await withSelection(called, selection);
      const engine = await session.engine();
      const targets = targetsOf(args);
      if (calledOnNoMemory(args)) return;
      const ids = targets.length > 0 ? targets : await pickOne(commands, engine, curation);
      await apply(commands, session, curation, ids);
    });
  }
}

/** Forgets and offers to undo it; for the buttons of other lists. */
export function forgetWithUndo(commands: Commands, session: MemorySession, id: string): Promise<void> {
  return apply(
    commands,
    session,
    curations().find(it => it.command === commandIds.forget)!,
    [id],
  );
}

async function apply(
  commands: Commands,
  session: MemorySession,
  curation: Curation,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const engine = await session.engine();
  const changed: Memory[] = [];
  for (const id of ids) changed.push(await curation.change(engine, id));
  const text = changed.length === 1 ? oneLine(changed[0]!.content, quotedCharacters) : undefined;
  const message = text === undefined ? curation.saidOfMany(countWord(changed.length)) : curation.said(text);
  const { undo } = curation;
  if (undo === undefined) {
    vscode.window.setStatusBarMessage(message, statusMs);
    return;
  }
  const undoAll = async (): Promise<void> => {
    const now = await session.engine();
    for (const { id } of changed) await undo(now, id);
  };
  const actions = [{ title: vscode.l10n.t('Undo'), run: undoAll }];
  commands.tell(curation.command, { message, topic: 'forgotten', actions });
}

async function pickOne(commands: Commands, engine: MemoryEngine, curation: Curation): Promise<readonly string[]> {
  const picked = await pickMemory(engine, {
    title: curation.title,
    placeholder: vscode.l10n.t('Type what it is about'),
    among: curation.among,
    ...(curation.only === undefined ? {} : { only: curation.only }),
    onError: error => {
      commands.report(curation.command, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}

function curations(): readonly Curation[] {
  return [
    {
      command: commandIds.pin,
      title: vscode.l10n.t('Pin a Memory'),
      among: { pinned: false },
      change: (engine, id) => engine.pin(id),
      said: text => vscode.l10n.t('Pinned: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} memories pinned', count),
    },
    {
      command: commandIds.unpin,
      title: vscode.l10n.t('Unpin a Memory'),
      among: { pinned: true },
      change: (engine, id) => engine.unpin(id),
      said: text => vscode.l10n.t('Unpinned: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} memories unpinned', count),
    },
    {
      command: commandIds.forget,
      title: vscode.l10n.t('Forget a Memory'),
      among: {},
      change: (engine, id) => engine.forget(id),
      said: text => vscode.l10n.t('Forgotten: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} memories forgotten.', count),
      undo: (engine, id) => engine.restore(id),
    },
    {
      command: commandIds.restore,
      title: vscode.l10n.t('Restore a Memory'),
      among: { statuses: ['archived', 'superseded'] },
      change: (engine, id) => engine.restore(id),
      said: text => vscode.l10n.t('Restored: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} memories restored', count),
    },
    {
      command: commandIds.promote,
      title: vscode.l10n.t('Promote a Note to Confirmed'),
      among: { lane: 'note' },
      change: (engine, id) => engine.promote(id),
      said: text => vscode.l10n.t('Confirmed: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} memories confirmed', count),
    },
    {
      command: commandIds.markCritical,
      title: vscode.l10n.t('Mark a Memory Critical'),
      among: {},
      only: memory => memory.decayClass !== 'permanent',
      change: (engine, id) => engine.markCritical(id),
      said: text => vscode.l10n.t('Never fades from now on: {0}', text),
      saidOfMany: count => vscode.l10n.t('{0} memories never fade from now on', count),
    },
  ];
}
