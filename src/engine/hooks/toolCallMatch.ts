import { existsSync } from 'node:fs';
import { matchToolCall } from '../guards/matchToolCall.js';
import type { GuardedCall } from '../model/guards.js';
import type { StoreKind } from '../model/memory.js';
import { readGuardFile, type GuardEntry } from '../store/guardFile.js';
import { locateProject } from '../store/locateProject.js';
import { globalDatabase, projectDatabase } from '../store/storeFiles.js';
import { mayConcernMemories } from './toolCallKeys.js';

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
  if (!mayConcernMemories(dataDir, folder, call)) return undefined;
  // Without a database, which is more than the answer is worth: one that is there is taken to have memories.
  const isWithoutStore = (key: string): boolean => !existsSync(projectDatabase(dataDir, key));
  const project = folder === undefined ? undefined : await locateProject(dataDir, folder, isWithoutStore);
  const roots = [...new Set([...(folder === undefined ? [] : [folder]), ...(project?.keys.folders ?? [])])];
  const files = [
    ...(project?.storeKeys ?? []).map(it => ({ kind: 'project' as const, file: projectDatabase(dataDir, it) })),
    { kind: 'global' as const, file: globalDatabase(dataDir) },
  ];
  const stores = files.map(it => ({
    ...it,
    entries: matchToolCall(readGuardFile(it.file)?.entries ?? [], call, roots),
  }));
  const matched = stores.filter(it => it.entries.length > 0);
  return matched.length === 0 ? undefined : { call, folder: roots.at(-1), stores: matched };
}
