import { access } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from './base/errors.js';
import { builtInFolder } from './beginSearch.js';
import type { Message } from './base/message.js';
import type { OpenStore } from './context.js';
import { noEmbedder, type Embedder, type StaticModelThread } from './embeddings/embedder.js';
import { readModelFolder } from './embeddings/modelFolder.js';
import { OnnxEmbedder } from './embeddings/onnxEmbedder.js';
import { StaticEmbedder } from './embeddings/staticEmbedder.js';
import type { SpendingRecords } from './llm/budget.js';
import type { Host } from './model/host.js';
import type { StoreKind } from './model/memory.js';
import type { IndexThread } from './store/index/indexThread.js';
import { projectKey } from './store/project.js';
import { openSqliteStore } from './store/sqlite/open.js';

/** Where downloaded models lie in a data folder, one folder each. */
export const modelsFolder = (dataDir: string): string => path.join(dataDir, 'models');

/** Where the built-in model is; a package without it is logged, and candidates are not read closely. */
export async function builtInModel(host: Host): Promise<string | undefined> {
  const folder = builtInFolder(host.modelsDir);
  try {
    await access(path.join(folder, 'model.onnx'));
    return folder;
  } catch (error) {
    host.log.error('No built-in model: the best matches are not compared word by word.', error);
    return undefined;
  }
}

/** The embedder of the configuration; a model that cannot be read is told of, and everything is lexical. */
export async function openEmbedder(host: Host, thread: StaticModelThread, notices: Message[]): Promise<Embedder> {
  const { embeddings } = host.config();
  if (embeddings === 'off') return noEmbedder('embeddingsOff');
  const folder = path.isAbsolute(embeddings)
    ? embeddings
    : path.join(embeddings === 'built-in' ? host.modelsDir : modelsFolder(host.dataDir), embeddings);
  try {
    const found = await readModelFolder(folder);
    if (embeddings === 'built-in' && found.description.static === true) return new StaticEmbedder(found.model, thread);
    return new OnnxEmbedder(found, host.bundleDir);
  } catch (error) {
    host.log.error('No embedding model: everything is found by words alone.', error);
    if (error instanceof EngineError) notices.push(error.said);
    return noEmbedder('modelUnusable');
  }
}

/** The stores of the host's folders, and the global one; all of them or none. */
export async function openStores(host: Host, indexes: IndexThread): Promise<readonly OpenStore[]> {
  const keys = new Map<string, string[]>();
  for (const folder of host.workspaceFolders) {
    const { key } = await projectKey(folder);
    keys.set(key, [...(keys.get(key) ?? []), folder]);
  }
  const open = async (kind: StoreKind, at: string, folders: readonly string[]): Promise<OpenStore> => ({
    store: await openSqliteStore(kind, path.join(host.dataDir, at), host, indexes),
    folders,
  });
  const opening = await Promise.allSettled([
    ...[...keys].map(([key, folders]) => open('project', path.join('projects', key), folders)),
    open('global', 'global', []),
  ]);
  const stores = opening.flatMap(it => (it.status === 'fulfilled' ? [it.value] : []));
  const failed = opening.find(it => it.status === 'rejected');
  if (failed === undefined) return stores;
  await Promise.allSettled(stores.map(it => it.store.close()));
  throw failed.reason;
}

/** What language models used, in the global store: the one that every program on the data folder opens. */
export function spendingRecords(stores: readonly OpenStore[], host: Host): SpendingRecords {
  const { store } = stores.find(it => it.store.kind === 'global')!;
  return {
    read: async day => (await store.record('modelUse', day))?.body,
    update: (day, change) =>
      store.write(host.client, async tx => {
        await tx.putRecord('modelUse', day, change((await tx.record('modelUse', day))?.body));
      }),
  };
}
