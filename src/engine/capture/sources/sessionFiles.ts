import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSameOrInside } from '../../base/paths.js';

/** Session files in the order of their last change, oldest first: later statements are remembered later. */
export async function sortByModificationTime(files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(files.map(async file => ({ file, stats: await stat(file) })));
  const sessions = found.filter(it => it.stats.isFile()).map(({ file, stats }) => ({ file, time: stats.mtimeMs }));
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
