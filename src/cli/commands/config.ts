import { z } from 'zod';
import { EngineError } from '../../engine/base/errors.js';
import { defaultSettings, engineSettingKeys, readConfig, type EngineSettingKey } from '../../engine/model/settings.js';
import {
  changeSetting,
  readNotedSettings,
  readSettingsFile,
  settingsFilePath,
  type SettingsFile,
} from '../../engine/access/settingsFile.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Change } from '../../engine/model/access.js';
import { argument, flag, option, type CommandAnswer } from '../../operations/personCommand.js';
import { defineProgramCommand } from '../command.js';

const keys: readonly EngineSettingKey[] = Object.values(engineSettingKeys);

/** `recollect config`: the settings file that the command line, MCP servers, hooks and VS Code read. */
export const configCommand = defineProgramCommand({
  name: 'config',
  description: 'show or change the settings that every program on these memories reads',
  input: z.strictObject({
    key: argument('[key]', z.string().exactOptional(), 'the name of a setting; without one, all are listed'),
    value: argument('[value]', z.string().min(0).exactOptional(), 'its new value, as JSON or as a word'),
    unset: option('--unset', flag, 'use the default of the setting again'),
    history: option('--history', flag, 'list who changed the settings, or this one, and when, oldest first'),
  }),
  async answer({ dataDir, noteSetting }, { key, value, unset, history }, caller) {
    if (history === true) {
      if (unset === true || value !== undefined)
        throw new EngineError('invalidInput', 'Give --history alone or with the name of a setting.');
      const name = toSettingKey(key);
      return engine => listHistory(engine, dataDir, name);
    }
    const warn = (message: string): void => {
      caller.say([message]);
    };
    const settings = readSettingsFile(dataDir, warn);
    // Checks what the file says already, and names what does not hold.
    readConfig(it => settings[it], warn);
    const file = settingsFilePath(dataDir);
    const name = toSettingKey(key);
    if (name === undefined) {
      if (unset === true) throw new EngineError('invalidInput', 'Name the setting that is to have its default again.');
      const lines = [`Settings file: ${file}`, ...keys.map(it => describeSetting(it, settings))];
      return { output: { file, settings }, lines };
    }
    if (unset === true && value !== undefined)
      throw new EngineError('invalidInput', `Give ${name} a value, or --unset it, but not both.`);
    const { [name]: before, ...others } = settings;
    const given = value === undefined ? { [name]: before } : { [name]: parseSetting(name, value) };
    const changed: SettingsFile = unset === true ? others : { ...others, ...given };
    if (unset === true || value !== undefined) await changeSetting(dataDir, name, changed[name], noteSetting);
    return { output: { file, settings: changed }, lines: [describeSetting(name, changed)] };
  },
});

function toSettingKey(key: string | undefined): EngineSettingKey | undefined {
  const known = keys.find(it => it === key?.replace(/^recollect\./u, ''));
  if (known !== undefined || key === undefined) return known;
  throw new EngineError(
    'invalidInput',
    `${key.slice(0, 60)} is no setting. Run \`recollect config\` to see their names.`,
  );
}

/** A number, list or object as JSON; anything else is a word. @throws EngineError invalidInput where the setting takes no such value */
function parseSetting(key: EngineSettingKey, text: string): unknown {
  const value = parseValue(text);
  let problem: string | undefined;
  readConfig(
    it => (it === key ? value : undefined),
    message => (problem = message.replace(/; the default is used\.$/u, '; it was not changed.')),
  );
  if (problem !== undefined) throw new EngineError('invalidInput', problem);
  return value;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describeSetting(key: EngineSettingKey, file: SettingsFile): string {
  const value = file[key] ?? defaultSettings[key];
  return `${key}  ${JSON.stringify(value)}${file[key] === undefined ? ' (default)' : ''}`;
}

async function listHistory(
  engine: MemoryEngine,
  dataDir: string,
  key: EngineSettingKey | undefined,
): Promise<CommandAnswer> {
  const settings = readNotedSettings(dataDir);
  if (settings !== undefined) await engine.activity.noteSettings('file', settings);
  const all = await engine.activity.settingChanges();
  const changes = key === undefined ? all : all.filter(it => it.detail.setting === key);
  const hints = changes.length === 0 ? [`No change of ${key ?? 'a setting'} is in the audit log.`] : [];
  return { output: changes, lines: changes.map(describeChange), hints };
}

/** `2026-11-26 19:30  cli  decayProfile  default -> "kinds"`. */
function describeChange({ at, actor, detail: { setting, by, from = 'default', to = 'default' } }: Change): string {
  const who = by === 'editor' ? "VS Code's settings" : by === 'file' ? 'settings file' : actor;
  return `${at.slice(0, 16).replace('T', ' ')}  ${who}  ${String(setting)}  ${String(from)} -> ${String(to)}`;
}
