import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { linkContradiction, storeMemory, TestHost } from '../../support/fixtures.js';

const question = 'Which port does the gateway listen on?';

async function recalled(engine: MemoryEngine): Promise<readonly Memory[]> {
  return (await engine.recall({ query: question, mode: 'fresh', isUntracked: true })).hits.map(it => it.memory);
}

describe('a memory that was recalled before', () => {
  it('reflects the file after writes of another process', async () => {
    const host = new TestHost();
    const [one, other] = [await host.open(), await host.open()];
    const id = await storeMemory(one, 'The gateway listens on port 8443.');
    assert.deepEqual(await recalled(one), [await one.get(id)]);
    await other.pin(id);
    assert.equal((await recalled(one))[0]!.pinned, true);
    await other.markCritical(id);
    assert.deepEqual(await recalled(one), [await other.get(id)]);
    await other.forget(id);
    assert.deepEqual(await recalled(one), []);
  });

  it('has current usage counts and links, which do not count as content changes', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'The gateway listens on port 8443.');
    const later = await storeMemory(engine, 'Ferries depart hourly in summer.');
    await recalled(engine);
    await engine.recall({ query: question, mode: 'fresh' });
    await engine.traces(); // What is buffered is written first.
    await linkContradiction(host, later, id);
    const memory = (await recalled(engine)).find(it => it.id === id);
    assert.equal(memory!.accessCount, 1);
    assert.notEqual(memory!.accessedAt, undefined);
    assert.ok(memory!.centrality > 0);
    assert.deepEqual(memory, await engine.get(id));
  });
});
