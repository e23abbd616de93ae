import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where the launcher lies in the extension's storage: a path that no update changes. */
export const launcherPath = (storage: string): string => path.join(storage, 'bin', 'recollect.cjs');

/**
 * Writes the program that other assistants are told to start. It hands over to the command line of the extension that is
 * installed now, on the memory that it lies with.
 * @param commandLine path of dist/cli.js
 */
export async function writeLauncher(storage: string, commandLine: string): Promise<string> {
  const file = launcherPath(storage);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // Whole or not at all: an assistant may start it at this moment.
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, launcherSource(commandLine), { mode: 0o600 });
  await rename(temporaryFile, file);
  return file;
}

/** After an update of the extension: points a launcher that is there at the new command line. Makes none. */
export async function refreshLauncher(storage: string, commandLine: string): Promise<void> {
  const text = await readFile(launcherPath(storage), 'utf8').catch(() => undefined);
  if (text === undefined || text === launcherSource(commandLine)) return;
  await writeLauncher(storage, commandLine);
}

function launcherSource(commandLine: string): string {
  return `// Written and kept up to date by Recollect for VS Code ("Recollect: Connect Claude Code…").
process.env.RECOLLECT_HOME ||= require('node:path').dirname(__dirname);
require(${JSON.stringify(commandLine)});
`;
}
