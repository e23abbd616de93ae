import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isSameOrInside } from '../../base/paths.js';

/**
 * Session files in the order of their last change, oldest first: later statements are remembered later. Folders are left
 * out; what is no file either stays, to be refused by name.
 */
export async function sortByModificationTime(files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(files.map(async file => ({ file, stats: await lstat(file).catch(() => undefined) })));
  const sessions = found.flatMap(({ file, stats }) =>
    stats === undefined || stats.isDirectory() ? [] : [{ file, time: stats.mtimeMs }],
  );
  return sessions.sort((a, b) => a.time - b.time || (a.file < b.file ? -1 : 1)).map(it => it.file);
}

/** Folders with symbolic links resolved; a missing folder stays as it is. */
export function resolveRealFolders(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map(it => realpath(it).catch(() => path.resolve(it))));
}

/** Whether a folder is one of the roots or lies in one. @param roots with symbolic links resolved */
export async function isInsideAnyRoot(folder: string, roots: readonly string[]): Promise<boolean> {
  const [realFolder = folder] = await resolveRealFolders([folder]);
  return roots.some(it => isSameOrInside(it, realFolder));
}
