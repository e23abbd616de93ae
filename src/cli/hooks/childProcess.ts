import { fork } from 'node:child_process';
import path from 'node:path';
import { hookTaskArgument } from './runHook.js';
import type { HookTask } from './tasks.js';

/** What a task came to. */
export interface HookTaskResult {
  /** Text for the assistant; empty for none. */
  readonly text: string;
}

/**
 * Does a task in a process of its own, which never outlives its parent: it is killed when `signal` says so, and ends by itself when
 * this one does. A process cannot leave its threads while SQLite works in them without being aborted, and a hook has to
 * end in time, with 0. Killing loses nothing: what is kept is kept in whole transactions.
 * @returns what there is to tell; empty for nothing, and for a task that was killed or failed
 */
export function runInChild(task: HookTask, signal: AbortSignal): Promise<string> {
  return new Promise(resolve => {
    const child = fork(path.join(__dirname, 'cli.js'), [hookTaskArgument], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const finish = (text: string): void => {
      child.kill('SIGKILL');
      resolve(text);
    };
    signal.addEventListener('abort', () => {
      finish('');
    });
    child.once('error', () => {
      finish('');
    });
    child.once('exit', () => {
      finish('');
    });
    child.once('message', ({ text }: HookTaskResult) => {
      finish(text);
    });
    child.send(task, error => {
      if (error !== null) finish('');
    });
  });
}
