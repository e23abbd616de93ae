import assert from 'node:assert/strict';
import path from 'node:path';
import type { NewEdge } from '../../../../src/engine/model/edge.js';
import { SearchWorkerClient } from '../../../../src/engine/search/worker/searchWorkerClient.js';
import { openSqliteStore } from '../../../../src/engine/store/sqlite/openSqliteStore.js';
import type { Store } from '../../../../src/engine/store/store.js';
import { linkMarked, storeMemory, storeProblems, TestHost } from '../../../support/fixtures.js';

const edge = (source: string, target: string, type: NewEdge['type'], strength: number): NewEdge => ({
  source,
  target,
  type,
  strength,
  reason: `because ${strength}`,
});

describe('edges and records of a store', () => {
  let host: TestHost;
  let indexes: SearchWorkerClient;
  let store: Store;
  let ids: string[];

  beforeEach(async () => {
    host = new TestHost();
    const engine = await host.open();
    ids = [];
    for (const it of ['Paris is sunny.', 'Tabs are wide.', 'Sarah sails.']) ids.push(await storeMemory(engine, it));
    indexes = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
    store = await openSqliteStore('global', path.dirname(host.globalFile), host, indexes);
  });

  afterEach(async () => {
    await store.close();
    await indexes.close();
  });

  const link = (...edges: NewEdge[]): Promise<void> => store.write('test', tx => tx.link(edges));
  const edgesOf = async (of: string): Promise<unknown[]> =>
    (await store.edges([of])).map(it => [ids.indexOf(it.source), it.type, ids.indexOf(it.target), it.strength]);
  const centralities = async (): Promise<number[]> => {
    const found = new Map((await store.get(ids)).map(it => [it.id, it.centrality]));
    return ids.map(it => found.get(it)!);
  };

  it('stores a symmetric edge once, from the later to the earlier memory, with the greater strength', async () => {
    const [one = '', two = ''] = ids;
    await link(edge(one, two, 'relates_to', 0.5), edge(two, one, 'relates_to', 0.7));
    await link(edge(one, two, 'relates_to', 0.6));
    assert.deepEqual(await edgesOf(one), [[1, 'relates_to', 0, 0.7]]);
    assert.deepEqual(await edgesOf(two), [[1, 'relates_to', 0, 0.7]]);
    assert.deepEqual(await centralities(), [0.2, 0.2, 0]);
  });

  it('counts a directed edge at its target only, and ignores edges to itself or to a missing memory', async () => {
    const [one = '', two = ''] = ids;
    await link(edge(one, two, 'refines', 1), edge(one, one, 'refines', 1), edge(one, 'gone', 'refines', 1));
    assert.deepEqual(await edgesOf(one), [[0, 'refines', 1, 1]]);
    assert.deepEqual(await centralities(), [0, 0.2, 0]);
    await store.write('test', tx => tx.unlink(one, two, 'refines'));
    assert.deepEqual([await edgesOf(one), await centralities()], [[], [0, 0, 0]]);
  });

  it('deletes the edges of a memory together with the memory', async () => {
    const [one = '', two = '', three = ''] = ids;
    await link(edge(two, one, 'contradicts', 0.9), edge(three, two, 'refines', 1), edge(three, one, 'relates_to', 0.4));
    await store.write('test', tx => tx.delete(two, 'purge'));
    assert.deepEqual([await edgesOf(one), (await store.get([one]))[0]?.centrality], [[[2, 'relates_to', 0, 0.4]], 0.2]);
  });

  it('lists contradictions of active memories until a person settles or supersedes them', async () => {
    const [one = '', two = '', three = ''] = ids;
    await store.write('test', async tx => {
      await linkMarked(tx, { source: two, target: one, strength: 0.9, reason: 'Other town.' });
      await linkMarked(tx, { source: three, target: one, strength: 0.8, reason: 'Other person.' });
    });
    const listed = async (): Promise<number[][]> =>
      (await store.conflicts('', 10)).map(it => [ids.indexOf(it.newer.id), ids.indexOf(it.older.id)]);
    assert.deepEqual(await listed(), [
      [2, 0],
      [1, 0],
    ]);
    await store.write('test', tx => tx.settle(one, two));
    assert.deepEqual(await listed(), [[2, 0]]);
    await store.write('test', tx => tx.supersede(three, one));
    assert.deepEqual(await listed(), []);
    assert.deepEqual(
      [(await store.get([one]))[0]?.status, (await store.edges([one], ['supersedes'])).length],
      ['superseded', 1],
    );
    assert.deepEqual(
      (await store.history(one)).map(it => it.action),
      ['create', 'mark', 'mark', 'settle', 'supersede'],
    );
    assert.deepEqual(await storeProblems(await host.open()), []);
  });

  it('returns records of a kind, newest first', async () => {
    await store.write('test', async tx => {
      await tx.putRecord('goal', 'a', { text: 'ship' });
      await tx.putRecord('run', 'a', { archived: 3 });
    });
    host.time += 1000;
    await store.write('test', async tx => {
      await tx.putRecord('goal', 'b', { text: 'rest' });
      assert.deepEqual((await tx.record('goal', 'a'))?.body, { text: 'ship' });
    });
    assert.deepEqual(
      (await store.records('goal')).map(it => [it.id, it.body]),
      [
        ['b', { text: 'rest' }],
        ['a', { text: 'ship' }],
      ],
    );
    await store.write('test', tx => tx.deleteRecord('goal', 'b'));
    assert.deepEqual([await store.record('goal', 'b'), (await store.records('goal', 1)).length], [undefined, 1]);
  });
});
