import { maintenanceBudgetMs } from '../../engine/model/maintenance.js';
import { openEngine, type MemoryEngine } from '../../engine/engine.js';
import { requestLimits } from '../../engine/model/config.js';
import { projectTargets } from '../../engine/model/publishing.js';
import { createHookHost } from './hookHost.js';
import { formatRememberRequest } from './rememberRequest.js';
import { serveTask } from './taskServer.js';
import type { StopTask } from './tasks.js';

/** Near memories that an assistant is shown before it remembers. */
const maxNearMemories = 8;

/** Answers with a request to remember, where there is one. */
export function serveStopTask(): void {
  serveTask('stop', async (task, answer) => {
    answer(await captureAndPublish(task));
  });
}

/** A request to remember, with the memories of the project that are nearest to what was said. */
async function formatRequest(engine: MemoryEngine, turns: readonly string[]): Promise<string> {
  const query = turns.join('\n').slice(0, requestLimits.maxQueryLength);
  const { hits } = await engine.recall({ query, limit: maxNearMemories, asker: 'model' });
  return formatRememberRequest(
    turns,
    hits.map(it => it.memory),
  );
}

/**
 * Captures what is new in the session, by rule, where a person has allowed that; then brings the published sections and the
 * synced folders up to date, and does the maintenance that is due.
 */
async function captureAndPublish(task: StopTask): Promise<string> {
  const { folders, transcript, mayAsk, publishFolder, syncFolder, timeoutMs } = task;
  const signal = AbortSignal.timeout(timeoutMs);
  const engine = await openEngine(createHookHost(task, folders));
  try {
    const { capture, publishing, maintenance, sync } = engine;
    let request = '';
    // A failed capture runs again the next time, and published sections may still be old.
    if (transcript !== undefined) {
      const captured = await capture
        .run({ source: transcript.source, files: [transcript.file], signal })
        .catch(() => undefined);
      const turns = mayAsk && captured?.cancelled === false ? await capture.claimTurns(transcript, signal) : undefined;
      if (turns !== undefined) request = await formatRequest(engine, turns);
    }
    for (const target of publishFolder === undefined ? [] : projectTargets)
      if (!signal.aborted) await publishing.refresh(target, publishFolder).catch(() => false);
    if (syncFolder !== undefined && !signal.aborted) await sync.follow(syncFolder, signal).catch(() => []);
    await maintenance.runIfDue({ signal: AbortSignal.timeout(maintenanceBudgetMs) }).catch(() => undefined);
    return request;
  } finally {
    await engine.close();
  }
}
