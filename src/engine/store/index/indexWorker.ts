// Runs in a worker thread: the search indexes of every store that is open in this process.
import { parentPort, workerData } from 'node:worker_threads';
import { StaticModel } from '../../embeddings/staticModel.js';
import { IndexedStore } from './indexedStore.js';
import type { IndexReply, IndexRequest, IndexThreadData } from './indexProtocol.js';

const port = parentPort!;
const { modelDir } = workerData as IndexThreadData;
let opened: StaticModel | undefined;
const stores = new Map<string, IndexedStore>();

port.on('message', (request: IndexRequest) => {
  void answer(request).then(
    reply => {
      port.postMessage(reply, 'vectors' in reply ? [reply.vectors.buffer as ArrayBuffer] : []);
    },
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ id: request.id, error: message } satisfies IndexReply);
    },
  );
});

/** Opened when it is first needed. @throws Error for one that cannot be read, each time; undefined where there is none */
function builtIn(): StaticModel | undefined {
  if (modelDir !== undefined) opened ??= StaticModel.open(modelDir);
  return opened;
}

async function answer(request: IndexRequest): Promise<IndexReply> {
  if (request.kind === 'embed') return { id: request.id, vectors: embedAll(request.texts) };
  const { id, kind, file } = request;
  const known = stores.get(file);
  if (kind === 'close') {
    stores.delete(file);
    await known?.close();
    return { id, done: true };
  }
  if (kind === 'endCall') {
    await known?.endCall(request.call);
    return { id, done: true };
  }
  if (kind === 'written') {
    await known?.takeInWritten(request.revision);
    return { id, done: true };
  }
  const { model, dimensions } = request;
  let store = known;
  if (store === undefined || store.model !== model) {
    await store?.close();
    store = new IndexedStore(file, model, dimensions, builtIn);
    stores.set(file, store);
  }
  if (kind === 'prepare') {
    await store.prepare();
    return { id, done: true };
  }
  if (kind === 'compare') return { id, ...(await store.compare(request.told)) };
  const onShortlist = (shortlist: readonly number[]): void => {
    port.postMessage({ id, shortlist } satisfies IndexReply);
  };
  return { id, ...(await store.search(request, onShortlist)) };
}

function embedAll(texts: readonly string[]): Float32Array {
  const model = builtIn();
  if (model === undefined) throw new Error('it is not there');
  const vectors = new Float32Array(texts.length * model.dimensions);
  for (const [i, it] of texts.entries()) vectors.set(model.embed(it), i * model.dimensions);
  return vectors;
}
