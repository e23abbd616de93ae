import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import { globalPlace, type MemoryPlace } from '../../engine/model/project.js';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import type { Inspector } from '../inspector/inspector.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel } from '../l10n/labels.js';
import { toTruncatedLine } from '../ui/markdown.js';
import type { CommandRegistry } from './commandRegistry.js';

/** Characters of a memory's text in a notification. */
const maxQuotedLength = 60;

/** The command that shows the memories of every project. */
export function registerProjectHub(commands: CommandRegistry, inspector: Inspector): void {
  commands.register(commandIds.showProjects, () => {
    inspector.show({ page: 'memories' });
  });
}

interface Destination {
  readonly place: MemoryPlace;
  readonly copies: boolean;
}

/** Asks where a memory of a place should go, and moves or copies it there, with undo. @returns whether it was done */
export async function transferMemory(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  engine: MemoryEngine,
  { from, id }: { readonly from: string; readonly id: string },
): Promise<boolean> {
  const destination = await pickDestination((await engine.hub.places()).filter(it => it.id !== from));
  if (destination === undefined) return false;
  const { place, copies } = destination;
  const { moved, refused } = await engine.hub.transfer([id], { from, to: place.id, copies });
  const [memory] = moved;
  if (memory === undefined) {
    const message = refused.map(it => localize(it.reason)).join(' ');
    commands.notify(commandIds.showProjects, { message, severity: 'warning' });
    return false;
  }
  const undo = async (): Promise<void> => {
    const { hub } = await engineHolder.engine();
    if (copies) await hub.removeCopies([memory.id], place.id);
    else await hub.transfer([memory.id], { from: place.id, to: from, copies: false });
  };
  const text = toTruncatedLine(memory.content, maxQuotedLength);
  commands.notify(commandIds.showProjects, {
    message: copies
      ? vscode.l10n.t('Copied to {0}: {1}', placeName(place), text)
      : vscode.l10n.t('Moved to {0}: {1}', placeName(place), text),
    actions: [{ title: vscode.l10n.t('Undo'), run: undo }],
  });
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
  return id === globalPlace ? vscode.l10n.t('the global memory') : name;
}
