import path from 'node:path';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { DeletionResult } from '../../engine/model/deletionResult.js';
import type { StoreKind } from '../../engine/model/memory.js';
import { commandIds, type CommandId } from '../contributions.js';
import { toTruncatedLine } from '../ui/markdown.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger, storeLabel } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { pickMemory } from '../ui/memoryPicker.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, selectedMemoryIds } from './selection.js';

/** Memories that the confirmation quotes; the rest is counted. */
const maxQuotedMemories = 5;
const maxQuotedLength = 80;

/** Commands that delete memories, or the content of a store, permanently. */
export function registerDeletion(commands: CommandRegistry, engineHolder: EngineHolder): void {
  commands.register(commandIds.purge, async (...args) => {
    const engine = await engineHolder.engine();
    const selectedIds = selectedMemoryIds(args);
    if (reportNoSelection(args)) return;
    const ids = selectedIds.length > 0 ? selectedIds : await pickMemoryId(commands, engine);
    if (ids.length === 0 || !(await confirmPurge(engine, ids))) return;
    await deleteWithProgress(commands, commandIds.purge, async () => (await engineHolder.engine()).deletion.purge(ids));
  });
  commands.register(commandIds.reset, async () => {
    const engine = await engineHolder.engine();
    const chosen = await pickStore(engine);
    if (chosen === undefined || !(await confirmReset(engine, chosen))) return;
    await deleteWithProgress(commands, commandIds.reset, async () =>
      (await engineHolder.engine()).deletion.reset(chosen.file),
    );
  });
}

async function pickMemoryId(commands: CommandRegistry, engine: MemoryEngine): Promise<readonly string[]> {
  const picked = await pickMemory(engine, {
    title: vscode.l10n.t('Delete a Memory for Good'),
    placeholder: vscode.l10n.t('Type what it is about'),
    baseFilter: { statuses: ['active', 'archived', 'superseded'] },
    onError: error => {
      commands.report(commandIds.purge, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}

async function confirmPurge(engine: MemoryEngine, ids: readonly string[]): Promise<boolean> {
  const memories = await engine.getMany(ids);
  const lines = memories.slice(0, maxQuotedMemories).map(it => `“${toTruncatedLine(it.content, maxQuotedLength)}”`);
  const more =
    memories.length > maxQuotedMemories
      ? [vscode.l10n.t('and {0} more', formatInteger(memories.length - maxQuotedMemories))]
      : [];
  const question =
    memories.length === 1
      ? vscode.l10n.t('Delete this memory for good?')
      : vscode.l10n.t('Delete {0} memories for good?', formatInteger(memories.length));
  const consequence = vscode.l10n.t(
    'What is deleted also goes from checkpoints and backups, and nothing brings it back. What you forget instead can be restored.',
  );
  return confirmDeletion(question, [[...lines, ...more].join('\n'), consequence].join('\n\n'));
}

interface StorePickItem extends vscode.QuickPickItem {
  readonly store: StoreKind;
  readonly file: string;
}

async function pickStore(engine: MemoryEngine): Promise<StorePickItem | undefined> {
  const choices = engine.stores.map(({ kind, file }): StorePickItem => {
    return { label: storeLabel(kind), description: path.dirname(file), store: kind, file };
  });
  return vscode.window.showQuickPick(choices, {
    title: vscode.l10n.t('Reset a Memory Store'),
    placeHolder: vscode.l10n.t('Choose the store to empty for good'),
  });
}

async function confirmReset(engine: MemoryEngine, { file, store }: StorePickItem): Promise<boolean> {
  const { memories = 0 } = (await engine.verify()).find(it => it.file === file) ?? {};
  const copyCount = (await engine.checkpoints.list()).filter(it => it.of === file).length;
  return confirmDeletion(
    vscode.l10n.t('Delete everything in the {0}?', storeLabel(store)),
    vscode.l10n.t(
      'This deletes {0} with history, goals and traces, and {1}. Nothing brings it back; “Export…” keeps a copy.\n\n{2}',
      countLabel(memories, 'memory'),
      countLabel(copyCount, 'copy'),
      file,
    ),
  );
}

function confirmDeletion(question: string, detail: string): Promise<boolean> {
  return confirmModal({ question, detail, button: vscode.l10n.t('Delete for Good'), severity: 'warning' });
}

async function deleteWithProgress(
  commands: CommandRegistry,
  command: CommandId,
  work: () => Promise<DeletionResult>,
): Promise<void> {
  const title = vscode.l10n.t('Deleting for good');
  const { memories, left: remainingFiles } = await withProgress({ title, cancellable: false }, work);
  const deletedSentence = vscode.l10n.t('Deleted for good: {0}.', countLabel(memories, 'memory'));
  const untouchedSentence = vscode.l10n.t('CLAUDE.md, synced Markdown and exports were not touched.');
  if (remainingFiles.length === 0) commands.notify(command, { message: `${deletedSentence} ${untouchedSentence}` });
  else {
    const files = vscode.l10n.t(
      'These files may still hold them; delete them yourself: {0}',
      remainingFiles.join(', '),
    );
    commands.notify(command, { message: `${deletedSentence} ${files}`, severity: 'warning' });
  }
}
