import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { matchToolCall } from './guards/matchToolCall.js';
import type { GuardedCall } from './model/guards.js';
import type { StoreKind } from './model/memory.js';
import { readGuardFile, type GuardEntry } from './store/guardFile.js';
import { locateProject } from './store/locateProject.js';
import { readProjectKeys } from './store/projectIdentity.js';
import { projectDatabase, projectsFolder } from './store/projectRecords.js';

/** A store whose keys match a tool call. */
export interface MatchedStore {
  readonly kind: StoreKind;
  readonly file: string;
  readonly entries: readonly GuardEntry[];
}

/** What the keys of a project and of the person say of a tool call; undefined where they say nothing. */
export interface ToolCallMatch {
  readonly call: GuardedCall;
  readonly folder: string | undefined;
  readonly stores: readonly MatchedStore[];
}

/** Looks a tool call up in the files of keys alone: no database is opened, and nothing is noted. */
export async function findToolCallMatch(
  dataDir: string,
  folder: string | undefined,
  call: GuardedCall,
): Promise<ToolCallMatch | undefined> {
  if (!(await isAboutAny(dataDir, folder, call))) return undefined;
  // Without a database, which is more than the answer is worth: one that is there is taken to have memories.
  const isWithoutStore = (key: string): boolean => !existsSync(projectDatabase(dataDir, key));
  const project = folder === undefined ? undefined : await locateProject(dataDir, folder, isWithoutStore);
  const roots = [...new Set([...(folder === undefined ? [] : [folder]), ...(project?.keys.folders ?? [])])];
  const files = [
    ...(project?.storeKeys ?? []).map(it => ({ kind: 'project' as const, file: projectDatabase(dataDir, it) })),
    { kind: 'global' as const, file: globalDatabase(dataDir) },
  ];
  const stores = await Promise.all(
    files.map(async it => {
      const entries = (await readGuardFile(it.file))?.entries ?? [];
      return { ...it, entries: matchToolCall(entries, call, roots) };
    }),
  );
  const matched = stores.filter(it => it.entries.length > 0);
  return matched.length === 0 ? undefined : { call, folder: roots.at(-1), stores: matched };
}

/** Whether keys of any project match: mostly none do, and git need not be asked which project the folder is. */
async function isAboutAny(dataDir: string, folder: string | undefined, call: GuardedCall): Promise<boolean> {
  const [projects, shown] = await Promise.all([
    readdir(projectsFolder(dataDir)).catch(() => []),
    folder === undefined ? undefined : readProjectKeys(folder),
  ]);
  const roots = [...new Set([...(folder === undefined ? [] : [folder]), ...(shown?.folders ?? [])])];
  const files = [...projects.map(it => projectDatabase(dataDir, it)), globalDatabase(dataDir)];
  const matched = files.map(async it => matchToolCall((await readGuardFile(it))?.entries ?? [], call, roots));
  return (await Promise.all(matched)).some(it => it.length > 0);
}

const globalDatabase = (dataDir: string): string => path.join(dataDir, 'global', 'memory.db');
