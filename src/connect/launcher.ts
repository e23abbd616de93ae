import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readRegularText } from '../engine/base/regularFile.js';

/** The launcher's path in the extension's storage, which stays the same across updates. */
export const launcherPath = (storage: string): string => path.join(storage, 'bin', 'recollect.cjs');

/**
 * Writes the program that other assistants start. It runs the command line of the installed version of the extension,
 * on the stores of the same storage folder.
 * @param commandLine path of dist/cli.js
 * @returns the launcher's path
 */
export async function writeLauncher(storage: string, commandLine: string): Promise<string> {
  const file = launcherPath(storage);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // Written atomically, because an assistant may start it at this moment.
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, launcherSource(commandLine), { mode: 0o600 });
  await rename(temporaryFile, file);
  return file;
}

/** Updates an existing launcher after an update of the extension. Creates none. */
export async function refreshLauncher(storage: string, commandLine: string): Promise<void> {
  const text = await readRegularText(launcherPath(storage)).catch(() => undefined);
  if (text === undefined || text === launcherSource(commandLine)) return;
  await writeLauncher(storage, commandLine);
}

function launcherSource(commandLine: string): string {
  return `// Written and kept up to date by Recollect for VS Code ("Recollect: Connect Claude Code…").
process.env.RECOLLECT_HOME ||= require('node:path').dirname(__dirname);
require(${JSON.stringify(commandLine)});
`;
}
