import path from 'node:path';
import { readClientRights } from '../../engine/access/clientRights.js';
import type { Config } from '../../engine/model/config.js';
import type { EngineHost } from '../../engine/model/host.js';
import { readFileConfig } from '../../engine/access/settingsFile.js';
import { readEmbeddings } from '../environment.js';
import type { HookTask } from './tasks.js';

/** The engine's host in a hook: silent, and without the models that no hook has the time to load or to ask. */
export function createHookHost(
  { client, dataDir, session }: Pick<HookTask, 'client' | 'dataDir'> & Pick<EngineHost, 'session'>,
  folders: readonly string[],
): EngineHost {
  const ignore = (): void => undefined;
  const config = readHookConfig(dataDir);
  return {
    dataDir,
    bundleDir: __dirname,
    modelsDir: path.join(__dirname, 'models'),
    workspaceFolders: folders,
    client,
    session,
    onlyStore: readClientRights(dataDir, client).store,
    log: { info: ignore, warn: ignore, error: ignore },
    config: () => config,
    now: () => new Date(),
  };
}

/**
 * The settings file of the data folder; no language model and no server to embed texts, which programs that stay ask later, and
 * no cross-encoder, which would be too late.
 */
function readHookConfig(dataDir: string): Config {
  const config = readFileConfig(dataDir);
  const embeddings = readEmbeddings(undefined, process.env, config.embeddings);
  return {
    ...config,
    embeddings: embeddings === 'endpoint' ? 'off' : embeddings,
    recall: { ...config.recall, rerankModel: '' },
    model: { ...config.model, provider: 'none' },
  };
}
