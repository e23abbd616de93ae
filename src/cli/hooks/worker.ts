import { requestLimits } from '../../engine/model/config.js';
import type { HookTaskResult } from './childProcess.js';
import { maintenanceBudgetMs } from '../../engine/maintenance/due.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { formatRememberRequest } from './rememberRequest.js';
import { withHookEngine } from './hookEngine.js';
import { projectTargets } from '../../engine/model/publishing.js';
import { hookCaptureSource, type HookTask } from './tasks.js';

/** Near memories that an assistant is shown before it remembers. */
const maxNearMemories = 8;
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
  const { prompt, tokenBudget } = task;
  const query = prompt.slice(0, requestLimits.maxQueryLength);
  const { context } = await withHookEngine(
    task,
    engine => engine.context({ query, limit: maxMemories, tokenBudget, asker: 'model' }),
    { prewarm: true },
  );
  return context;
}

/** A request to remember, with the memories of the project that are nearest to what was said. */
async function formatRequest(engine: MemoryEngine, statements: readonly string[]): Promise<string> {
  const query = statements.join('\n').slice(0, requestLimits.maxQueryLength);
  const { hits } = await engine.recall({ query, limit: maxNearMemories, asker: 'model' });
  return formatRememberRequest(
    statements,
    hits.map(it => it.memory),
  );
}

/**
 * Captures what is new in the session, by rule, where a person has allowed that; then brings the published sections up
 * to date, and does the maintenance that is due.
 */
function captureAndPublish(task: Extract<HookTask, { kind: 'stop' }>): Promise<string> {
  const { transcript, mayAsk, publishFolder, timeoutMs } = task;
  const signal = AbortSignal.timeout(timeoutMs);
  return withHookEngine(task, async engine => {
    const { capture, publishing, maintenance } = engine;
    let request = '';
    // What cannot be captured now is captured the next time, and what was published may be old all the same.
    if (transcript !== undefined) {
      const captured = await capture
        .run({ source: hookCaptureSource, files: [transcript], signal })
        .catch(() => undefined);
      const facts =
        captured?.sessions.flatMap(it => it.outcomes).flatMap(it => (it.outcome === 'refused' ? [] : [it.content])) ??
        [];
      const statements =
        mayAsk && captured?.cancelled === false
          ? await capture.claimStatements({ source: hookCaptureSource, file: transcript }, facts)
          : undefined;
      if (statements !== undefined) request = await formatRequest(engine, statements);
    }
    for (const target of publishFolder === undefined ? [] : projectTargets)
      if (!signal.aborted) await publishing.refresh(target, publishFolder).catch(() => false);
    await maintenance.runIfDue({ signal: AbortSignal.timeout(maintenanceBudgetMs) }).catch(() => undefined);
    return request;
  });
}
