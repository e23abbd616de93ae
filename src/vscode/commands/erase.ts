import path from 'node:path';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Erased } from '../../engine/model/erasure.js';
import type { StoreKind } from '../../engine/model/memory.js';
import { commandIds, type CommandId } from '../contributions.js';
import { oneLine } from '../markdown.js';
import type { MemorySession } from '../session.js';
import { counted, countWord, storeWord } from '../words.js';
import { pickMemory } from './pick.js';
import { withProgress } from './progress.js';
import type { Commands } from './registry.js';
import { calledOnNoMemory, targetsOf } from './targets.js';

/** Of memories that are about to go, so many are named. */
const named = 5;
const namedCharacters = 80;

/** What deletes for good: some memories, or everything in a store. */
export function registerErasure(commands: Commands, session: MemorySession): void {
  commands.register(commandIds.purge, async (...args) => {
    const engine = await session.engine();
    const targets = targetsOf(args);
    if (calledOnNoMemory(args)) return;
    const ids = targets.length > 0 ? targets : await pickOne(commands, engine);
    if (ids.length === 0 || !(await agreesToPurge(engine, ids))) return;
    await erase(commands, commandIds.purge, async () => (await session.engine()).erasure.purge(ids));
  });
  commands.register(commandIds.reset, async () => {
    const engine = await session.engine();
    const chosen = await pickStore(engine);
    if (chosen === undefined || !(await agreesToReset(engine, chosen))) return;
    await erase(commands, commandIds.reset, async () => (await session.engine()).erasure.reset(chosen.file));
  });
}

async function pickOne(commands: Commands, engine: MemoryEngine): Promise<readonly string[]> {
  const picked = await pickMemory(engine, {
    title: vscode.l10n.t('Delete a Memory for Good'),
    placeholder: vscode.l10n.t('Type what it is about'),
    among: { statuses: ['active', 'archived', 'superseded'] },
    onError: error => {
      commands.report(commandIds.purge, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}

async function agreesToPurge(engine: MemoryEngine, ids: readonly string[]): Promise<boolean> {
  const memories = await engine.getAll(ids);
  const lines = memories.slice(0, named).map(it => `“${oneLine(it.content, namedCharacters)}”`);
  const more = memories.length > named ? [vscode.l10n.t('and {0} more', countWord(memories.length - named))] : [];
  const question =
    memories.length === 1
      ? vscode.l10n.t('Delete this memory for good?')
      : vscode.l10n.t('Delete {0} memories for good?', countWord(memories.length));
  const consequence = vscode.l10n.t(
    'What is deleted also goes from checkpoints and backups, and nothing brings it back. To put a memory away, forget it instead.',
  );
  return agrees(question, [[...lines, ...more].join('\n'), consequence].join('\n\n'));
}

interface StoreChoice extends vscode.QuickPickItem {
  readonly store: StoreKind;
  readonly file: string;
}

async function pickStore(engine: MemoryEngine): Promise<StoreChoice | undefined> {
  const choices = engine.stores.map(({ kind, file }): StoreChoice => {
    return { label: storeWord(kind), description: path.dirname(file), store: kind, file };
  });
  return vscode.window.showQuickPick(choices, {
    title: vscode.l10n.t('Reset a Memory Store'),
    placeHolder: vscode.l10n.t('Choose the store to empty for good'),
  });
}

async function agreesToReset(engine: MemoryEngine, { file, store }: StoreChoice): Promise<boolean> {
  const { memories = 0 } = (await engine.verify()).find(it => it.file === file) ?? {};
  const copies = (await engine.checkpoints.list()).filter(it => it.of === file).length;
  return agrees(
    vscode.l10n.t('Delete everything in the {0}?', storeWord(store)),
    vscode.l10n.t(
      'This deletes {0} with history, goals and traces, and {1}. Nothing brings it back; “Export…” keeps a copy.\n\n{2}',
      counted(memories, 'memory'),
      counted(copies, 'copy'),
      file,
    ),
  );
}

async function agrees(question: string, detail: string): Promise<boolean> {
  const yes = vscode.l10n.t('Delete for Good');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

async function erase(commands: Commands, command: CommandId, work: () => Promise<Erased>): Promise<void> {
  const title = vscode.l10n.t('Deleting for good');
  const { memories, left } = await withProgress({ title, cancellable: false }, work);
  const gone = vscode.l10n.t('Deleted for good: {0}.', counted(memories, 'memory'));
  const outside = vscode.l10n.t('CLAUDE.md, synced Markdown and exports were not touched.');
  if (left.length === 0) commands.tell(command, { message: `${gone} ${outside}` });
  else {
    const files = vscode.l10n.t('These files may still hold them; delete them yourself: {0}', left.join(', '));
    commands.tell(command, { message: `${gone} ${files}`, severity: 'warning' });
  }
}
