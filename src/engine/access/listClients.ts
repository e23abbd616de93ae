import type { SeenClient } from '../model/access.js';
import { findSecret } from '../secrets/secretScanner.js';
import { readClientSettings } from './settingsFile.js';
import { readAccesses, summarizeClients } from './accessLog.js';
import { clientKey, fullRights, otherClients, parseClientRights, type ClientRights } from './clientRights.js';

/** A client that has called, was shown the tools, or has rights of its own. */
export type ListedClient = Partial<SeenClient> & {
  readonly client: string;
  /** `unreadable`: its entry in the settings file cannot be understood, so that it may do nothing. */
  readonly rights: ClientRights | 'unreadable';
};

/** Whether a name is none that rights may be kept under: it would be written to the settings file. */
export function isSecretName(client: string): boolean {
  return findSecret(client) !== undefined;
}

/** The clients that have called, the latest first, then those that only have rights. The command line is the person's own. */
export async function listClients(dataDir: string): Promise<readonly ListedClient[]> {
  const { clients } = readClientSettings(dataDir);
  const entries = clients === 'unreadable' ? [] : Object.entries(clients);
  const rightsByKey = new Map<string, ClientRights | 'unreadable'>(
    entries.map(([name, value]) => [clientKey(name), parseClientRights(value) ?? 'unreadable']),
  );
  const seen = summarizeClients(await readAccesses(dataDir)).filter(it => it.client !== 'cli');
  const rightsOf = (client: string): ClientRights | 'unreadable' =>
    clients === 'unreadable' ? 'unreadable' : (rightsByKey.get(client) ?? rightsByKey.get(otherClients) ?? fullRights);
  const unseen = [...rightsByKey.keys()].filter(it => seen.every(({ client }) => client !== it));
  return [...seen, ...unseen.map(client => ({ client }))].map(it => ({ ...it, rights: rightsOf(it.client) }));
}
