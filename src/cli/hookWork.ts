import { requestLimits } from '../engine/model/config.js';
import type { HookAnswer } from './hookChild.js';
import { withHookEngine } from './hookEngine.js';
import { captureSource, publishTarget, type HookTask } from './hookTask.js';

/** Memories for one prompt at most: more would bury what the person said. */
const limit = 5;

/** The other end of `hookChild.ts`: does the task that comes as a message, and answers. */
export function serveTask(): void {
  process.once('disconnect', () => {
    // Nobody waits any more. Leaving in any other way would first end what SQLite is at.
    process.kill(process.pid, 'SIGKILL');
  });
  process.once('message', (task: HookTask) => {
    void perform(task)
      .catch(() => '')
      .then(text => process.send?.({ text } satisfies HookAnswer));
  });
}

function perform(task: HookTask): Promise<string> {
  return task.kind === 'prompt' ? recallFor(task) : afterStop(task);
}

/** What is remembered about a prompt, as a packed context. */
async function recallFor(task: Extract<HookTask, { kind: 'prompt' }>): Promise<string> {
  const { dataDir, folders, prompt, tokenBudget } = task;
  const query = prompt.slice(0, requestLimits.maxQueryLength);
  const { context } = await withHookEngine(
    dataDir,
    folders,
    engine => engine.context({ query, limit, tokenBudget, asker: 'model' }),
    { prewarm: true },
  );
  return context;
}

/**
 * Captures what is new in the session, by rule, where a person has allowed that; then brings the section of CLAUDE.md up
 * to date where they have published one.
 */
function afterStop(task: Extract<HookTask, { kind: 'stop' }>): Promise<string> {
  const { dataDir, folders, transcript, publishedIn, workMs } = task;
  const signal = AbortSignal.timeout(workMs);
  return withHookEngine(dataDir, folders, async ({ capture, publishing }) => {
    // What cannot be captured now is captured the next time, and what was published may be old all the same.
    if (transcript !== undefined)
      await capture.run({ source: captureSource, files: [transcript], signal }).catch(() => undefined);
    if (publishedIn !== undefined && !signal.aborted) await publishing.refresh(publishTarget, publishedIn);
    return '';
  });
}
