import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceTextFile } from '../base/atomicFile.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { readRegularText } from '../base/regularFile.js';
import { folderKey } from './projectIdentity.js';
import { projectDatabase, projectFolder, projectsFolder } from './storeFiles.js';
import { isOnServer, readStorePlacement } from './storePlacement.js';

/** A folder of a project. */
export interface ProjectFolder {
  readonly path: string;
  /** ISO-8601 UTC. */
  readonly since: string;
  /** Normalized remotes that it has had. */
  readonly remotes: readonly string[];
  /** Root commits of its history, the latest last. */
  readonly roots: readonly string[];
}

/** Record of one project: the keys by which its store is found again. */
export interface ProjectRecord {
  /** Name of the store's folder in `projects/`. */
  readonly key: string;
  readonly name: string;
  /** Folders that use this store. */
  readonly folders: readonly ProjectFolder[];
  /** Folders of which a person said that they are another project. */
  readonly separate: readonly string[];
  /** Of an earlier version: the store is known by its name alone. */
  readonly isLegacy?: true;
}

/** Newest entries that are kept of each list. */
const maxEntries = 50;
const fileName = 'project.json';

export const projectRecordFile = (dataDir: string, key: string): string =>
  path.join(projectFolder(dataDir, key), fileName);

/** Every project that has a store, by key. */
export async function readProjectRecords(dataDir: string): Promise<ProjectRecord[]> {
  const entries = await readdir(projectsFolder(dataDir), { withFileTypes: true }).catch(() => []);
  const keys = entries.filter(it => it.isDirectory()).map(it => it.name);
  return Promise.all(keys.sort().map(it => readProjectRecord(dataDir, it)));
}

async function readProjectRecord(dataDir: string, key: string): Promise<ProjectRecord> {
  const text = await readRegularText(projectRecordFile(dataDir, key)).catch(() => '');
  return parseRecord(key, text);
}

/** Reads what is well-formed; a file that a person damaged is as good as none. */
function parseRecord(key: string, text: string): ProjectRecord {
  const legacy = {
    key,
    name: key.replace(/-[0-9a-f]{12}(?:-\d+)?$/u, ''),
    folders: [],
    separate: [],
  };
  let json: Partial<Record<string, unknown>>;
  try {
    json = (JSON.parse(text) ?? {}) as Partial<Record<string, unknown>>;
  } catch {
    return { ...legacy, isLegacy: true };
  }
  const strings = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter(it => typeof it === 'string') : [];
  const folders = Array.isArray(json.folders) ? (json.folders as Partial<ProjectFolder>[]) : [];
  return {
    ...legacy,
    name: typeof json.name === 'string' ? json.name : legacy.name,
    folders: folders.flatMap(it =>
      typeof it.path === 'string' && typeof it.since === 'string'
        ? [{ path: it.path, since: it.since, remotes: strings(it.remotes), roots: strings(it.roots) }]
        : [],
    ),
    separate: strings(json.separate),
  };
}

/**
 * Changes a record, unless another process changes it at the same time: then its change is read first.
 * @throws EngineError unsupportedFile | storeUnavailable where it cannot be written
 */
export async function updateProjectRecord(
  dataDir: string,
  key: string,
  change: (record: ProjectRecord) => ProjectRecord,
): Promise<ProjectRecord> {
  const file = projectRecordFile(dataDir, key);
  // Memories are private: no access for other users of this machine.
  await mkdir(projectFolder(dataDir, key), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const text = message`The memory folder ${path.dirname(file)} cannot be made. Check the path and your rights, or choose another data folder.`;
    throw new EngineError('storeUnavailable', text, { cause: error });
  });
  for (let attempt = 1; ; attempt++) {
    const text = await readRegularText(file).catch(() => undefined);
    const before = parseRecord(key, text ?? '');
    const { name, folders, separate } = change(before);
    const after = {
      name,
      folders: folders.slice(-maxEntries).map(it => ({
        ...it,
        remotes: it.remotes.slice(-maxEntries),
        roots: it.roots.slice(-maxEntries),
      })),
      separate: separate.slice(-maxEntries),
    };
    try {
      await replaceTextFile(file, text, `${JSON.stringify(after, undefined, 2)}\n`);
      return { key, ...after };
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

/** Whether a project uses a folder. */
export function hasFolder(record: ProjectRecord, folder: string): boolean {
  return folderOf(record, folder) !== undefined;
}

/** Every remote that a folder of the project has had. */
export function remotesOf(record: ProjectRecord): string[] {
  return [...new Set(record.folders.flatMap(it => it.remotes))];
}

/** Every root commit of a folder of the project. */
export function rootsOf(record: ProjectRecord): string[] {
  return [...new Set(record.folders.flatMap(it => it.roots))];
}

/** The project's record of a folder. */
export function folderOf(record: ProjectRecord, folder: string): ProjectFolder | undefined {
  return record.folders.find(it => folderKey(it.path) === folderKey(folder));
}

/** The record with a folder as its newest, which it no longer keeps apart. */
export function withFolder(record: ProjectRecord, folder: ProjectFolder): ProjectRecord {
  const others = withoutFolder(record, folder.path);
  return { ...others, folders: [...others.folders, folder] };
}

/** The record without a folder, neither as its own nor as one kept apart. */
export function withoutFolder(record: ProjectRecord, folder: string): ProjectRecord {
  const isOther = (it: string): boolean => folderKey(it) !== folderKey(folder);
  return {
    ...record,
    folders: record.folders.filter(it => isOther(it.path)),
    separate: record.separate.filter(isOther),
  };
}

/**
 * Number of memories in a project's store, whatever its version; 0 where it cannot be read. Of one on a server, which is not asked,
 * the number of all at the time when it was moved there.
 * @param which all of any status, or the active ones outside isolated sets
 */
export async function countProjectMemories(
  dataDir: string,
  key: string,
  which: 'all' | 'shared active' = 'all',
): Promise<number> {
  const folder = projectFolder(dataDir, key);
  if (isOnServer(folder)) return (await readStorePlacement(folder).catch(() => undefined))?.memories ?? 0;
  return countRows(dataDir, key, which === 'all' ? 'TRUE' : "status = 'active' AND scope_id = ''");
}

/** Whether a project has no memory. One whose memories are on a server is not taken for empty. */
export async function isProjectEmpty(dataDir: string, key: string): Promise<boolean> {
  return !isOnServer(projectFolder(dataDir, key)) && (await countRows(dataDir, key, 'TRUE')) === 0;
}

async function countRows(dataDir: string, key: string, where: string): Promise<number> {
  const rows = await queryProject(dataDir, key, `SELECT count(*) AS n FROM memories WHERE ${where}`);
  return Number(rows[0]?.n ?? 0);
}

/** First folders of the windows and sessions in which the memories of a project were made. */
export async function readMemoryFolders(dataDir: string, key: string): Promise<string[]> {
  const sql = `SELECT DISTINCT json_extract(provenance, '$.workspace') AS folder FROM memories
    WHERE json_valid(provenance) LIMIT 100`;
  return (await queryProject(dataDir, key, sql)).map(it => it.folder).filter(it => typeof it === 'string');
}

async function queryProject(dataDir: string, key: string, sql: string): Promise<Readonly<Record<string, unknown>>[]> {
  const file = projectDatabase(dataDir, key);
  if (!existsSync(file)) return [];
  try {
    // A hook that only locates a project loads no driver.
    const { Database } = await import('../database/database.js');
    const database = await Database.openReader(file);
    try {
      return await database.read.all(sql);
    } finally {
      await database.close();
    }
  } catch {
    return []; // Damaged or in use: opening the store says so.
  }
}
