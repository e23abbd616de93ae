import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory } from '../../engine/model/memory.js';
import { globalPlace, type MemoryPlace } from '../../engine/model/project.js';
import { commandIds } from '../contributions.js';
import { toSearch } from '../explorer/treeNodes.js';
import type { Inspector } from '../inspector/inspector.js';
import type { TransferSource } from '../inspector/requestHandler.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel } from '../l10n/labels.js';
import { toTruncatedLine } from '../ui/markdown.js';
import type { UndoStep } from '../undo/undoSteps.js';
import type { CommandRegistry } from './commandRegistry.js';

/** Characters of a memory's text in a notification. */
const maxQuotedLength = 60;

/** The command that shows the memories of every project. */
export function registerProjectHub(commands: CommandRegistry, inspector: Inspector): void {
  commands.register(commandIds.showProjects, how => {
    inspector.show({ page: 'memories', ...(how === toSearch ? { isSearch: true } : {}) });
  });
}

interface Destination {
  readonly place: MemoryPlace;
  readonly copies: boolean;
}

/** Asks where memories should go, and moves or copies them there, with one undo. @returns whether any was */
export async function transferMemories(
  commands: CommandRegistry,
  engine: MemoryEngine,
  sources: readonly TransferSource[],
): Promise<boolean> {
  const [only] = sources.length === 1 ? sources : [];
  const destination = await pickDestination((await engine.hub.places()).filter(it => it.id !== only?.from));
  if (destination === undefined) return false;
  const { place, copies } = destination;
  const done: TransferSource[] = [];
  const moved: Memory[] = [];
  const refusals: string[] = [];
  for (const { from, ids } of sources.filter(it => it.from !== place.id)) {
    const result = await engine.hub.transfer(ids, { from, to: place.id, copies });
    if (result.moved.length > 0) done.push({ from, ids: result.moved.map(it => it.id) });
    moved.push(...result.moved);
    refusals.push(...result.refused.map(it => localize(it.reason)));
  }
  const [memory] = moved;
  if (memory === undefined) {
    const message = [...new Set(refusals)].join(' ') || vscode.l10n.t('Nothing to move: it is there already.');
    commands.notify(commandIds.showProjects, { message, severity: 'warning' });
    return false;
  }
  const steps = done.map(({ from, ids }): UndoStep =>
    copies ? { do: 'removeCopies', ids, place: place.id } : { do: 'transfer', ids, from: place.id, to: from },
  );
  const what =
    moved.length === 1 ? toTruncatedLine(memory.content, maxQuotedLength) : countLabel(moved.length, 'memory');
  const said = copies
    ? vscode.l10n.t('Copied to {0}: {1}', placeName(place), what)
    : vscode.l10n.t('Moved to {0}: {1}', placeName(place), what);
  const change = { name: copies ? 'copied' : 'moved', ids: moved.map(it => it.id), steps } as const;
  commands.notifyChange(commandIds.showProjects, engine, said, change);
  if (refusals.length > 0) commands.notify(commandIds.showProjects, { message: [...new Set(refusals)].join(' ') });
  return true;
}

async function pickDestination(places: readonly MemoryPlace[]): Promise<Destination | undefined> {
  const separator = (label: string): vscode.QuickPickItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const items = (copies: boolean): (vscode.QuickPickItem & { readonly destination: Destination })[] =>
    places.map(place => ({
      label: copies ? vscode.l10n.t('Copy to {0}', placeName(place)) : vscode.l10n.t('Move to {0}', placeName(place)),
      description: [
        ...(place.isOpen && place.id !== globalPlace ? [vscode.l10n.t('this window')] : []),
        countLabel(place.memories, 'memory'),
        ...place.folders.slice(-1),
      ].join(' · '),
      destination: { place, copies },
    }));
  const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & { readonly destination?: Destination }>(
    [separator(vscode.l10n.t('Copy')), ...items(true), separator(vscode.l10n.t('Move')), ...items(false)],
    {
      title: vscode.l10n.t('Copy or Move the Memory'),
      placeHolder: vscode.l10n.t('A copy stays where it is too, and from then on each fades by itself'),
      matchOnDescription: true,
    },
  );
  return picked?.destination;
}

function placeName({ id, name }: MemoryPlace): string {
  return id === globalPlace ? vscode.l10n.t('the memory for all projects') : name;
}
