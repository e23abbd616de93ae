import path from 'node:path';
import { openEngine } from '../engine/engine.js';
import { callLimits, defaultConfig } from '../engine/model/config.js';
import { foldersWithMemory } from '../engine/sessionStart.js';
import type { RecallForPrompt } from './hook.js';
import { readEmbeddings } from './models.js';

/** Memories for one prompt at most: more would bury what the person said. */
const limit = 5;

/** What is remembered about a prompt, as a packed context. Makes no store where there is none. */
export const recallForPrompt: RecallForPrompt = async (prompt, { dataDir, folder, tokenBudget }) => {
  const workspaceFolders = await foldersWithMemory(dataDir, folder === '' ? [] : [folder]);
  if (workspaceFolders === undefined) return '';
  const config = { ...defaultConfig, embeddings: readEmbeddings(undefined) };
  const silent = (): void => undefined;
  const engine = await openEngine({
    dataDir,
    bundleDir: __dirname,
    modelsDir: path.join(__dirname, '..', 'media', 'models'),
    workspaceFolders,
    client: 'hook',
    log: { info: silent, warn: silent, error: silent },
    config: () => config,
    now: () => new Date(),
  });
  try {
    const query = prompt.slice(0, callLimits.queryCharacters);
    return (await engine.context({ query, limit, tokenBudget, asker: 'model' })).context;
  } finally {
    await engine.close();
  }
};
