import * as vscode from 'vscode';
import { changeClientRights, type GivenRights } from '../../engine/access/changeRights.js';
import { fullRights, otherClients } from '../../engine/access/clientRights.js';
import { listClients, type ListedClient } from '../../engine/access/listClients.js';
import type { EngineHolder } from '../engineHolder.js';
import { commandIds } from '../contributions.js';
import { countLabel, formatDay } from '../l10n/labels.js';
import { toPlainMessage } from '../ui/markdown.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { CommandRegistry } from './commandRegistry.js';
import { showStatusMessage } from '../ui/messages.js';

/** "Rights of Assistants": picks an assistant, then what it may do. It holds from its next call on. */
export function registerClientRights(commands: CommandRegistry, engineHolder: EngineHolder, dataDir: string): void {
  commands.register(commandIds.clientRights, async () => {
    // An engine that opens notes what is new in the settings file as edited by hand.
    await engineHolder.engineIfAvailable();
    const listed = await listClients(dataDir);
    const all = listed.some(it => it.client === otherClients) ? listed : [...listed, otherClient(listed)];
    const picked = await vscode.window.showQuickPick(
      all.map(it => ({
        label: clientLabel(it.client),
        description: rightsLabel(it.rights),
        detail: callsLabel(it),
        client: it.client,
      })),
      { title: vscode.l10n.t('Rights of Assistants'), placeHolder: vscode.l10n.t('Which assistant?') },
    );
    if (picked === undefined) return;
    const choice = await vscode.window.showQuickPick(choicesFor(picked.client), {
      title: picked.label,
      placeHolder: vscode.l10n.t('What may it do?'),
    });
    if (choice === undefined) return;
    await changeClientRights(dataDir, picked.client, choice.rights, async change =>
      (await engineHolder.engine()).activity.noteSetting(change),
    );
    showStatusMessage(`${picked.label}: ${choice.label}`, statusMessageMs);
  });
}

/** The entry for every other assistant, where it has no rights yet. */
function otherClient(listed: readonly ListedClient[]): ListedClient {
  const isUnreadable = listed.some(it => it.rights === 'unreadable');
  return { client: otherClients, rights: isUnreadable ? 'unreadable' : fullRights };
}

interface RightsChoice extends vscode.QuickPickItem {
  readonly rights: GivenRights | undefined;
}

function choicesFor(client: string): readonly RightsChoice[] {
  const choices: readonly RightsChoice[] = [
    { label: vscode.l10n.t('Read and change'), rights: {} },
    { label: vscode.l10n.t('Read only'), rights: { access: 'read' } },
    { label: vscode.l10n.t('Read and change memories of projects only'), rights: { store: 'project' } },
    { label: vscode.l10n.t('Read memories of projects only'), rights: { access: 'read', store: 'project' } },
    { label: vscode.l10n.t('Nothing'), rights: { access: 'none' } },
    { label: vscode.l10n.t('As every other assistant'), rights: undefined },
  ];
  // The chat of VS Code uses the memories of its window.
  return choices.filter(it => client !== 'vscode' || it.rights?.store === undefined);
}

function clientLabel(client: string): string {
  return client === otherClients ? vscode.l10n.t('Every other assistant') : toPlainMessage(client);
}

function callsLabel({ lastCall, calls = 0, refused = 0 }: ListedClient): string {
  return lastCall === undefined
    ? vscode.l10n.t('has not called')
    : vscode.l10n.t('last call {0}, {1}, {2} refused', formatDay(lastCall), countLabel(calls, 'call'), refused);
}

function rightsLabel(rights: ListedClient['rights']): string {
  if (rights === 'unreadable') return vscode.l10n.t('Nothing: its entry in the settings file cannot be understood');
  if (rights.access === 'none') return vscode.l10n.t('Nothing');
  const access = rights.access === 'read' ? vscode.l10n.t('Read only') : vscode.l10n.t('Read and change');
  const limits = [
    ...(rights.store === undefined
      ? []
      : [rights.store === 'project' ? vscode.l10n.t('projects only') : vscode.l10n.t('global store only')]),
    ...(rights.tools === undefined ? [] : [vscode.l10n.t('some tools only')]),
  ];
  return [access, ...limits].join(' · ');
}
