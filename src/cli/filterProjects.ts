import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The folders that can be a project: not the home folder, the one for temporary files, nor the root of a disk. */
export function filterProjects(folders: readonly string[]): string[] {
  const none = [os.homedir(), os.tmpdir()].map(realFolder);
  return folders.filter(it => {
    const folder = realFolder(it);
    return !none.includes(folder) && folder !== path.parse(folder).root;
  });
}

/** Where symbolic links lead; the folder itself where it is none, or cannot be read. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}
