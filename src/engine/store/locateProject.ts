import { access } from 'node:fs/promises';
import { folderKey, readProjectKeys, readRootCommit, storeKey, type ProjectKeys } from './projectIdentity.js';
import { knownProjects, matchProject, sharesRemote, type ProjectMatch } from './projectMatch.js';
import {
  folderOf,
  isProjectEmpty,
  readMemoryFolders,
  readProjectRecords,
  updateProjectRecord,
  withFolder,
  type ProjectFolder,
  type ProjectRecord,
} from './projectRecords.js';

/** The project of a folder. */
export interface ProjectLocation extends ProjectMatch {
  /** As it was asked for. */
  readonly folder: string;
  readonly keys: ProjectKeys;
  /** Stores of the folder, by key; the first one takes what is written. */
  readonly storeKeys: readonly [string, ...string[]];
}

/**
 * Finds the project of a folder. Writes nothing.
 * @param isEmpty whether a project has no memory, by its key; by default its store is opened for that
 */
export async function locateProject(
  dataDir: string,
  folder: string,
  isEmpty = (key: string): boolean | Promise<boolean> => isProjectEmpty(dataDir, key),
): Promise<ProjectLocation> {
  const shown = await readProjectKeys(folder);
  const stored = await readProjectRecords(dataDir);
  const records = await Promise.all(stored.map(async it => (it.isLegacy ? readLegacyRecord(dataDir, it, shown) : it)));
  const keys = await withRootCommit(shown, records);
  const match = await matchProject(keys, records, {
    exists: it =>
      access(it).then(
        () => true,
        () => false,
      ),
    isEmpty: async it => isEmpty(it.key),
  });
  const [first, ...rest] = match.projects.map(it => it.key);
  return { ...match, folder, keys, storeKeys: first === undefined ? [newKey(keys, stored)] : [first, ...rest] };
}

/** Records what a folder shows with its project, so that the project is found again when the folder changes. */
export async function recordProject(dataDir: string, location: ProjectLocation, at: string): Promise<void> {
  const { keys, storeKeys, projects } = location;
  const [known] = projects;
  const place = keys.folders[0];
  const learn = (record: ProjectRecord): ProjectRecord => {
    const base = record.isLegacy && known !== undefined ? known : record;
    const name = record.isLegacy ? keys.name : base.name;
    return { ...withFolder(base, seenFolder(keys, folderOf(base, place), at)), name };
  };
  const before = known?.isLegacy === true ? undefined : known && folderOf(known, place);
  const isKnown =
    before !== undefined &&
    keys.remotes.every(it => before.remotes.includes(it)) &&
    (keys.root === undefined || before.roots.at(-1) === keys.root);
  if (!isKnown) await updateProjectRecord(dataDir, storeKeys[0], learn);
}

/** The record of a folder, with what it shows now; borrowed files say nothing about it. */
export function seenFolder(keys: ProjectKeys, before: ProjectFolder | undefined, at: string): ProjectFolder {
  const { remotes = [], roots = [], since = at } = before ?? {};
  const { folders, isSelfContained, root } = keys;
  return {
    path: folders[0],
    since,
    remotes: isSelfContained ? [...new Set([...remotes, ...keys.remotes])] : remotes,
    roots: isSelfContained && root !== undefined ? [...roots.filter(it => it !== root), root] : roots,
  };
}

/** Git is asked only where the answer matters: for a known folder whose remote agrees it does not. */
async function withRootCommit(keys: ProjectKeys, records: readonly ProjectRecord[]): Promise<ProjectKeys> {
  if (!keys.isRepository) return keys;
  const [known] = knownProjects(keys, records);
  const knownRoot = known !== undefined && sharesRemote(keys, known) ? knownFolderRoot(keys, known) : undefined;
  const root = knownRoot ?? (await readRootCommit(keys.folders.at(-1)!));
  return root === undefined ? keys : { ...keys, root };
}

function knownFolderRoot(keys: ProjectKeys, known: ProjectRecord): string | undefined {
  return keys.folders.flatMap(it => folderOf(known, it)?.roots.at(-1) ?? [])[0];
}

/**
 * The record of a store of an earlier version. It was named after the folder or after its `origin` remote. A remote
 * alone is a claim, so the folders in which its memories were made come first, as long as one of them is still there.
 */
async function readLegacyRecord(dataDir: string, record: ProjectRecord, keys: ProjectKeys): Promise<ProjectRecord> {
  const since = '';
  const own = { ...record, folders: [{ path: keys.folders[0], since, remotes: [], roots: [] }] };
  // The second is one that another process is making now.
  if (keys.legacyKeys.folder.includes(record.key) || record.key === newStoreKey(keys)) return own;
  if (!keys.legacyKeys.remote.includes(record.key)) return record;
  const owners: ProjectKeys[] = [];
  for (const folder of await readMemoryFolders(dataDir, record.key)) {
    const owner = await readProjectKeys(folder);
    if (!owner.legacyKeys.remote.includes(record.key)) continue;
    const root = await readRootCommit(folder);
    owners.push({ ...owner, ...(root === undefined ? {} : { root }) });
  }
  if (owners.length === 0) return own;
  const folders = new Map(owners.map(it => [folderKey(it.folders[0]), seenFolder(it, undefined, since)]));
  return { ...record, folders: [...folders.values()] };
}

const newStoreKey = (keys: ProjectKeys): string => storeKey(keys.name, keys.folders[0]);

/** Key of a new store; another folder may have had this one's path before. */
function newKey(keys: ProjectKeys, records: readonly ProjectRecord[]): string {
  const key = newStoreKey(keys);
  const taken = new Set(records.map(it => it.key));
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? key : `${key}-${i}`;
    if (!taken.has(candidate)) return candidate;
  }
}
