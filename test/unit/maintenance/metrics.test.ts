import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { tinyDimensions as dimensions, writeTinyModel } from '../../support/tinyModel.js';
import { sql } from '../../support/sqlite.js';
import { maintenanceHost } from './maintenanceHost.js';

describe('metrics', () => {
  it('are zero for an empty store, and undefined where there is nothing to measure', async () => {
    const engine = await maintenanceHost().open();
    const { stores, recall, embedding } = await engine.maintenance.metrics();
    assert.equal(stores.length, 1);
    assert.deepEqual(stores[0]!.status, { active: 0, superseded: 0, archived: 0 });
    assert.deepEqual([stores[0]!.lastRun, stores[0]!.dueAt], [undefined, undefined]);
    assert.deepEqual(recall, { recalls: 0, cacheHits: 0, degraded: 0, judged: 0 });
    assert.deepEqual(embedding, { enabled: false, calls: 0, failures: 0 });
  });

  it('report counts, bytes and recall statistics', async () => {
    const host = new TestHost({ project: true });
    const model = writeTinyModel(path.join(temporaryFolder(), 'tiny'), { name: 'tiny' });
    host.settings = { ...defaultConfig, embeddings: model };
    const engine = await host.open();
    const facts = { gate: 'epistemic', decayClass: 'durable' } as const;
    const pear = await storeMemory(engine, 'a pear', { ...facts, tags: ['fruit'] });
    const apple = await storeMemory(engine, 'an apple', facts);
    await storeMemory(engine, 'a hammer', { ...facts, decayClass: 'session', store: 'project', lane: 'note' });
    const pinned = await storeMemory(engine, 'grüne Birne', { ...facts, decayClass: 'session' });
    await engine.pin(pinned);
    await engine.forget(await storeMemory(engine, 'a plum', { ...facts, gate: 'relational' }));
    await engine.recall({ query: 'pear', withoutCut: true });
    await engine.recall({ query: 'pear', withoutCut: true });
    await engine.recall({ query: 'apple', withoutCut: true });
    await engine.feedback(pear, true);
    await engine.feedback(pear, false);
    await engine.feedback(apple, true);
    await engine.maintenance.run();
    const { stores, recall, embedding } = await engine.maintenance.metrics();
    const [project, global] = stores;
    assert.deepEqual(
      { ...global, file: '', indexBytes: 0, fileBytes: 0 },
      {
        store: 'global',
        file: '',
        items: {
          total: { created: 4, archived: 1, deleted: 0 },
          months: { '2026-03': { created: 4, archived: 1, deleted: 0 } },
          days: { '2026-03-02': { created: 4, archived: 1, deleted: 0 } },
        },
        // All of them are of the last thirty days.
        bytesPerMonth: 6 + 9 + 8 + 2 + 12 + 2 + 6 + 2 + 4 * dimensions,
        status: { active: 3, superseded: 0, archived: 1 },
        tiers: {
          imported: { count: 0, bytes: 0, quota: 2 * 1024 * 1024 },
          shared: { count: 0, bytes: 0, quota: 2 * 1024 * 1024 },
          'short-term': { count: 0, bytes: 0, quota: 512 * 1024 },
          'long-term': { count: 2, bytes: 6 + 9 + 8 + 2 + 2 * dimensions, quota: 2 * 1024 * 1024 },
          permanent: { count: 1, bytes: 12 + 2 + dimensions, quota: 10 * 1024 * 1024 },
        },
        gates: { correction: 0, behavioral: 0, epistemic: 3, relational: 0, promissory: 0 },
        lanes: { confirmed: 3, note: 0 },
        lastRun: { at: '2026-03-02T09:00:00.000Z', processed: 4, archived: 0, pruned: 0 },
        dueAt: '2026-03-09T09:00:00.000Z',
        withoutAids: 3,
        vectors: 4,
        vectorBytes: 4 * dimensions,
        indexBytes: 0,
        fileBytes: 0,
      },
    );
    assert.deepEqual([project!.lanes, project!.tiers['short-term'].count], [{ confirmed: 0, note: 1 }, 1]);
    assert.ok(global!.indexBytes > 0 && global!.fileBytes >= statSync(host.globalFile).size);
    assert.deepEqual([recall.recalls, recall.cacheHits, recall.degraded], [3, 1, 0]);
    assert.ok(recall.p50! > 0 && recall.p95! >= recall.p50!);
    // Each answer contains both fruits: the pear was useful once of two times, the apple always.
    assert.deepEqual([recall.judged, recall.precisionAt5], [6, 0.75]);
    assert.deepEqual([embedding.calls > 4, embedding.failures, embedding.averageMs! > 0], [true, 0, true]);
    assert.deepEqual([embedding.enabled, embedding.model], [true, 'tiny']);
  });

  it('count a memory once as created, in the store where it was made, wherever it moves', async () => {
    const host = maintenanceHost({}, {}, { project: true });
    const engine = await host.open();
    const id = await storeMemory(engine, 'The crane lifts twelve tonnes.', { store: 'project' });
    const figures = async (): Promise<unknown> =>
      (await engine.maintenance.metrics()).stores.map(it => [it.store, it.items.total, it.bytesPerMonth > 0]);
    const none = { created: 0, archived: 0, deleted: 0 };
    const made = { ...none, created: 1 };
    for (const to of ['global', 'project', 'global'] as const) await engine.moves.move([id], to);
    assert.deepEqual(await figures(), [
      ['project', made, false],
      ['global', none, false],
    ]);
    await engine.moves.move([id], 'project');
    assert.deepEqual(await figures(), [
      ['project', made, true],
      ['global', none, false],
    ]);
    const places = (await engine.hub.places()).map(it => it.id);
    await engine.hub.transfer([id], { from: places[0]!, to: places[1]!, copies: true });
    assert.deepEqual(await figures(), [
      ['project', made, true],
      ['global', made, true],
    ]);
  });

  it('count what was created, archived and deleted by day and month, from where the last maintenance has counted', async () => {
    const host = maintenanceHost();
    const engine = await host.open();
    const fact = { gate: 'epistemic', decayClass: 'session' } as const;
    const gone = await storeMemory(engine, 'The crane lifts twelve tonnes.', fact);
    await storeMemory(engine, 'The crane is painted yellow.', fact);
    host.advanceDays(40); // Both have faded.
    await engine.maintenance.confirmClock();
    await engine.maintenance.run();
    const counted = (await engine.maintenance.metrics()).stores[0]!.items;
    assert.deepEqual(counted, {
      total: { created: 2, archived: 2, deleted: 0 },
      months: {
        '2026-03': { created: 2, archived: 0, deleted: 0 },
        '2026-04': { created: 0, archived: 2, deleted: 0 },
      },
      days: { '2026-04-11': { created: 0, archived: 2, deleted: 0 } },
    });
    await engine.deletion.purge([gone]);
    await storeMemory(engine, 'The quay opens at six.', fact);
    const { items } = (await engine.maintenance.metrics()).stores[0]!;
    assert.deepEqual(
      [items.total, items.days['2026-04-11']],
      [
        { created: 3, archived: 2, deleted: 1 },
        { created: 1, archived: 2, deleted: 1 },
      ],
    );
    const setRecord = (fields: string): Promise<unknown> =>
      sql(host.globalFile, `UPDATE records SET body = json_set(body, ${fields}) WHERE kind = 'state' AND id = 'items'`);
    await setRecord("'$.total.created', 99");
    assert.equal((await engine.maintenance.metrics()).stores[0]!.items.total.created, 99 + 1);
    // The whole log is counted again where the record is of another one.
    await setRecord("'$.head', '1:other'");
    assert.deepEqual((await engine.maintenance.metrics()).stores[0]!.items.total, items.total);
  });

  it('count the calls of an embedding model that does not run', async () => {
    const host = new TestHost();
    host.settings = { ...defaultConfig, embeddings: writeTinyModel(path.join(temporaryFolder(), 'tiny')) };
    host.bundleDir = path.resolve('no-bundles'); // ONNX Runtime is found from there, and no worker thread to start.
    const engine = await host.open();
    await engine.recall({ query: 'pear' });
    const { embedding, recall } = await engine.maintenance.metrics();
    assert.deepEqual([embedding.calls, embedding.failures, recall.degraded], [1, 1, 1]);
  });
});
