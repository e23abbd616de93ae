import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { readSessionLine } from './claudeCode.js';

/** A session's folder is looked for in so many lines: those before the first turn have none. */
const headLines = 200;

/** Where Claude Code keeps its sessions, unless its own settings say otherwise. */
export function claudeCodeSessions(home: string, environment: NodeJS.ProcessEnv): string {
  return path.join(environment.CLAUDE_CONFIG_DIR ?? path.join(home, '.claude'), 'projects');
}

/**
 * The session files of the open folders, oldest first, so that what was said later is also told later. Claude Code keeps
 * them in one folder per project, named after its path; what decides is the folder that the session names itself.
 */
export async function sessionFiles(folder: string, workspaceFolders: readonly string[]): Promise<string[]> {
  const roots = await realFolders(workspaceFolders);
  const names = new Set([...roots, ...workspaceFolders].map(encoded));
  const projects = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: { readonly file: string; readonly time: number }[] = [];
  for (const project of projects) {
    if (!project.isDirectory() || ![...names].some(it => project.name === it || project.name.startsWith(`${it}-`)))
      continue;
    const within = path.join(folder, project.name);
    for (const name of await readdir(within)) {
      const file = path.join(within, name);
      if (!name.endsWith('.jsonl')) continue;
      const held = await folderOf(file);
      const belongs = held === undefined ? names.has(project.name) : await isWithin(held, roots);
      if (belongs) found.push({ file, time: (await stat(file)).mtimeMs });
    }
  }
  return found.sort((a, b) => a.time - b.time || (a.file < b.file ? -1 : 1)).map(it => it.file);
}

/** The folder that a session was held in, as it says itself. */
export async function folderOf(file: string): Promise<string | undefined> {
  const stream = createReadStream(file, { end: 4 * 1024 * 1024 });
  let lines = 0;
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
      const line = readSessionLine(text);
      if (line.kind !== 'broken' && line.folder !== undefined) return line.folder;
      if (++lines >= headLines) break;
    }
    return undefined;
  } finally {
    stream.destroy();
  }
}

/** Without symbolic links; a folder that is gone stays as it is written. */
export function realFolders(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map(it => realpath(it).catch(() => path.resolve(it))));
}

/** Whether a folder is one of the roots, which are real, or lies in one. */
export async function isWithin(folder: string, roots: readonly string[]): Promise<boolean> {
  const [real = folder] = await realFolders([folder]);
  return roots.some(root => {
    const relative = path.relative(root, real);
    return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
  });
}

/** As Claude Code names the folder of a project. */
function encoded(folder: string): string {
  return folder.replaceAll(/[^A-Za-z0-9]/gu, '-');
}
