import { mkdir, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { appendToRegularFile, readRegularFile } from '../base/regularFile.js';
import { clientKey } from './clientRights.js';
import type { Access, GivenMemory, SeenClient } from '../model/access.js';
import { shortId } from '../model/memory.js';

/** A fuller file is compressed and set aside. */
const maxFileBytes = 2_000_000;
/** Files that were set aside; the oldest go. At a hundred bytes a line that is a quarter of a million calls. */
const maxOldFiles = 12;
/** A client may call itself anything. */
const maxNameLength = 100;

const currentName = 'reads.jsonl';
const oldNamePattern = /^reads-[\dTZ-]+\.jsonl(\.gz)?$/u;

const accessLogFolder = (dataDir: string): string => path.join(dataDir, 'access');

/** As the log names a client that was shown the list of tools: no call, and no memory is in it. */
export const toolsListed = 'tools/list';

/** As the log names the briefing of a session: what the session was given before does not count any more. */
export const sessionStarted = 'session-start';

/** Fields of an access; memories are kept by their short ids alone. */
export interface NewAccess {
  /** Without secrets: see guardHost. */
  readonly client: string;
  readonly via: string;
  readonly at: Date;
  readonly memories: readonly { readonly id: string }[];
  readonly refused?: true;
  /** Absent for the command line, which is the person's own. */
  readonly byPerson?: true;
  /** A code, never a text. */
  readonly failed?: string;
  /** A hash: no one can make the session's id of it. */
  readonly session?: string | undefined;
}

/**
 * Appends lines to the log of reads: one file for every program and every store of the data folder. It holds ids and never
 * text. `accesses` is not empty. Without a data folder nothing was read, and none is made. Rejects where the disk refuses.
 */
export async function appendAccesses(dataDir: string, accesses: readonly NewAccess[]): Promise<void> {
  const folder = accessLogFolder(dataDir);
  const lines = accesses.map(it => `${JSON.stringify(toAccess(it))}\n`).join('');
  const file = path.join(folder, currentName);
  const append = (): Promise<void> => appendToRegularFile(file, lines);
  try {
    await append();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Not recursive: the data folder itself is not made.
    await mkdir(folder, { mode: 0o700 });
    await append();
  }
  if ((await stat(file)).size > maxFileBytes) await rotate(folder, accesses.at(-1)!.at);
}

/** Oldest first, across the files that are kept. A line that is no access is left out. */
export async function readAccesses(dataDir: string): Promise<readonly Access[]> {
  const folder = accessLogFolder(dataDir);
  const accesses: Access[] = [];
  for (const name of [...(await oldFiles(folder)), currentName]) {
    for (const line of (await readText(path.join(folder, name))).split('\n')) {
      const access = parseAccess(line);
      if (access !== undefined) accesses.push(access);
    }
  }
  return accesses;
}

/**
 * Memories that a session has been given since it started, or was resumed, compacted or cleared. As far as the current file of the log
 * goes: without it, and after a rotation, a memory comes once more.
 * @param session its hash
 * @param vias of these alone; absent = all
 */
export async function readGivenMemories(
  dataDir: string,
  session: string,
  vias?: readonly string[],
): Promise<readonly GivenMemory[]> {
  const given = new Map<string, string>();
  for (const line of (await readText(path.join(accessLogFolder(dataDir), currentName))).split('\n')) {
    const access = line.includes(session) ? parseAccess(line) : undefined;
    if (access?.session !== session) continue;
    if (access.via === sessionStarted) given.clear();
    if (vias?.includes(access.via) === false) continue;
    for (const id of access.ids) given.set(id, access.at);
  }
  return Array.from(given, ([id, at]) => ({ id, at }));
}

/** The clients in some accesses, the latest first; a person's own look is no call of a client. */
export function summarizeClients(accesses: readonly Access[]): readonly SeenClient[] {
  const byClient = new Map<string, SeenClient>();
  const latest = (a: string, b = a): string => (a > b ? a : b);
  for (const { client, via, at, refused, failed, byPerson } of accesses) {
    if (byPerson === true) continue;
    const key = clientKey(client);
    const { failure, ...seen } = byClient.get(key) ?? { client: key, calls: 0, refused: 0 };
    if (failed !== undefined) {
      byClient.set(key, { ...seen, failure: { at, via, reason: failed } });
      continue;
    }
    byClient.set(
      key,
      via === toolsListed
        ? { ...seen, ...(failure === undefined ? {} : { failure }), toolsSeen: latest(at, seen.toolsSeen) }
        : {
            ...seen,
            lastCall: latest(at, seen.lastCall),
            calls: seen.calls + (refused === true ? 0 : 1),
            refused: seen.refused + (refused === true ? 1 : 0),
          },
    );
  }
  const lastSeen = ({ lastCall, toolsSeen, failure }: SeenClient): string => lastCall ?? toolsSeen ?? failure?.at ?? '';
  return [...byClient.values()].sort((a, b) => (lastSeen(a) < lastSeen(b) ? 1 : -1));
}

function toAccess({ client, via, at, memories, refused, byPerson, failed, session }: NewAccess): Access {
  return {
    at: at.toISOString(),
    client: client.slice(0, maxNameLength),
    via: via.slice(0, maxNameLength),
    ids: memories.map(shortId),
    ...(refused === undefined ? {} : { refused }),
    ...(byPerson === undefined ? {} : { byPerson }),
    ...(failed === undefined ? {} : { failed }),
    ...(session === undefined ? {} : { session }),
  };
}

function parseAccess(line: string): Access | undefined {
  if (line === '') return undefined;
  try {
    const { at, client, via, ids, refused, byPerson, failed, session } = JSON.parse(line) as Partial<
      Record<keyof Access, unknown>
    >;
    if (typeof at !== 'string' || typeof client !== 'string' || typeof via !== 'string' || !Array.isArray(ids))
      return undefined;
    return {
      ...{ at, client, via, ids: ids.map(String) },
      ...(refused === true ? { refused } : {}),
      ...(byPerson === true ? { byPerson } : {}),
      ...(typeof failed === 'string' ? { failed } : {}),
      ...(typeof session === 'string' ? { session } : {}),
    };
  } catch {
    return undefined;
  }
}

/** Sets the current file aside, compressed. Of two processes one does it; the other finds it done. */
async function rotate(folder: string, now: Date): Promise<void> {
  const old = path.join(folder, `reads-${now.toISOString().replaceAll(/[:.]/gu, '-')}.jsonl`);
  try {
    await rename(path.join(folder, currentName), old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  // Loaded where it is needed: a hook reads this log before each command.
  const { gzip } = await import('node:zlib');
  await writeFile(`${old}.gz`, await promisify(gzip)(await readRegularFile(old)), { mode: 0o600 });
  await unlink(old);
  for (const name of (await oldFiles(folder)).slice(0, -maxOldFiles)) await unlink(path.join(folder, name));
}

/** Names, oldest first; a file that was being compressed counts once. */
async function oldFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const old = names.filter(it => oldNamePattern.test(it)).sort();
  return old.filter(it => !(it.endsWith('.gz') && old.includes(it.slice(0, -'.gz'.length))));
}

async function readText(file: string): Promise<string> {
  try {
    const bytes = await readRegularFile(file);
    if (!file.endsWith('.gz')) return bytes.toString('utf8');
    const { gunzip } = await import('node:zlib');
    return (await promisify(gunzip)(bytes)).toString('utf8');
  } catch {
    // Not there, or no such file any more.
    return '';
  }
}
