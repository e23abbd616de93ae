import path from 'node:path';
import type { HookTask } from './tasks.js';

/** Argument that makes this program do a task of a hook; for no other use. */
export const hookTaskArgument = 'hook-task';

/** Result of a task. */
export interface HookTaskResult {
  /** Text for the assistant; empty for none. */
  readonly text: string;
  /** The code of what it failed by. */
  readonly failed?: string;
}

/** Name of an error in the log of reads: no text, which may be a memory's. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code.slice(0, 40) : 'error';
}

/**
 * Has a task done in a process of its own. Before that has answered it ends with this one; then it writes what it has noted
 * and ends by itself (`taskServer.ts`). A process cannot leave its threads while SQLite works in them without being aborted,
 * and a hook has to end in time, with 0. Killing loses nothing: what is kept is kept in whole transactions.
 * @param signal says that it is too late
 * @returns what there is to say; empty for nothing
 * @throws an error with a code where the task failed or its process ended
 */
export async function runInProcess(task: HookTask, signal: AbortSignal): Promise<string> {
  // Most hooks start none.
  const { fork } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const child = fork(path.join(__dirname, 'cli.js'), [hookTaskArgument, task.kind], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const fail = (): void => {
      child.kill('SIGKILL');
      reject(Object.assign(new Error('The task ended without an answer.'), { code: 'ended' }));
    };
    signal.addEventListener('abort', fail);
    child.once('error', fail);
    // Another one, after the answer, is no reason to end without it.
    child.on('error', () => undefined);
    // Not `exit`, which may come before its answer.
    child.once('close', fail);
    child.once('message', ({ text, failed }: HookTaskResult) => {
      // The end of this process is not its end any more.
      signal.removeEventListener('abort', fail);
      child.off('error', fail);
      child.off('close', fail);
      if (child.connected) child.disconnect();
      child.unref();
      if (failed === undefined) resolve(text);
      else reject(Object.assign(new Error('The task failed.'), { code: failed }));
    });
    child.send(task, error => {
      if (error !== null) fail();
    });
  });
}
