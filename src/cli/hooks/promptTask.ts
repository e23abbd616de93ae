import { requestLimits } from '../../engine/model/config.js';
import type { SearchWorkerHandle } from '../../engine/engine.js';
import { loadPromptContext } from '../../engine/hooks/promptContext.js';
import { foldersWithMemory } from '../../engine/hooks/sessionStartContext.js';
import { createHookHost } from './hookHost.js';
import { serveTask } from './taskServer.js';

/** Memories for one prompt at most: more would bury what the person said. */
const maxMemories = 5;

/**
 * Answers with what is remembered about a prompt; no store is made for a question.
 * @param searchWorker a thread that was started for it
 */
export function servePromptTask(searchWorker: SearchWorkerHandle): void {
  serveTask('prompt', async (task, answer) => {
    const { dataDir, folder, prompt, tokenBudget } = task;
    const folders = await foldersWithMemory(dataDir, folder === undefined ? [] : [folder]);
    if (folders === undefined) return searchWorker.close();
    const query = prompt.slice(0, requestLimits.maxQueryLength);
    const input = { query, limit: maxMemories, tokenBudget, asker: 'model' } as const;
    const found = await loadPromptContext(createHookHost(task, folders), input, { searchWorker });
    answer(found.context);
    await found.finish();
  });
}
