import path from 'node:path';
import { openEngine, type OpenOptions, type MemoryEngine } from '../../engine/engine.js';
import { defaultConfig } from '../../engine/model/config.js';
import { readEmbeddings } from '../commands/embeddingModels.js';

/** The whole engine for a hook, silent and without a language model: no hook has the time to ask one. */
export async function withHookEngine<T>(
  dataDir: string,
  workspaceFolders: readonly string[],
  work: (engine: MemoryEngine) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const config = { ...defaultConfig, embeddings: readEmbeddings(undefined) };
  const ignore = (): void => undefined;
  const host = {
    dataDir,
    bundleDir: __dirname,
    modelsDir: path.join(__dirname, 'models'),
    workspaceFolders,
    client: 'hook',
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
