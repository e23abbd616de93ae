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
 * The process that does a task. Before it has answered it ends with this one; then it writes what it has noted and ends by
 * itself (`taskServer.ts`). A process cannot leave its threads while SQLite works in them without being aborted, and a hook
 * has to end in time, with 0. Killing loses nothing: what is kept is kept in whole transactions.
 */
export class TaskProcess {
  private readonly child: ChildProcess;
  private readonly kill = (): void => {
    this.child.kill('SIGKILL');
  };

  /**
   * @param kind what it begins to load before the task is known
   * @param signal says that it is too late, or that there is nothing to do
   * @throws what the system says where it starts no process
   */
  constructor(
    kind: HookTask['kind'],
    private readonly signal: AbortSignal,
  ) {
    this.child = fork(path.join(__dirname, 'cli.js'), [hookTaskArgument, kind], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // One that cannot be reached takes no task either.
    this.child.on('error', () => undefined);
    signal.addEventListener('abort', this.kill);
  }

  /** Has its one task done. @returns what there is to say; empty for nothing, and for a task that was killed or failed */
  run(task: HookTask): Promise<string> {
    const { child, signal } = this;
    return new Promise(resolve => {
      const fail = (): void => {
        this.kill();
        resolve('');
      };
      child.once('error', fail);
      // Not `exit`, which may come before its answer.
      child.once('close', fail);
      child.once('message', ({ text }: HookTaskResult) => {
        // The end of this process is not its end any more.
        signal.removeEventListener('abort', this.kill);
        child.off('error', fail);
        child.off('close', fail);
        if (child.connected) child.disconnect();
        child.unref();
        resolve(text);
      });
      child.send(task, error => {
        if (error !== null) fail();
      });
    });
  }
}
