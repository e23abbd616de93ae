import assert from 'node:assert/strict';
import path from 'node:path';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import type { CallTracker } from '../../../src/engine/store/callTracker.js';
import type { Context } from '../../../src/engine/context.js';
import type { Database } from '../../../src/engine/database/database.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { answerJson, EmbeddingServer } from '../../support/embeddingServer.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';
import { writeTinyModel } from '../../support/tinyModel.js';
import { maintenanceHost } from './maintenanceHost.js';

const note = { gate: 'epistemic', decayClass: 'durable', lane: 'note' } as const;

/** Kinds, stores and texts of the alerts. */
async function alertsOf(engine: MemoryEngine): Promise<readonly string[]> {
  return (await engine.maintenance.alerts()).map(it => `${it.kind} ${it.store ?? '-'} ${String(it.text)}`);
}

async function kindsOf(engine: MemoryEngine): Promise<readonly string[]> {
  return (await engine.maintenance.alerts()).map(it => it.kind);
}

describe('alerts', () => {
  it('are none where all is well', async () => {
    const engine = await maintenanceHost().open();
    await storeMemory(engine, 'The crane lifts twelve tonnes.', note);
    await engine.maintenance.run();
    assert.deepEqual(await alertsOf(engine), []);
    assert.deepEqual((await engine.maintenance.metrics()).alerts, []);
  });

  it('name a tier over its quota until maintenance has made room', async () => {
    const quotas = { ...defaultConfig.maintenance.quotas, 'short-term': 1_024, 'long-term': 2_048, permanent: 1_024 };
    const engine = await maintenanceHost({ quotas }).open();
    for (let i = 0; i < 40; i++)
      await storeMemory(engine, `Crane ${i} lifts ${i + 2} tonnes of the heaviest load that the quay has seen.`, note);
    const [alert, ...others] = await alertsOf(engine);
    assert.match(alert!, /^overQuota global Over the quota: long-term memories, [34] of 2 KB\. Run maintenance/u);
    assert.deepEqual(others, []);
    const [metric] = (await engine.maintenance.metrics()).alerts;
    assert.deepEqual([metric!.kind, metric!.store, `overQuota global ${metric!.text}`], ['overQuota', 'global', alert]);
    await engine.maintenance.run();
    assert.deepEqual((await kindsOf(engine)).includes('overQuota'), false);
  });

  it('name permanent memories over their quota with another step: maintenance never archives them', async () => {
    const engine = await maintenanceHost({ quotas: { ...defaultConfig.maintenance.quotas, permanent: 10 } }).open();
    await engine.pin(await storeMemory(engine, 'The crane lifts twelve tonnes.', note));
    assert.match((await alertsOf(engine))[0]!, /^overQuota global .*permanent memories, 1 of 0 KB\. Unpin/u);
  });

  it('name a run that removed much until a person has seen it, in every program', async () => {
    const host = maintenanceHost();
    const engine = await host.open();
    for (let i = 0; i < 30; i++)
      await storeMemory(engine, `Crane ${i} lifts ${i + 2} tonnes.`, { ...note, decayClass: 'session' });
    host.advanceDays(25);
    await engine.maintenance.run();
    const text =
      'manyRemoved global Maintenance on 2026-03-27 forgot 30 memories and deleted 0 for good. Look at what went; what was forgotten can be restored.';
    assert.deepEqual(await alertsOf(engine), [text]);
    const other = await host.open();
    assert.deepEqual(await alertsOf(other), [text]);
    await other.maintenance.confirmAlerts();
    assert.deepEqual([await alertsOf(engine), await alertsOf(other)], [[], []]);
  });

  it('do not name a run that was undone, or that removed little', async () => {
    const host = maintenanceHost();
    const engine = await host.open();
    for (let i = 0; i < 19; i++)
      await storeMemory(engine, `Crane ${i} lifts ${i + 2} tonnes.`, { ...note, decayClass: 'session' });
    host.advanceDays(25);
    await engine.maintenance.run();
    assert.deepEqual(await alertsOf(engine), []);
    for (let i = 0; i < 20; i++)
      await storeMemory(engine, `Quay ${i} opens at ${i} o'clock sharp.`, { ...note, decayClass: 'session' });
    host.advanceDays(25);
    const [run] = await engine.maintenance.run();
    assert.deepEqual([run!.counts.faded + run!.counts.expired, await kindsOf(engine)], [20, ['manyRemoved']]);
    await engine.maintenance.undo(run!.id);
    assert.deepEqual(await alertsOf(engine), []);
  });

  it('name a change that could not be written until one can be, and call listeners for the first', async () => {
    const engine = await maintenanceHost().open();
    let events = 0;
    engine.onDidChange(() => events++);
    const { calls } = engine as unknown as { readonly calls: CallTracker };
    const fail = (code: EngineErrorCode): Promise<void> =>
      assert.rejects(calls.change(() => Promise.reject(new EngineError(code, 'The disk is full.'))));
    await fail('invalidInput');
    assert.deepEqual([await alertsOf(engine), events], [[], 0]);
    await fail('storeFull');
    await fail('storeFull');
    assert.deepEqual(await alertsOf(engine), ['writeFailed - The last change was not stored. The disk is full.']);
    assert.equal(events, 1);
    await storeMemory(engine, 'The crane lifts twelve tonnes.', note);
    assert.deepEqual(await alertsOf(engine), []);
  });

  it('name a store that is full, until there is room again', async () => {
    const engine = await maintenanceHost().open();
    await storeMemory(engine, 'The crane lifts twelve tonnes.', note);
    const { stores } = (engine as unknown as { readonly ctx: Context }).ctx;
    const { database } = stores[0]!.store as unknown as { readonly database: Database };
    // SQLite's own limit of pages fails like a full disk, on every system; a limit below the size means no growth.
    await database.execOutsideTransaction('PRAGMA max_page_count = 1');
    const long = Array.from({ length: 200 }, (_, i) => `Crane ${i} lifts ${i + 2} tonnes.`).join(' ');
    await assert.rejects(storeMemory(engine, long, note), (error: unknown) => EngineError.is(error, 'storeFull'));
    assert.match((await alertsOf(engine)).join(), /^writeFailed - The last change was not stored\. .*full/u);
    await database.execOutsideTransaction('PRAGMA max_page_count = 1000000');
    await storeMemory(engine, long, note);
    assert.deepEqual(await alertsOf(engine), []);
  });

  it('name a scheduled maintenance that failed until one succeeds', async () => {
    const host = maintenanceHost();
    const engine = await host.open();
    await storeMemory(engine, 'The crane lifts twelve tonnes.', note);
    await engine.maintenance.runIfDue();
    host.advanceDays(10);
    await sql(host.globalFile, 'ALTER TABLE records RENAME TO elsewhere');
    await assert.rejects(engine.maintenance.runIfDue());
    await sql(host.globalFile, 'ALTER TABLE elsewhere RENAME TO records');
    assert.match((await alertsOf(engine))[0]!, /^maintenanceFailed - The last maintenance failed\. \S/u);
    await engine.maintenance.runIfDue();
    assert.deepEqual(await alertsOf(engine), []);
  });

  it('name an embedding model that does not run', async () => {
    const host = new TestHost();
    host.settings = { ...defaultConfig, embeddings: writeTinyModel(path.join(temporaryFolder(), 'tiny')) };
    host.bundleDir = path.resolve('no-bundles');
    const engine = await host.open();
    assert.deepEqual(await alertsOf(engine), []);
    await engine.recall({ query: 'pear' });
    assert.match((await alertsOf(engine))[0]!, /^embeddingFailed - The embedding model \S+ does not run/u);
  });

  describe('of an embedding endpoint', () => {
    const server = new EmbeddingServer();
    before(() => server.start());
    after(() => server.stop());
    afterEach(() => {
      server.respond = undefined;
    });

    async function open(dailyTokens: number): Promise<{ readonly engine: MemoryEngine; readonly host: TestHost }> {
      const host = new TestHost();
      const embeddingEndpoint = { address: `${server.url}/v1`, model: 'tiny', dimensions: 0, dailyTokens };
      host.settings = { ...defaultConfig, embeddings: 'endpoint', embeddingEndpoint };
      return { engine: await host.open(), host };
    }

    it('say that it fails, with the next step, until it is to be asked again', async () => {
      const { engine } = await open(1_000_000);
      assert.deepEqual(await alertsOf(engine), [], 'it was not asked yet');
      await engine.embeddingEndpoint!.check();
      const fail = (seconds: string): void => {
        server.respond = response => {
          answerJson(response, 503, {}, { 'retry-after': seconds });
        };
      };
      fail('3600');
      await engine.recall({ query: 'pear' });
      const [alert, ...others] = await alertsOf(engine);
      assert.match(alert!, /^embeddingFailed - The embedding endpoint gives no vectors now.* asked again by itself/u);
      assert.deepEqual(others, []);
      server.respond = undefined;
      await engine.embeddingEndpoint!.check();
      assert.deepEqual(await alertsOf(engine), []);
      fail('0.01');
      assert.equal((await engine.recall({ query: 'plum' })).trace.degraded.length, 1);
      while (engine.embeddingEndpoint!.retryDelayMs !== 0) await new Promise(resolve => setTimeout(resolve, 5));
      assert.deepEqual(await alertsOf(engine), []);
    });

    it('say that its tokens of the day are used up, until it has more', async () => {
      const { engine, host } = await open(1_000_000);
      await engine.embeddingEndpoint!.check();
      const allow = (dailyTokens: number): void => {
        const { embeddingEndpoint } = host.settings;
        host.settings = { ...host.settings, embeddingEndpoint: { ...embeddingEndpoint, dailyTokens } };
      };
      allow(1);
      await engine.recall({ query: 'pear' });
      assert.match((await alertsOf(engine)).join(), /^embeddingFailed - The embedding endpoint has used its tokens/u);
      allow(1_000_000);
      assert.deepEqual(await alertsOf(engine), []);
    });
  });
});
