import { codeOf, type HookTaskResult } from './childProcess.js';
import type { HookTask } from './tasks.js';

/** How long a task may go on once it has answered, to write what it has noted. */
const finishTimeoutMs = 5_000;

/**
 * The other end of `childProcess.ts`: does the task that comes as a message. No one waits for what it does after its answer.
 * @param work answers once; without an answer nothing is shown
 */
export function serveTask<K extends HookTask['kind']>(
  kind: K,
  work: (task: Extract<HookTask, { kind: K }>, answer: (text: string) => void) => Promise<void>,
): void {
  let isAnswered = false;
  // SIGKILL, because exit() waits for SQLite's threads.
  const kill = (): void => {
    process.kill(process.pid, 'SIGKILL');
  };
  const answer = (text: string, failed?: string): void => {
    if (isAnswered) return;
    isAnswered = true;
    process.send?.({ text, ...(failed === undefined ? {} : { failed }) } satisfies HookTaskResult);
    setTimeout(kill, finishTimeoutMs).unref();
  };
  process.once('disconnect', () => {
    if (!isAnswered) kill();
  });
  process.once('message', (task: Extract<HookTask, { kind: K }>) => {
    void (task.kind === kind ? work(task, answer) : Promise.resolve())
      .catch((error: unknown) => {
        answer('', codeOf(error));
      })
      .then(() => {
        answer('');
        if (process.connected) process.disconnect();
      });
  });
}
