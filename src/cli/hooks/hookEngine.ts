import path from 'node:path';
import { openEngine, type OpenOptions, type MemoryEngine } from '../../engine/engine.js';
import type { Config } from '../../engine/model/config.js';
import { readFileConfig } from '../../engine/settingsFile.js';
import { readClientRights } from '../../engine/access/clientRights.js';
import type { HookTask } from './tasks.js';
import { readEmbeddings } from '../commands/embeddingModels.js';

/** The whole engine for a hook, silent and without a language model or an embedding server: no hook has the time to ask one. */
export async function withHookEngine<T>(
  { client, dataDir, folders }: Pick<HookTask, 'client' | 'dataDir' | 'folders'>,
  work: (engine: MemoryEngine) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const ignore = (): void => undefined;
  const config = readHookConfig(dataDir);
  const host = {
    dataDir,
    bundleDir: __dirname,
    modelsDir: path.join(__dirname, 'models'),
    workspaceFolders: folders,
    client,
    onlyStore: readClientRights(dataDir, client).store,
    log: { info: ignore, warn: ignore, error: ignore },
    config: () => config,
    now: () => new Date(),
  };
  const engine = await openEngine(host, options);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** The settings file of the data folder; no language model, and no server to embed texts: programs that stay ask it later. */
function readHookConfig(dataDir: string): Config {
  const config = readFileConfig(dataDir);
  const embeddings = readEmbeddings(undefined, process.env, config.embeddings);
  return {
    ...config,
    embeddings: embeddings === 'endpoint' ? 'off' : embeddings,
    model: { ...config.model, provider: 'none' },
  };
}
