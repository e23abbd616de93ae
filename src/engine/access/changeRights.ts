import type { SettingChange } from '../model/access.js';
import { clientKey } from './clientRights.js';
import { listClients, type ListedClient } from './listClients.js';
import { readClientSettings, toClientSetting, toSettingChange, writeClientSetting } from './settingsFile.js';

/** Rights as a person sets them: the fields of an entry of the settings file that differ from full rights. */
export type GivenRights = Readonly<Record<string, unknown>>;

/**
 * Changes what a client may do from its next call on, and keeps the change in the audit log.
 * @param rights undefined: those of every other client again
 * @returns the client as it is listed then; undefined where it has neither called nor rights of its own
 * @throws EngineError unsupportedFile where the settings file is not understood; nothing is changed then
 */
export async function changeClientRights(
  dataDir: string,
  client: string,
  rights: GivenRights | undefined,
  noteSetting: (change: SettingChange) => Promise<void>,
): Promise<ListedClient | undefined> {
  const { clients } = readClientSettings(dataDir);
  const previous = clients === 'unreadable' ? undefined : clients[client];
  await writeClientSetting(dataDir, client, rights);
  await noteSetting(toSettingChange(toClientSetting(client), previous, rights));
  const key = clientKey(client);
  return (await listClients(dataDir)).find(it => it.client === key);
}
