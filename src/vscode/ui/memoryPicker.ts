import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import type { MemoryFilter } from '../../engine/model/query.js';
import { sharedMessages } from '../../engine/model/sharedMessages.js';
import { localize } from '../l10n/engineMessages.js';
import { searchAsYouType } from './searchAsYouType.js';
import { memoryRowDetail, pinIcon } from './memoryPresentation.js';
import { toPlainMessage } from './markdown.js';

/** From the last keystroke to the search. */
const debounceMs = 120;
const maxRows = 50;

/** A button of a row. The picker stays open when it is pressed. */
export interface RowButton {
  readonly icon: string;
  tooltip(memory: Memory): string;
  isVisible?(memory: Memory): boolean;
  run(memory: Memory): PromiseLike<unknown>;
}

export interface MemoryPickerOptions {
  readonly title: string;
  readonly placeholder: string;
  /** Typed into it at first. */
  readonly text?: string;
  /** Of the offered memories. */
  readonly baseFilter?: MemoryFilter;
  /** Filters by what `baseFilter` cannot express. */
  readonly predicate?: (memory: Memory) => boolean;
  readonly buttons?: readonly RowButton[];
  readonly onError: (error: unknown) => void;
}

interface MemoryPickerItem extends vscode.QuickPickItem {
  readonly memory?: Memory;
}

interface PickedMemory {
  readonly memory: Memory;
  readonly query: string;
}

/** Lets the user pick a memory, searching as they type; undefined when the picker is closed. */
export async function pickMemory(
  engine: MemoryEngine,
  options: MemoryPickerOptions,
): Promise<PickedMemory | undefined> {
  const pick = vscode.window.createQuickPick<MemoryPickerItem>();
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.value = options.text ?? '';
  let latestSearch = 0;
  let debounceTimer: NodeJS.Timeout | undefined;

  const search = async (): Promise<void> => {
    const thisSearch = ++latestSearch;
    pick.busy = true;
    const items = await findItems(engine, pick.value, options);
    if (thisSearch !== latestSearch) return;
    pick.items = items;
    pick.busy = false;
  };
  const searchAndReport = (): void => {
    search().catch((error: unknown) => {
      pick.hide();
      options.onError(error);
    });
  };
  searchAndReport();

  const disposables: { dispose(): unknown }[] = [pick];
  try {
    return await new Promise(resolve => {
      disposables.push(
        pick.onDidChangeValue(() => {
          clearTimeout(debounceTimer);
          debounceTimer = setTimeout(searchAndReport, debounceMs);
        }),
        pick.onDidAccept(() => {
          const memory = pick.selectedItems[0]?.memory;
          if (memory !== undefined) resolve({ memory, query: pick.value.trim() });
        }),
        pick.onDidTriggerItemButton(({ item, button }) => {
          const pressedButton = options.buttons?.find(it => item.memory && it.tooltip(item.memory) === button.tooltip);
          if (pressedButton === undefined || item.memory === undefined) return;
          pressedButton.run(item.memory).then(searchAndReport, options.onError);
        }),
        pick.onDidHide(() => {
          resolve(undefined);
        }),
      );
      pick.show();
    });
  } finally {
    clearTimeout(debounceTimer);
    latestSearch++;
    for (const it of disposables) it.dispose();
  }
}

/** Rows for a text, the likely ones first. */
async function findItems(
  engine: MemoryEngine,
  text: string,
  options: MemoryPickerOptions,
): Promise<readonly MemoryPickerItem[]> {
  const { baseFilter, predicate = () => true } = options;
  const { likely, others } = await searchAsYouType(engine, text, baseFilter);
  const toItems = (memories: readonly Memory[], count: number): MemoryPickerItem[] =>
    memories
      .filter(predicate)
      .slice(0, count)
      .map(it => toPickerItem(it, options));
  const likelyItems = toItems(likely, maxRows);
  // A separator would be hidden, as VS Code shows none while it filters, and it may move a row that has the typed words.
  const mark = vscode.l10n.t('less likely, left out of answers');
  const otherItems = toItems(others, maxRows - likelyItems.length).map(it => ({
    ...it,
    // On its own line, where a long text leaves room for it.
    detail: [it.detail, mark].filter(Boolean).join(' · '),
  }));
  return [...(likelyItems.length > 0 ? likelyItems : [emptyItem()]), ...otherItems];
}

function toPickerItem(memory: Memory, { buttons = [] }: MemoryPickerOptions): MemoryPickerItem {
  const shownButtons = buttons.filter(button => button.isVisible?.(memory) !== false);
  return {
    memory,
    label: toPlainMessage(memory.summary),
    detail: memoryRowDetail(memory),
    ...pinIcon(memory),
    // VS Code's filter by letters would hide matches by meaning.
    alwaysShow: true,
    buttons: shownButtons.map(button => ({
      iconPath: new vscode.ThemeIcon(button.icon),
      tooltip: button.tooltip(memory),
    })),
  };
}

function emptyItem(): MemoryPickerItem {
  return { label: localize(sharedMessages.nothingRemembered), alwaysShow: true };
}
