import assert from 'node:assert/strict';
import { openEngine } from '../../../src/engine/engine.js';
import { TestHost } from '../../support/memory.js';

describe('opening the memory', () => {
  it('starts the search thread only for who will search', async () => {
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
      const searcher = await openEngine(host, { willSearch: true });
      await searcher.close();
      assert.equal(threads, 1);
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
