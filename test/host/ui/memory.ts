import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Storage } from './kit/window.js';

/** Runs the command line on the stores of a window, in a process of its own, as a person does in a terminal. */
export async function commandLine(storage: Storage, ...args: string[]): Promise<string> {
  const program = [resolve('dist', 'cli.js'), ...args, '--data-dir', storage.globalStorage];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: storage.workspace });
  return stdout;
}
