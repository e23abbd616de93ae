import { realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { claudeProjectName, isInside } from '../base/paths.js';
import type { Context } from '../context.js';
import type { StoreKind } from '../model/memory.js';
import { isInstructionsFile } from './formats/importFiles.js';
import { readProjectKeys, type ProjectKeys } from '../store/projectIdentity.js';

/** Where the facts of a file belong. */
export interface ImportTarget {
  /** Undefined where each fact decides. */
  readonly store: StoreKind | undefined;
  /** The project's store first, then the global one. */
  readonly stores: Context['stores'];
  /** Its path in the project, with slashes; absolute where it is of no open project. */
  readonly file: string;
}

/** Folders of assistants in a person's home, whose instructions hold in every project. */
const homeFolders = ['.claude', '.codex', '.codeium', '.copilot', '.cursor', '.gemini', '.lerim', '.windsurf'];

/**
 * Whose file it is: of an open project (also through a link, in another checkout or worktree of its repository, or in
 * Claude Code's own memory folder of that project), of the person, of a project that is not open, whose instructions the
 * open one takes for its own, or unknown.
 */
export async function findImportTarget(ctx: Context, file: string): Promise<ImportTarget> {
  const realFile = await realpath(file).catch(() => path.resolve(file));
  const claudeProject = /[\\/]projects[\\/]([^\\/]+)[\\/]memory[\\/]/u.exec(realFile)?.[1];
  const keys = await readProjectKeys(path.dirname(realFile));
  for (const open of ctx.stores.filter(it => it.store.kind === 'project')) {
    for (const folder of open.folders) {
      const realFolder = await realpath(folder).catch(() => path.resolve(folder));
      const isOfProject =
        isInside(folder, file) ||
        isInside(realFolder, realFile) ||
        [folder, realFolder].some(it => claudeProjectName(it) === claudeProject) ||
        isSameRepository(await readProjectKeys(realFolder), keys);
      if (!isOfProject) continue;
      const root = [realFolder, ...keys.folders].find(it => isInside(it, realFile));
      return {
        store: 'project',
        stores: ctx.stores.filter(it => it === open || it.store.kind === 'global'),
        file: root === undefined ? realFile : path.relative(root, realFile).replaceAll(path.sep, '/'),
      };
    }
  }
  const home = await realpath(os.homedir()).catch(() => os.homedir());
  const configured = process.env.CLAUDE_CONFIG_DIR;
  const isOfPerson = [
    ...homeFolders.map(it => path.join(home, it)),
    ...(configured === undefined ? [] : [configured]),
  ].some(it => isInside(it, realFile));
  // These hold what an assistant learned in one project, or in several.
  const isLearned = claudeProject !== undefined || /[\\/]\.codex[\\/]memories[\\/]/u.test(realFile);
  const isOfSomeProject = isInstructionsFile(path.basename(realFile));
  const store = isOfPerson ? (isLearned ? undefined : 'global') : isOfSomeProject ? 'project' : undefined;
  return { store, stores: ctx.stores, file: realFile };
}

/** Whether two folders show the same repository: by its place on the disk, or by a remote that both name. */
function isSameRepository(a: ProjectKeys, b: ProjectKeys): boolean {
  return [a.folders, a.remotes].some((keys, i) => keys.some(it => [b.folders, b.remotes][i]!.includes(it)));
}
