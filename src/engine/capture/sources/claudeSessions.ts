import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseClaudeCodeLine } from './claudeCode.js';

/** A session's folder is looked for in so many lines: those before the first turn have none. */
const maxHeaderLines = 200;

/** Where Claude Code keeps its sessions, unless its own settings say otherwise. */
export function defaultClaudeSessionsFolder(home: string, environment: NodeJS.ProcessEnv): string {
  return path.join(environment.CLAUDE_CONFIG_DIR ?? path.join(home, '.claude'), 'projects');
}

/**
 * The session files of the open folders, oldest first, so that what was said later is also told later. Claude Code keeps
 * them in one folder per project, named after its path; what decides is the folder that the session names itself.
 */
export async function listClaudeSessions(folder: string, workspaceFolders: readonly string[]): Promise<string[]> {
  const roots = await resolveRealFolders(workspaceFolders);
  const encodedFolders = new Set([...roots, ...workspaceFolders].map(encodeProjectFolder));
  const projects = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: { readonly file: string; readonly time: number }[] = [];
  for (const project of projects) {
    if (
      !project.isDirectory() ||
      ![...encodedFolders].some(it => project.name === it || project.name.startsWith(`${it}-`))
    )
      continue;
    const projectFolder = path.join(folder, project.name);
    for (const name of await readdir(projectFolder)) {
      const file = path.join(projectFolder, name);
      if (!name.endsWith('.jsonl')) continue;
      const sessionFolder = await readClaudeSessionFolder(file);
      const belongs =
        sessionFolder === undefined ? encodedFolders.has(project.name) : await isInsideAnyRoot(sessionFolder, roots);
      if (belongs) found.push({ file, time: (await stat(file)).mtimeMs });
    }
  }
  return found.sort((a, b) => a.time - b.time || (a.file < b.file ? -1 : 1)).map(it => it.file);
}

/** The folder that a session was held in, as it says itself. */
export async function readClaudeSessionFolder(file: string): Promise<string | undefined> {
  const stream = createReadStream(file, { end: 4 * 1024 * 1024 });
  let lines = 0;
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
      const line = parseClaudeCodeLine(text);
      if (line.kind !== 'broken' && line.folder !== undefined) return line.folder;
      if (++lines >= maxHeaderLines) break;
    }
    return undefined;
  } finally {
    stream.destroy();
  }
}

/** Without symbolic links; a folder that is gone stays as it is written. */
export function resolveRealFolders(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map(it => realpath(it).catch(() => path.resolve(it))));
}

/** Whether a folder is one of the roots, which are real, or lies in one. */
export async function isInsideAnyRoot(folder: string, roots: readonly string[]): Promise<boolean> {
  const [real = folder] = await resolveRealFolders([folder]);
  return roots.some(root => {
    const relative = path.relative(root, real);
    return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
  });
}

/** As Claude Code names the folder of a project. */
function encodeProjectFolder(folder: string): string {
  return folder.replaceAll(/[^A-Za-z0-9]/gu, '-');
}
