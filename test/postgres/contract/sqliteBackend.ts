import path from 'node:path';
import { SearchWorkerClient } from '../../../src/engine/search/worker/searchWorkerClient.js';
import { openSqliteStore } from '../../../src/engine/store/sqlite/openSqliteStore.js';
import type { StoreBackend } from './kit.js';

/** One file per store; each opened store has a search thread of its own, as each program has. */
export const sqliteBackend: StoreBackend = {
  name: 'in an SQLite file',
  newPlace: host => {
    const folder = path.join(host.dataDir, 'projects', 'one');
    return Promise.resolve(async () => {
      const worker = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
      const store = await openSqliteStore('project', folder, host, worker);
      const close = store.close.bind(store);
      return Object.assign(store, {
        close: async () => {
          await close();
          await worker.close();
        },
      });
    });
  },
};
