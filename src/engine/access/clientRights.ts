import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { shellWord } from '../base/shellWord.js';
import { programOf } from '../model/access.js';
import { hookClients } from '../model/briefing.js';
import { storeKinds, type StoreKind } from '../model/memory.js';
import { readClientSettings } from './settingsFile.js';

/** `read`: only what changes no memory. */
export const clientAccesses = ['full', 'read', 'none'] as const;
export type ClientAccess = (typeof clientAccesses)[number];

/** Rights of an assistant's program on the memories. */
export interface ClientRights {
  readonly access: ClientAccess;
  /** The only kind of store it reads and writes; undefined = both. */
  readonly store: StoreKind | undefined;
  /** Names of the tools it may call; undefined = all. */
  readonly tools: readonly string[] | undefined;
}

/** A client's request. */
export interface ClientCall {
  /** A tool, or what amounts to one: a resource counts as `list`, a hook as `recall`. */
  readonly tool: string;
  readonly readOnly: boolean;
}

/** Rights of every client that has none of its own. */
export const otherClients = '*';

/** Of a client that no person has limited. */
export const fullRights: ClientRights = { access: 'full', store: undefined, tools: undefined };

const commandLine = 'cli';

/** Client names of hosts -> the names that a person knows them by. */
const clientAliases: Readonly<Record<string, string>> = {
  [hookClients['claude-code']]: 'claude-code',
  [hookClients.codex]: 'codex-mcp-client',
  [hookClients.copilot]: 'copilot-cli',
  [hookClients.vscode]: 'vscode',
  'extension-tool': 'vscode',
};

/** The name of a client in the settings: `mcp:Claude Code` and `hook` are `claude-code`, `http:notes` is `notes`. */
export function clientKey(client: string): string {
  const name = programOf(client).trim().toLowerCase().replaceAll(/\s+/gu, '-');
  // The command line is listed nowhere and limited by nothing; a client that names itself so is another one.
  if (name === commandLine && client !== commandLine) return `mcp-${commandLine}`;
  return clientAliases[name] ?? name;
}

/**
 * The rights of a client, as the settings file says now. A file or an entry that cannot be understood allows nothing: what
 * a person has forbidden stays forbidden.
 * @throws EngineError notAllowed where the settings cannot be understood
 */
export function readClientRights(dataDir: string, client: string): ClientRights {
  const { file, clients } = readClientSettings(dataDir);
  if (clients === 'unreadable')
    throw new EngineError('notAllowed', message`${file} cannot be read, so no assistant is let in. Correct the file.`);
  const key = clientKey(client);
  const own = Object.entries(clients).find(([name]) => clientKey(name) === key)?.[1] ?? clients[otherClients];
  if (own === undefined) return fullRights;
  const rights = parseClientRights(own);
  if (rights !== undefined) return rights;
  throw new EngineError(
    'notAllowed',
    message`The rights of ${key} in ${file} cannot be understood, so it is not let in. Set them again: recollect clients allow ${shellWord(key)}`,
  );
}

/** @throws EngineError notAllowed, with a sentence for the assistant and the person */
export function requireRight(rights: ClientRights, client: string, { tool, readOnly }: ClientCall): void {
  const key = clientKey(client);
  if (rights.access === 'none')
    throw new EngineError(
      'notAllowed',
      message`The user does not let ${key} use these memories. Go on without them; the user can change it: recollect clients allow ${shellWord(key)}`,
    );
  if (rights.tools?.includes(tool) === false)
    throw new EngineError(
      'notAllowed',
      message`The user does not let ${key} use ${tool}. Go on without it; the user can change it with "recollect clients".`,
    );
  if (rights.access === 'read' && !readOnly)
    throw new EngineError(
      'notAllowed',
      message`The user lets ${key} read these memories and not change them. Nothing was changed; the user can change it: recollect clients allow ${shellWord(key)}`,
    );
}

/** An entry of the settings file; undefined where it is none. */
export function parseClientRights(value: unknown): ClientRights | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { access = 'full', store, tools, ...unknown } = value as Record<string, unknown>;
  const isKnown =
    Object.keys(unknown).length === 0 &&
    clientAccesses.some(it => it === access) &&
    (store === undefined || storeKinds.some(it => it === store)) &&
    (tools === undefined || (Array.isArray(tools) && tools.every(it => typeof it === 'string')));
  return isKnown ? ({ access, store, tools } as ClientRights) : undefined;
}
