import { readdirSync } from 'node:fs';
import path from 'node:path';
import { matchToolCall } from '../guards/matchToolCall.js';
import type { GuardedCall } from '../model/guards.js';
import { readGuardFile } from '../store/guardFile.js';
import { globalDatabase, projectDatabase, projectsFolder } from '../store/storeFiles.js';

/**
 * Whether the keys of any project may match a tool call. Mostly none do: then git need not be asked which project the folder
 * is, and nothing else has to be loaded. A path is looked at from the root of its disk, which finds more than a project's own.
 * @param folder what relative paths are relative to; undefined for the folder of the process
 */
export function mayConcernMemories(dataDir: string, folder: string | undefined, call: GuardedCall): boolean {
  const from = folder ?? process.cwd();
  const roots = [from, path.parse(from).root];
  const files = [...listProjects(dataDir).map(it => projectDatabase(dataDir, it)), globalDatabase(dataDir)];
  return files.some(it => matchToolCall(readGuardFile(it)?.entries ?? [], call, roots).length > 0);
}

function listProjects(dataDir: string): readonly string[] {
  try {
    return readdirSync(projectsFolder(dataDir));
  } catch {
    return [];
  }
}
