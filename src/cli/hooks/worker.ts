import { requestLimits } from '../../engine/model/config.js';
import type { HookTaskResult } from './childProcess.js';
import { maintenanceBudgetMs } from '../../engine/maintenance/due.js';
import { withHookEngine } from './hookEngine.js';
import { hookCaptureSource, hookPublishTarget, type HookTask } from './tasks.js';

/** Memories for one prompt at most: more would bury what the person said. */
const maxMemories = 5;

/** The other end of `hookChild.ts`: does the task that comes as a message, and answers. */
export function serveHookTask(): void {
  process.once('disconnect', () => {
    // No process waits any more. Leaving in any other way would first end what SQLite is at.
    process.kill(process.pid, 'SIGKILL');
  });
  process.once('message', (task: HookTask) => {
    void runHookTask(task)
      .catch(() => '')
      .then(text => process.send?.({ text } satisfies HookTaskResult));
  });
}

function runHookTask(task: HookTask): Promise<string> {
  return task.kind === 'prompt' ? recallForPrompt(task) : captureAndPublish(task);
}

/** What is remembered about a prompt, as a packed context. */
async function recallForPrompt(task: Extract<HookTask, { kind: 'prompt' }>): Promise<string> {
  const { dataDir, folders, prompt, tokenBudget } = task;
  const query = prompt.slice(0, requestLimits.maxQueryLength);
  const { context } = await withHookEngine(
    dataDir,
    folders,
    engine => engine.context({ query, limit: maxMemories, tokenBudget, asker: 'model' }),
    { prewarm: true },
  );
  return context;
}

/**
 * Captures what is new in the session, by rule, where a person has allowed that; then brings the section of CLAUDE.md up
 * to date where they have published one, and does the maintenance that is due.
 */
function captureAndPublish(task: Extract<HookTask, { kind: 'stop' }>): Promise<string> {
  const { dataDir, folders, transcript, publishFolder, timeoutMs } = task;
  const signal = AbortSignal.timeout(timeoutMs);
  return withHookEngine(dataDir, folders, async ({ capture, publishing, maintenance }) => {
    // What cannot be captured now is captured the next time, and what was published may be old all the same.
    if (transcript !== undefined)
      await capture.run({ source: hookCaptureSource, files: [transcript], signal }).catch(() => undefined);
    if (publishFolder !== undefined && !signal.aborted) await publishing.refresh(hookPublishTarget, publishFolder);
    await maintenance.runIfDue({ signal: AbortSignal.timeout(maintenanceBudgetMs) }).catch(() => undefined);
    return '';
  });
}
