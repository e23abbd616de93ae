import type { Node, ParseError } from 'jsonc-parser';
import path from 'node:path';
import { readTextFile, replaceTextFile } from '../base/atomicFile.js';
import { EngineError } from '../base/errors.js';
import { formatJson, indentAt, insertProperty, removeProperty, replaceNode } from '../base/jsonEdit.js';
import { message } from '../base/localizableMessage.js';
import type { SettingChange } from '../model/access.js';
import type { Config } from '../model/config.js';
import { readRegularTextSync } from '../base/regularFile.js';
import { engineSettingKeys, readConfig, type EngineSettingKey } from '../model/settings.js';

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
  const settings = parseSettings(text);
  if (settings === undefined) {
    warn(`${file} is no JSON object of settings; the defaults are used. Correct it, or delete it.`);
    return {};
  }
  for (const it of Object.keys(settings).filter(key => !keys.includes(key)))
    warn(
      `${file} has a setting ${it.slice(0, 60)} that Recollect does not know; run \`recollect config\` to see the names.`,
    );
  return settings;
}

/** The settings of a text, which may have comments and trailing commas; undefined where it is no object. */
function parseSettings(text: string): Record<string, unknown> | undefined {
  const settings = parsePlainJson(text) ?? parseWithComments(text);
  return isObject(settings) ? settings : undefined;
}

function parsePlainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseWithComments(text: string): unknown {
  const root = parseSettingsTree(text);
  return root === undefined ? undefined : JSON.parse(JSON.stringify(loadJsoncParser().getNodeValue(root)));
}

/** A bundle of its own: a hook reads the settings at every call of an assistant, and they are plain JSON nearly always. */
function loadJsoncParser(): typeof import('jsonc-parser') {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('jsonc-parser') as typeof import('jsonc-parser');
}

function parseSettingsTree(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = loadJsoncParser().parseTree(text, errors, { allowTrailingComma: true });
  return errors.length === 0 && root?.type === 'object' ? root : undefined;
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
  const settings = parseSettings(text);
  const clients = settings === undefined ? undefined : (settings[clientsKey] ?? {});
  return { file, clients: isObject(clients) ? clients : 'unreadable' };
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
  await writeSetting(dataDir, [clientsKey, client], rights);
}

/** Settings of the file, by the names of the audit log; undefined where it is not understood. */
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

/** Changes a setting of the file, and keeps the change in the audit log. @throws EngineError as {@link writeSetting} does */
export async function changeSetting(
  dataDir: string,
  key: EngineSettingKey,
  value: unknown,
  noteSetting: (change: SettingChange) => Promise<void>,
): Promise<void> {
  const { [key]: before } = readSettingsFile(dataDir, () => undefined);
  await writeSetting(dataDir, [key], value);
  await noteSetting(toSettingChange(key, before, value));
}

/**
 * Changes one value of the settings file and keeps every other byte; undefined removes it. The file as it was is kept with it
 * under another name.
 * @param place the key of a setting, or `clients` and the name of one
 * @throws EngineError unsupportedFile where the file is there and is not understood; nothing is changed then
 */
export async function writeSetting(
  dataDir: string,
  place: readonly [key: string, name?: string],
  value: unknown,
): Promise<void> {
  const file = settingsFilePath(dataDir);
  const { text: before } = await readTextFile(file, { followLinks: false });
  const text = before === undefined || before.trim() === '' ? '{}\n' : before;
  const root = parseSettingsTree(text);
  if (root === undefined)
    throw new EngineError('unsupportedFile', message`${file} is no JSON object of settings. Correct it, or delete it.`);
  const after = editSetting(text, root, place, value);
  if (after === before) return;
  const previousFile = path.join(dataDir, 'settings.previous.json');
  if (before !== undefined)
    await replaceTextFile(previousFile, (await readTextFile(previousFile, { followLinks: false })).text, before);
  await replaceTextFile(file, before, after);
}

function editSetting(text: string, root: Node, place: readonly [key: string, name?: string], value: unknown): string {
  const steps = place.filter(it => it !== undefined);
  const { findNodeAtLocation } = loadJsoncParser();
  const existing = findNodeAtLocation(root, steps);
  if (value === undefined) return existing === undefined ? text : removeProperty(text, existing.parent!);
  if (existing !== undefined)
    return replaceNode(text, existing, formatJson(value, text, indentAt(text, existing.offset)));
  const [key, name] = place;
  const section = name === undefined ? undefined : findNodeAtLocation(root, [key]);
  if (name === undefined) return insertProperty(text, root, key, value);
  return section?.type === 'object'
    ? insertProperty(text, section, name, value)
    : insertProperty(text, root, key, { [name]: value });
}
