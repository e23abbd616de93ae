import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { parseTypedFilter } from '../ui/searchAsYouType.js';
import type { EngineHolder } from '../engineHolder.js';
import { forgetWithUndo } from './memoryActions.js';
import { pickMemory, type RowButton } from '../ui/memoryPicker.js';
import type { CommandRegistry } from './commandRegistry.js';

/** "Recall…", and the list of memories that a CodeLens opens. */
export function registerRecall(commands: CommandRegistry, engineHolder: EngineHolder): void {
  const onError = (error: unknown): void => {
    commands.report(commandIds.recall, error);
  };
  const buttons = rowButtons(commands, engineHolder);

  commands.register(commandIds.recall, async () => {
    const engine = await engineHolder.engine();
    const placeholder = vscode.l10n.t('Type what it is about; #tag, @pinned, @note, @confirmed and @set:ID narrow');
    const picked = await pickMemory(engine, { title: vscode.l10n.t('Recall'), placeholder, buttons, onError });
    if (picked === undefined) return;
    await showPage(picked.memory.id);
    // Searches while typing are untracked; the final query is recorded as one recall.
    const { text } = parseTypedFilter(picked.query);
    if (text !== '') await engine.recall({ query: text });
  });

  commands.register(commandIds.showAnchored, async ids => {
    if (!Array.isArray(ids)) return;
    const memoryIds = new Set(ids.filter(it => typeof it === 'string'));
    const engine = await engineHolder.engine();
    const [first, ...otherMemories] = await engine.getMany([...memoryIds]);
    if (first === undefined) return;
    if (otherMemories.length === 0) {
      await showPage(first.id);
      return;
    }
    const picked = await pickMemory(engine, {
      title: vscode.l10n.t('Remembered here'),
      placeholder: vscode.l10n.t('Choose one to read it'),
      ...(first.provenance.uri === undefined ? {} : { baseFilter: { uri: first.provenance.uri } }),
      predicate: it => memoryIds.has(it.id),
      buttons,
      onError,
    });
    if (picked !== undefined) await showPage(picked.memory.id);
  });
}

/** The page of a memory in the inspector. */
function showPage(id: string): Thenable<unknown> {
  return vscode.commands.executeCommand(commandIds.showInInspector, id);
}

function rowButtons(commands: CommandRegistry, engineHolder: EngineHolder): readonly RowButton[] {
  return [
    {
      icon: 'copy',
      tooltip: () => vscode.l10n.t('Copy'),
      run: memory => vscode.env.clipboard.writeText(memory.content),
    },
    {
      icon: 'pin',
      tooltip: () => vscode.l10n.t('Pin'),
      isVisible: memory => !memory.pinned,
      run: async memory => (await engineHolder.engine()).pin(memory.id),
    },
    {
      icon: 'pinned',
      tooltip: () => vscode.l10n.t('Unpin'),
      isVisible: memory => memory.pinned,
      run: async memory => (await engineHolder.engine()).unpin(memory.id),
    },
    {
      icon: 'trash',
      tooltip: () => vscode.l10n.t('Forget'),
      run: memory => forgetWithUndo(commands, engineHolder, memory.id),
    },
  ];
}
