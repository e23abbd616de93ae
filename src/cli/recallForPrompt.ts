import { callLimits } from '../engine/model/config.js';
import { foldersWithMemory } from '../engine/sessionStart.js';
import type { HookWork } from './hook.js';
import { withHookEngine } from './hookEngine.js';

/** Memories for one prompt at most: more would bury what the person said. */
const limit = 5;

/** What is remembered about a prompt, as a packed context. Makes no store where there is none. */
export const recallForPrompt: HookWork['recallForPrompt'] = async (prompt, { dataDir, folder, tokenBudget }) => {
  const folders = await foldersWithMemory(dataDir, folder === undefined ? [] : [folder]);
  if (folders === undefined) return '';
  return withHookEngine(dataDir, folders, async engine => {
    const query = prompt.slice(0, callLimits.queryCharacters);
    return (await engine.context({ query, limit, tokenBudget, asker: 'model' })).context;
  });
};
