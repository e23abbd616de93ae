import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { prewarmSearch } from '../../../src/engine/search/prewarmSearch.js';
import { openEngine } from '../../../src/engine/engine.js';
import { comparesMeaning } from '../../../src/mcp/serverEngineHolder.js';
import { encoderHost } from '../../support/encoderHost.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

describe('opening the memory', () => {
  it('starts the search worker only when a search is expected', async () => {
    const host = new TestHost({ project: true });
    let threads = 0;
    const count = (): void => {
      threads++;
    };
    process.on('worker', count);
    try {
      const reader = await openEngine(host);
      await reader.list({});
      await reader.close();
      assert.equal(threads, 0);
      const searcher = await openEngine(host, { prewarm: true });
      await searcher.close();
      assert.equal(threads, 1);
    } finally {
      process.off('worker', count);
    }
  });

  it('loads the encoder only when meanings are compared', async () => {
    const host = encoderHost();
    let threads = 0;
    const count = (): void => {
      threads++;
    };
    process.on('worker', count);
    try {
      const lister = await openEngine(host, { prewarm: true, comparesMeaning: comparesMeaning('list') });
      await lister.list({});
      assert.equal(threads, 1);
      await lister.recall({ query: 'harbour' });
      await lister.close();
      assert.equal(threads, 2);
      const searcher = await openEngine(host, { prewarm: true, comparesMeaning: comparesMeaning('recall') });
      assert.equal(threads, 4);
      await searcher.close();
    } finally {
      process.off('worker', count);
    }
  });

  it('takes a thread that was begun before, and ends it', async () => {
    const host = new TestHost({ project: true });
    const ended: number[] = [];
    let threads = 0;
    const count = (worker: Worker): void => {
      threads++;
      worker.once('exit', () => ended.push(threads));
    };
    process.on('worker', count);
    try {
      const engine = await openEngine(host, { searchWorker: prewarmSearch(host) });
      await storeMemory(engine, 'The begun thread finds this.');
      const { hits } = await engine.recall({ query: 'what does the begun thread find' });
      assert.equal(hits.length, 1);
      await engine.close();
      assert.deepEqual([threads, ended], [1, [1]]);

      const without = new TestHost();
      writeFileSync(without.dataDir, 'a file where a folder is wanted');
      await assert.rejects(openEngine(without, { searchWorker: prewarmSearch(without) }));
      assert.deepEqual([threads, ended], [2, [1, 2]]);
    } finally {
      process.off('worker', count);
    }
  });

  it("has the project's store first, whichever is open first", async () => {
    const engine = await new TestHost({ project: true }).open();
    assert.deepEqual(
      engine.stores.map(it => it.kind),
      ['project', 'global'],
    );
  });
});
