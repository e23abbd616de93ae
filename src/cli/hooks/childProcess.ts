import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import type { HookTask } from './tasks.js';

/** What this program is called with to do a task of a hook; for no other use. */
export const hookTaskArgument = 'hook-task';

/** What a task came to. */
export interface HookTaskResult {
  /** Text for the assistant; empty for none. */
  readonly text: string;
}

/**
 * Starts the process that does a task. Before it has answered it ends with this one; then it ends by itself. A process cannot leave its
 * threads while SQLite works in them without being aborted, and a hook has to end in time, with 0. Killing loses nothing:
 * what is kept is kept in whole transactions.
 * @param kind what it begins to load before the task is known
 */
export function startTaskProcess(kind: HookTask['kind']): ChildProcess {
  return fork(path.join(__dirname, 'cli.js'), [hookTaskArgument, kind], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/**
 * Has a task done, until `signal` says that it is too late.
 * @returns what there is to tell; empty for nothing, and for a task that was killed or failed
 */
export function runInProcess(child: ChildProcess, task: HookTask, signal: AbortSignal): Promise<string> {
  return new Promise(resolve => {
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
      // It writes what it has noted, and ends.
      resolve(text);
    });
    child.send(task, error => {
      if (error !== null) finish('');
    });
  });
}
