import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { parseFilter } from '../find.js';
import type { MemoryDocuments } from '../memoryDocuments.js';
import type { MemorySession } from '../session.js';
import { forgetWithUndo } from './curate.js';
import { pickMemory, type RowButton } from './pick.js';
import type { Commands } from './registry.js';

/** "Recall…", and the list that opens from the memories of a piece of code. */
export function registerRecall(commands: Commands, session: MemorySession, documents: MemoryDocuments): void {
  const onError = (error: unknown): void => {
    commands.report(commandIds.recall, error);
  };
  const buttons = rowButtons(commands, session);

  commands.register(commandIds.recall, async () => {
    const engine = await session.engine();
    const placeholder = vscode.l10n.t('Type what it is about; #tag, @pinned, @note and @confirmed narrow');
    const picked = await pickMemory(engine, { title: vscode.l10n.t('Recall'), placeholder, buttons, onError });
    if (picked === undefined) return;
    await documents.open(picked.memory.id);
    // What was typed on the way counts as nothing; the question that was answered is a recall like any other.
    const { text } = parseFilter(picked.typed);
    if (text !== '') await engine.recall({ query: text });
  });

  commands.register(commandIds.showAnchored, async ids => {
    if (!Array.isArray(ids)) return;
    const wanted = new Set(ids.filter(it => typeof it === 'string'));
    const engine = await session.engine();
    const [first, ...others] = await engine.getAll([...wanted]);
    if (first === undefined) return;
    if (others.length === 0) {
      await documents.open(first.id);
      return;
    }
    const picked = await pickMemory(engine, {
      title: vscode.l10n.t('Remembered here'),
      placeholder: vscode.l10n.t('Choose one to read it'),
      ...(first.provenance.uri === undefined ? {} : { among: { uri: first.provenance.uri } }),
      only: it => wanted.has(it.id),
      buttons,
      onError,
    });
    if (picked !== undefined) await documents.open(picked.memory.id);
  });
}

function rowButtons(commands: Commands, session: MemorySession): readonly RowButton[] {
  return [
    {
      icon: 'copy',
      tooltip: () => vscode.l10n.t('Copy'),
      run: memory => vscode.env.clipboard.writeText(memory.content),
    },
    {
      icon: 'pin',
      tooltip: () => vscode.l10n.t('Pin'),
      shows: memory => !memory.pinned,
      run: async memory => (await session.engine()).pin(memory.id),
    },
    {
      icon: 'pinned',
      tooltip: () => vscode.l10n.t('Unpin'),
      shows: memory => memory.pinned,
      run: async memory => (await session.engine()).unpin(memory.id),
    },
    {
      icon: 'trash',
      tooltip: () => vscode.l10n.t('Forget'),
      run: memory => forgetWithUndo(commands, session, memory.id),
    },
  ];
}
