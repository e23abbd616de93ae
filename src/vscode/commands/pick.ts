import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import type { MemoryFilter } from '../../engine/model/query.js';
import { shown } from '../explorer/content.js';
import { findMemories } from '../find.js';
import { memoryDescription, memoryIcon } from '../present.js';
import { gateWord, kindWord, storeWord } from '../words.js';

/** Typing settles for this long before it is searched for. */
const settleMs = 120;
/** Rows of a quick pick; nobody reads on after that, they type another word. */
const rows = 50;

/** An icon on a row that does something and leaves the pick open. */
export interface RowButton {
  readonly icon: string;
  tooltip(memory: Memory): string;
  shows?(memory: Memory): boolean;
  run(memory: Memory): PromiseLike<unknown>;
}

export interface PickOptions {
  readonly title: string;
  readonly placeholder: string;
  /** Narrows what is offered. */
  readonly among?: MemoryFilter;
  /** Leaves out what `among` cannot say. */
  readonly only?: (memory: Memory) => boolean;
  readonly buttons?: readonly RowButton[];
  readonly onError: (error: unknown) => void;
}

interface Row extends vscode.QuickPickItem {
  readonly memory?: Memory;
}

interface Picked {
  readonly memory: Memory;
  readonly typed: string;
}

/** Lets a person choose a memory by typing what it is about, with results as they type. */
export async function pickMemory(engine: MemoryEngine, options: PickOptions): Promise<Picked | undefined> {
  const pick = vscode.window.createQuickPick<Row>();
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  let searches = 0;
  let settling: NodeJS.Timeout | undefined;

  const search = async (): Promise<void> => {
    const mine = ++searches;
    pick.busy = true;
    const found = await findMemories(engine, pick.value, options.among);
    if (mine !== searches) return; // Something else was typed meanwhile.
    const wanted = options.only === undefined ? found : found.filter(options.only);
    pick.items = wanted.length > 0 ? wanted.slice(0, rows).map(it => row(engine, it, options)) : [nothing()];
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
          clearTimeout(settling);
          settling = setTimeout(searchAndReport, settleMs);
        }),
        pick.onDidAccept(() => {
          const memory = pick.selectedItems[0]?.memory;
          if (memory !== undefined) resolve({ memory, typed: pick.value.trim() });
        }),
        pick.onDidTriggerItemButton(({ item, button }) => {
          const pressed = options.buttons?.find(it => item.memory && it.tooltip(item.memory) === button.tooltip);
          if (pressed === undefined || item.memory === undefined) return;
          pressed.run(item.memory).then(searchAndReport, options.onError);
        }),
        pick.onDidHide(() => {
          resolve(undefined);
        }),
      );
      pick.show();
    });
  } finally {
    clearTimeout(settling);
    searches++;
    for (const it of disposables) it.dispose();
  }
}

function row(engine: MemoryEngine, memory: Memory, { buttons = [] }: PickOptions): Row {
  const it = shown(engine, memory);
  const shownButtons = buttons.filter(button => button.shows?.(memory) !== false);
  return {
    memory,
    label: memory.summary,
    detail: [memoryDescription(it), gateWord(memory.gate), kindWord(memory.kind), storeWord(memory.store)].join(' · '),
    iconPath: memoryIcon(it),
    // Found by meaning, not by letters: VS Code's own filter would hide it.
    alwaysShow: true,
    buttons: shownButtons.map(button => ({
      iconPath: new vscode.ThemeIcon(button.icon),
      tooltip: button.tooltip(memory),
    })),
  };
}

function nothing(): Row {
  return { label: vscode.l10n.t('Nothing about this is remembered.'), alwaysShow: true };
}
