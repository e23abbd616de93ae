// Entry point of the search worker thread, which holds the indexes of all stores that are open in this process.
import { parentPort, workerData } from 'node:worker_threads';
import { StaticModel } from '../../embeddings/staticModel.js';
import { StoreIndex } from './storeIndex.js';
import type { SearchWorkerReply, SearchWorkerRequest, SearchWorkerData } from './searchProtocol.js';

const port = parentPort!;
const { modelDir } = workerData as SearchWorkerData;
let openedModel: StaticModel | undefined;
const stores = new Map<string, StoreIndex>();

port.on('message', (request: SearchWorkerRequest) => {
  void handleRequest(request).then(
    reply => {
      port.postMessage(reply, 'vectors' in reply ? [reply.vectors.buffer as ArrayBuffer] : []);
    },
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ id: request.id, error: message } satisfies SearchWorkerReply);
    },
  );
});

/** The built-in model, opened on first use; undefined where there is none. @throws Error where it cannot be read */
function openBuiltInModel(): StaticModel | undefined {
  if (modelDir !== undefined) openedModel ??= StaticModel.open(modelDir);
  return openedModel;
}

async function handleRequest(request: SearchWorkerRequest): Promise<SearchWorkerReply> {
  if (request.kind === 'embed') return { id: request.id, vectors: embedAll(request.texts) };
  const { id, kind, file } = request;
  const openedStore = stores.get(file);
  if (kind === 'close') {
    stores.delete(file);
    await openedStore?.close();
    return { id, done: true };
  }
  if (kind === 'endBatch') {
    await openedStore?.endBatch(request.batchId);
    return { id, done: true };
  }
  if (kind === 'written') {
    await openedStore?.applyWritten(request.revision);
    return { id, done: true };
  }
  const { model, dimensions } = request;
  let store = openedStore;
  if (store === undefined || store.model !== model) {
    await store?.close();
    store = new StoreIndex(file, model, dimensions, openBuiltInModel);
    stores.set(file, store);
  }
  if (kind === 'prepare') {
    await store.prepare();
    return { id, done: true };
  }
  if (kind === 'compare') return { id, ...(await store.compare(request.batch)) };
  const onShortlist = (shortlist: readonly number[]): void => {
    port.postMessage({ id, shortlist } satisfies SearchWorkerReply);
  };
  return { id, ...(await store.search(request, onShortlist)) };
}

function embedAll(texts: readonly string[]): Float32Array {
  const model = openBuiltInModel();
  if (model === undefined) throw new Error('it is not there');
  const vectors = new Float32Array(texts.length * model.dimensions);
  for (const [i, it] of texts.entries()) vectors.set(model.embed(it), i * model.dimensions);
  return vectors;
}
