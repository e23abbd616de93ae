// Runs in a worker thread: the search indexes of every store that is open in this process.
import { parentPort, workerData } from 'node:worker_threads';
import { IndexedStore } from './indexedStore.js';
import type { IndexReply, IndexRequest, IndexThreadData } from './indexProtocol.js';
import { TokenTable } from './tokenTable.js';

const port = parentPort!;
const { tokensDir } = workerData as IndexThreadData;
const tokens = tokensDir === undefined ? undefined : TokenTable.open(tokensDir);
const stores = new Map<string, IndexedStore>();

port.on('message', (request: IndexRequest) => {
  void answer(request).then(
    reply => {
      port.postMessage(reply);
    },
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ id: request.id, error: message } satisfies IndexReply);
    },
  );
});

async function answer(request: IndexRequest): Promise<IndexReply> {
  const { id, kind, file } = request;
  const known = stores.get(file);
  if (kind === 'close') {
    stores.delete(file);
    await known?.close();
    return { id, done: true };
  }
  if (kind === 'endCall') {
    known?.endCall(request.call);
    return { id, done: true };
  }
  const { model, dimensions } = request;
  let store = known;
  if (store === undefined || store.model !== model) {
    await store?.close();
    store = new IndexedStore(file, model, dimensions, tokens);
    stores.set(file, store);
  }
  if (kind === 'prepare') {
    await store.prepare();
    return { id, done: true };
  }
  if (kind === 'compare') return { id, ...(await store.compare(request.told)) };
  return { id, ...(await store.search(request.query, request.filter)) };
}
