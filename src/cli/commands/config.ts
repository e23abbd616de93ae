import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import { defaultSettings, engineSettingKeys, readConfig, type EngineSettingKey } from '../../engine/model/settings.js';
import { readSettingsFile, settingsFilePath, writeSettingsFile, type SettingsFile } from '../../engine/settingsFile.js';
import { exitCodes, print, type ExitCode } from '../command.js';

const keys: readonly EngineSettingKey[] = Object.values(engineSettingKeys);

interface ConfigCommandHost {
  readonly dataDir: () => string;
  readonly isJson: () => boolean;
  readonly exit: (code: ExitCode) => void;
}

/** `recollect config`: the settings file that the command line, MCP servers, hooks and VS Code read. */
export function registerConfigCommand(program: Command, { dataDir, isJson, exit }: ConfigCommandHost): void {
  program
    .command('config')
    .description('show or change the settings that every program on these memories reads')
    .argument('[key]', 'the name of a setting; without one, all are listed')
    .argument('[value]', 'its new value, as JSON or as a word')
    .option('--unset', 'use the default of the setting again')
    .action(async (key: string | undefined, value: string | undefined, { unset }: { readonly unset?: true }) => {
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
        print(isJson(), { file: settingsFilePath(folder), settings: file }, () => [
          `Settings file: ${settingsFilePath(folder)}`,
          ...keys.map(it => describeSetting(it, file)),
        ]);
      } else {
        const changed = await changeSetting(folder, requireKey(key), { value, isUnset: unset === true, file });
        print(isJson(), { file: settingsFilePath(folder), settings: changed }, () => [
          describeSetting(requireKey(key), changed),
        ]);
      }
      exit(exitCodes.ok);
    });
}

interface SettingChange {
  readonly value: string | undefined;
  readonly isUnset: boolean;
  readonly file: SettingsFile;
}

/** The settings after the change; as they are if neither a value nor `--unset` was given. */
async function changeSetting(
  dataDir: string,
  key: EngineSettingKey,
  { value, isUnset, file }: SettingChange,
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
  await writeSettingsFile(dataDir, settings);
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
