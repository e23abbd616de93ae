import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import { defaultSettings, engineSettingKeys, readConfig, type EngineSettingKey } from '../../engine/model/settings.js';
import {
  readNotedSettings,
  readSettingsFile,
  settingsFilePath,
  toSettingChange,
  writeSetting,
  type SettingsFile,
} from '../../engine/access/settingsFile.js';
import type { Change } from '../../engine/model/access.js';
import { exitCodes, print, type ProgramContext, type WithEngine } from '../command.js';

const keys: readonly EngineSettingKey[] = Object.values(engineSettingKeys);

interface ConfigOptions {
  readonly unset?: true;
  readonly history?: true;
}

/** `recollect config`: the settings file that the command line, MCP servers, hooks and VS Code read. */
export function registerConfigCommand(
  program: Command,
  { dataDir, print, noteSetting, withEngine }: ProgramContext,
): void {
  program
    .command('config')
    .description('show or change the settings that every program on these memories reads')
    .argument('[key]', 'the name of a setting; without one, all are listed')
    .argument('[value]', 'its new value, as JSON or as a word')
    .option('--unset', 'use the default of the setting again')
    .option('--history', 'list who changed the settings, or this one, and when, oldest first')
    .action(async (key: string | undefined, value: string | undefined, { unset, history }: ConfigOptions) => {
      if (history === true) {
        if (unset === true || value !== undefined)
          throw new EngineError('invalidInput', 'Give --history alone or with the name of a setting.');
        await printHistory(withEngine, dataDir(), key === undefined ? undefined : requireKey(key));
        return;
      }
      const folder = dataDir();
      const warn = (message: string): void => {
        console.error(message);
      };
      const file = readSettingsFile(folder, warn);
      // Checks what the file says already, and names what does not hold.
      readConfig(it => file[it], warn);
      if (key === undefined) {
        if (unset === true)
          throw new EngineError('invalidInput', 'Name the setting that is to have its default again.');
        print({ file: settingsFilePath(folder), settings: file }, () => [
          `Settings file: ${settingsFilePath(folder)}`,
          ...keys.map(it => describeSetting(it, file)),
        ]);
      } else {
        const name = requireKey(key);
        const changed = await changeSetting(folder, name, { value, isUnset: unset === true, file });
        await noteSetting(toSettingChange(name, file[name], changed[name]));
        print({ file: settingsFilePath(folder), settings: changed }, () => [describeSetting(name, changed)]);
      }
    });
}

interface RequestedChange {
  readonly value: string | undefined;
  readonly isUnset: boolean;
  readonly file: SettingsFile;
}

/** The settings after the change; as they are if neither a value nor `--unset` was given. */
async function changeSetting(
  dataDir: string,
  key: EngineSettingKey,
  { value, isUnset, file }: RequestedChange,
): Promise<SettingsFile> {
  if (isUnset && value !== undefined)
    throw new EngineError('invalidInput', `Give ${key} a value, or --unset it, but not both.`);
  if (!isUnset && value === undefined) return file;
  const { [key]: previous, ...others } = file;
  const settings: SettingsFile = isUnset ? others : { ...others, [key]: parseValue(value!) };
  let problem: string | undefined;
  readConfig(
    it => (it === key ? settings[it] : undefined),
    message => (problem = message.replace(/; the default is used\.$/u, '; it was not changed.')),
  );
  if (problem !== undefined) throw new EngineError('invalidInput', problem);
  await writeSetting(dataDir, [key], settings[key]);
  return settings;
}

function requireKey(key: string): EngineSettingKey {
  const known = keys.find(it => it === key.replace(/^recollect\./u, ''));
  if (known !== undefined) return known;
  throw new EngineError(
    'invalidInput',
    `${key.slice(0, 60)} is no setting. Run \`recollect config\` to see their names.`,
  );
}

/** A number, list or object as JSON; anything else is a word. */
function parseValue(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function describeSetting(key: EngineSettingKey, file: SettingsFile): string {
  const value = file[key] ?? defaultSettings[key];
  return `${key}  ${JSON.stringify(value)}${file[key] === undefined ? ' (default)' : ''}`;
}

async function printHistory(withEngine: WithEngine, dataDir: string, key: EngineSettingKey | undefined): Promise<void> {
  await withEngine(async (engine, json) => {
    const settings = readNotedSettings(dataDir);
    if (settings !== undefined) await engine.activity.noteSettings('file', settings);
    const all = await engine.activity.settingChanges();
    const changes = key === undefined ? all : all.filter(it => it.detail.setting === key);
    print(json, changes, () => changes.map(describeChange));
    if (changes.length === 0 && !json) console.error(`No change of ${key ?? 'a setting'} is in the audit log.`);
    return exitCodes.ok;
  });
}

/** `2026-11-26 19:30  cli  decayProfile  default -> "kinds"`. */
function describeChange({ at, actor, detail: { setting, by, from = 'default', to = 'default' } }: Change): string {
  const who = by === 'editor' ? "VS Code's settings" : by === 'file' ? 'settings file' : actor;
  return `${at.slice(0, 16).replace('T', ' ')}  ${who}  ${String(setting)}  ${String(from)} -> ${String(to)}`;
}
