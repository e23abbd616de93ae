import path from 'node:path';
import { readTextFile, replaceTextFile } from './base/atomicFile.js';
import { EngineError } from './base/errors.js';
import { message } from './base/localizableMessage.js';
import type { SettingChange } from './model/access.js';
import type { Config } from './model/config.js';
import { readRegularTextSync } from './base/regularFile.js';
import { engineSettingKeys, readConfig, type EngineSettingKey } from './model/settings.js';

/** Settings by key, unchecked: `readConfig` validates them. */
export type SettingsFile = Readonly<Partial<Record<EngineSettingKey, unknown>>>;

export const settingsFilePath = (dataDir: string): string => path.join(dataDir, 'settings.json');

const maxSettingsBytes = 1024 * 1024;

/** Key of the rights of clients (clientRights.ts): of the file alone, as a project's settings must not give any. */
const clientsKey = 'clients';

const keys: readonly string[] = [...Object.values(engineSettingKeys), clientsKey];

/**
 * The settings that every program on a data folder reads. A file that cannot be read counts as empty, and `warn` gets one
 * sentence; so does an unknown key.
 */
export function readSettingsFile(dataDir: string, warn: (message: string) => void): SettingsFile {
  const file = settingsFilePath(dataDir);
  let text: string;
  try {
    text = readRegularTextSync(file, { maxBytes: maxSettingsBytes });
  } catch (error) {
    if (EngineError.is(error)) warn(`${error.message} The default settings are used.`);
    return {};
  }
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) throw new Error('no object');
    for (const it of Object.keys(settings).filter(key => !keys.includes(key)))
      warn(
        `${file} has a setting ${it.slice(0, 60)} that Recollect does not know; run \`recollect config\` to see the names.`,
      );
    return settings;
  } catch {
    warn(`${file} is no JSON object of settings; the defaults are used. Correct it, or delete it.`);
    return {};
  }
}

/** The unchecked rights of clients by name; `unreadable` where the file is there and is not understood. */
export function readClientSettings(dataDir: string): {
  readonly file: string;
  readonly clients: Readonly<Record<string, unknown>> | 'unreadable';
} {
  const file = settingsFilePath(dataDir);
  let text: string;
  try {
    text = readRegularTextSync(file, { maxBytes: maxSettingsBytes });
  } catch (error) {
    return { file, clients: (error as NodeJS.ErrnoException).code === 'ENOENT' ? {} : 'unreadable' };
  }
  try {
    const settings = JSON.parse(text) as unknown;
    const clients = isObject(settings) ? (settings[clientsKey] ?? {}) : undefined;
    return { file, clients: isObject(clients) ? clients : 'unreadable' };
  } catch {
    return { file, clients: 'unreadable' };
  }
}

/**
 * Replaces the rights of one client; undefined removes them.
 * @throws EngineError unsupportedFile where the file is not understood
 */
export async function writeClientSetting(
  dataDir: string,
  client: string,
  rights: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  const { file, clients } = readClientSettings(dataDir);
  if (clients === 'unreadable')
    throw new EngineError('unsupportedFile', message`${file} is no JSON object of settings. Correct it, or delete it.`);
  const { [client]: previous, ...others } = clients;
  const settings = readSettingsFile(dataDir, () => undefined);
  await writeSettingsFile(dataDir, {
    ...settings,
    [clientsKey]: rights === undefined ? others : { ...others, [client]: rights },
  } as SettingsFile);
}

/** What the file sets, by the names of the audit log; undefined where it is not understood. */
export function readNotedSettings(dataDir: string): Readonly<Record<string, unknown>> | undefined {
  const { clients } = readClientSettings(dataDir);
  if (clients === 'unreadable') return undefined;
  const settings = readSettingsFile(dataDir, () => undefined);
  return {
    ...Object.fromEntries(Object.values(engineSettingKeys).map(it => [it, settings[it]])),
    ...Object.fromEntries(Object.entries(clients).map(([client, rights]) => [toClientSetting(client), rights])),
  };
}

/** The name of a client's rights in the audit log. */
export function toClientSetting(client: string): string {
  return `${clientsKey}.${client}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The configuration of the settings file alone, without its warnings, which the programs that a person starts show. */
export function readFileConfig(dataDir: string): Config {
  const ignore = (): void => undefined;
  const file = readSettingsFile(dataDir, ignore);
  return readConfig(key => file[key], ignore);
}

/** A change of a setting as the audit log keeps it. @param from before and `to` after; undefined = the default */
export function toSettingChange(setting: string, from: unknown, to: unknown): SettingChange {
  return {
    setting,
    ...(from === undefined ? {} : { from: JSON.stringify(from) }),
    ...(to === undefined ? {} : { to: JSON.stringify(to) }),
  };
}

/** Replaces the settings file; one without a setting is written as an empty object. */
export async function writeSettingsFile(dataDir: string, settings: SettingsFile): Promise<void> {
  const file = settingsFilePath(dataDir);
  const { text: before } = await readTextFile(file, { followLinks: false });
  await replaceTextFile(file, before, `${JSON.stringify(settings, null, 2)}\n`);
}
