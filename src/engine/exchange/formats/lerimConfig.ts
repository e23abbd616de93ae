import path from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { readTextFile } from '../../base/atomicFile.js';
import { isFileError } from '../../base/regularFile.js';
import { formatMessage } from '../../model/engineMessages.js';
import type { StoreKind } from '../../model/memory.js';

const configName = 'config.toml';
/** Unknown settings that are named one by one. */
const maxNamedSettings = 10;

/** Tables about lerim's own program: its server, models, sessions and projects. They say nothing about its files. */
const programTables = ['data', 'server', 'roles', 'agents', 'projects', 'providers', 'sync', 'maintain'];
const scopes = ['project_fallback_global', 'project_only', 'global_only'] as const;

/** What the settings of a lerim folder mean for its memories. */
export interface LerimConfig {
  /** Where its memories belong by its scope; undefined where it does not say. */
  readonly store?: StoreKind;
  readonly scope?: (typeof scopes)[number];
  /** Sentences for the person. */
  readonly notes: readonly string[];
}

/**
 * Reads `config.toml` of a lerim folder, or of the one around its `memory`. A file that cannot be used is a note, and ends no
 * import or sync.
 */
export async function readLerimConfig(folder: string): Promise<LerimConfig> {
  for (const it of [folder, ...(path.basename(folder) === 'memory' ? [path.dirname(folder)] : [])]) {
    const file = path.join(it, configName);
    try {
      const { text } = await readTextFile(file, { followLinks: false });
      if (text !== undefined) return interpretLerimConfig(text);
    } catch (error) {
      if (!isFileError(error)) throw error;
      return { notes: [formatMessage('settingsNotRead', configName, error.message)] };
    }
  }
  return { notes: [] };
}

/** @param text of a `config.toml` */
export function interpretLerimConfig(text: string): LerimConfig {
  let config: Readonly<Record<string, unknown>>;
  try {
    config = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return {
      notes: [formatMessage('settingsInvalid', configName, error.line, error.column)],
    };
  }
  const { memory, ...others } = config;
  const { scope, decay, ...otherSettings } = isTable(memory) ? memory : {};
  const notes: string[] = [];
  const unknown = [
    ...Object.keys(others).filter(it => !programTables.includes(it)),
    ...(memory === undefined || isTable(memory) ? [] : ['memory']),
    ...Object.keys(otherSettings).map(it => `memory.${it}`),
  ];
  const known = scopes.find(it => it === scope);
  if (scope !== undefined && known === undefined)
    notes.push(formatMessage('settingsScope', configName, scopes.join(', ')));
  if (decay !== undefined) notes.push(formatMessage('settingsDecay', configName));
  if (unknown.length > 0) {
    const named = unknown.slice(0, maxNamedSettings).map(it => it.slice(0, 60).replaceAll(/[^\w.-]/gu, '?'));
    const rest = unknown.length - named.length;
    notes.push(
      rest > 0
        ? formatMessage('settingsManyUnknown', configName, named.join(', '), rest)
        : formatMessage('settingsUnknown', configName, named.join(', ')),
    );
  }
  if (known === undefined) return { notes };
  return { store: known === 'global_only' ? 'global' : 'project', scope: known, notes };
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
