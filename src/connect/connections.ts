import { existsSync } from 'node:fs';
import path from 'node:path';
import { readTextFile } from '../engine/base/atomicFile.js';
import { EngineError } from '../engine/base/errors.js';
import { omitUndefined } from '../engine/base/omitUndefined.js';
import type { SeenClient } from '../engine/model/access.js';
import { connectableAssistants, type ConnectableAssistant, type Places } from './assistants.js';
import { readServerEntry } from './mcpConfig.js';

/** Whether an assistant is here, and whether it reaches the memory. */
export interface AssistantConnection {
  readonly assistant: ConnectableAssistant;
  readonly installed: boolean;
  readonly connected: boolean;
  /** When it was last shown the list of tools, as far as the log of calls goes back. ISO-8601 UTC. */
  readonly toolsSeen?: string;
  /** When it last called one, or a hook of it ran. */
  readonly lastCall?: string;
  /** Its last hook, where that failed. */
  readonly failure?: NonNullable<SeenClient['failure']>;
  /** Why its file cannot be read: a sentence with the next step. */
  readonly problem?: string;
}

/**
 * Every assistant that can be connected, in the order in which they are shown.
 * @param clients those that have called
 */
export function readConnections(
  clients: readonly Partial<SeenClient>[],
  places: Places,
): Promise<readonly AssistantConnection[]> {
  return Promise.all(
    connectableAssistants(places).map(async (assistant): Promise<AssistantConnection> => {
      const own = clients.filter(it => assistant.clientName.test(it.client ?? ''));
      const toolsSeen = latest(own.map(it => it.toolsSeen));
      const lastCall = latest(own.map(it => it.lastCall));
      const failure = own.flatMap(it => it.failure ?? []).sort((a, b) => (a.at < b.at ? 1 : -1))[0];
      const installed = assistant.folders.some(it => existsSync(it)) || isOnPath(assistant.program, places);
      const known = { assistant, installed, ...omitUndefined({ toolsSeen, lastCall, failure }) };
      try {
        const { text } = await readTextFile(assistant.file);
        return { ...known, connected: readServerEntry(text, assistant.config) !== undefined };
      } catch (error) {
        if (!EngineError.is(error)) throw error;
        return { ...known, connected: false, problem: error.message };
      }
    }),
  );
}

const latest = (times: readonly (string | undefined)[]): string | undefined =>
  times
    .filter(it => it !== undefined)
    .sort()
    .at(-1);

function isOnPath(program: string | undefined, { env, platform }: Places): boolean {
  if (program === undefined) return false;
  const names = platform === 'win32' ? ['.exe', '.cmd'].map(it => program + it) : [program];
  const folders = (env.PATH ?? '').split(path.delimiter);
  return folders.some(folder => names.some(it => existsSync(path.join(folder, it))));
}
