import type { AuditAction } from './auditAction.js';
import type { StoreKind } from './memory.js';

/** One call of a client, with the memories that it was given; or one that was refused or failed. */
export interface Access {
  /** ISO-8601 UTC. */
  readonly at: string;
  /** `mcp:claude-code`, `cli`, `vscode`, `hook`. */
  readonly client: string;
  /** A tool, a command, `resource`, `session-start`, `tools/list`. */
  readonly via: string;
  /** Short ids of the memories that were given out. */
  readonly ids: readonly string[];
  readonly refused?: true;
  /** Of a hook that gave no answer: a code such as `storeBusy` or `EACCES`, or `timeout`. */
  readonly failed?: string;
  /** A person looked for themselves in a program that assistants use too. */
  readonly byPerson?: true;
  /** Of the assistant's session, as a hash, where a hook knows it. */
  readonly session?: string;
}

/** The program of a client, without the way it calls: `claude-code` of `mcp:claude-code`. */
export function programOf(client: string): string {
  return client.replace(/^(?:mcp|http):/u, '');
}

/** A memory that a session has been given. */
export interface GivenMemory {
  /** Short id. */
  readonly id: string;
  /** When it was given last, ISO-8601 UTC. */
  readonly at: string;
}

/** A client that has called or was shown the tools, and when. */
export interface SeenClient {
  /** As the settings name it: `claude-code`. */
  readonly client: string;
  /** ISO-8601 UTC. */
  readonly lastCall?: string;
  /** When it was last shown the list of tools, by MCP alone. ISO-8601 UTC. */
  readonly toolsSeen?: string;
  /** Calls in the log that is kept. */
  readonly calls: number;
  readonly refused: number;
  /** The last call where that failed. */
  readonly failure?: { readonly at: string; readonly via: string; readonly reason: string };
}

/** Which activity is wanted; without a field, all of it. */
export interface ActivityFilter {
  /** ISO-8601, the first moment. */
  readonly since?: string;
  readonly client?: string;
}

/** Where a person changed settings by hand: in VS Code's own ones, or in the settings file. */
export type SettingsOrigin = 'editor' | 'file';

/** A change of a setting. A value is JSON as text; absent where the default holds. */
export interface SettingChange {
  /** Its name; `clients.NAME` for the rights of a client. */
  readonly setting: string;
  readonly from?: string;
  readonly to?: string;
}

/** A line of the audit log. */
export interface Change {
  readonly at: string;
  readonly store: StoreKind;
  readonly action: AuditAction;
  readonly memoryId?: string;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
}
