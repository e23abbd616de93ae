import assert from 'node:assert/strict';
import { defaultConfig, type Config } from '../../../src/engine/model/config.js';
import { answerJson, EmbeddingServer } from '../../support/embeddingServer.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

const servers: EmbeddingServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(it => it.stop()));
});

async function setUp(settings: Partial<Config['embeddingEndpoint']> = {}): Promise<{
  readonly server: EmbeddingServer;
  readonly host: TestHost;
}> {
  const server = new EmbeddingServer();
  servers.push(server);
  await server.start();
  server.synonyms = [['hammer', 'mallet', 'sledge']];
  const host = new TestHost();
  use(host, { address: `${server.url}/v1`, model: 'tiny', ...settings });
  return { server, host };
}

function use(host: TestHost, settings: Partial<Config['embeddingEndpoint']>): void {
  const { embeddingEndpoint } = host.settings;
  host.settings = {
    ...defaultConfig,
    embeddings: 'endpoint',
    embeddingEndpoint: { ...embeddingEndpoint, ...settings },
  };
}

/** Vectors in the global store, by the name of their model. */
async function vectors(host: TestHost): Promise<Record<string, number>> {
  const rows = await sql(
    host.globalFile,
    'SELECT id, count(row) AS count FROM models LEFT JOIN vectors ON model = number GROUP BY id ORDER BY id',
  );
  return Object.fromEntries(rows.map((it): [string, number] => [(it.id as string).split('@')[0]!, it.count as number]));
}

describe('a memory with an embedding endpoint', () => {
  for (const dimensions of [768, 1_024]) {
    it(`finds by meaning with ${dimensions} dimensions`, async () => {
      const { server, host } = await setUp();
      server.dimensions = dimensions;
      const engine = await host.open();
      await storeMemory(engine, 'The blue mallet hangs over the bench.');
      for (const it of ['rope', 'lamp', 'anchor', 'tide', 'gull'])
        await storeMemory(engine, `The ${it} lies in the shed.`);
      const { hits, trace } = await engine.recall({ query: 'sledge' });
      assert.deepEqual([hits[0]?.memory.content, trace.degraded], ['The blue mallet hangs over the bench.', []]);
      assert.deepEqual(await vectors(host), { tiny: 6 });
      assert.deepEqual(await storeProblems(engine), []);
    });
  }

  it('answers by words while the endpoint fails, and makes the vectors later', async () => {
    const { server, host } = await setUp();
    const engine = await host.open();
    await storeMemory(engine, 'The rope lies in the shed.');
    await engine.embedMissing();
    server.respond = response => {
      answerJson(response, 503, {}, { 'retry-after': '1' });
    };
    await storeMemory(engine, 'The blue mallet hangs over the bench.');
    const { hits, trace } = await engine.recall({ query: 'blue mallet' });
    assert.equal(hits[0]?.memory.content, 'The blue mallet hangs over the bench.');
    assert.deepEqual(trace.degraded, ['the embedding endpoint gives no vectors now: searched by words alone']);
    assert.deepEqual(await vectors(host), { tiny: 1 });
    server.respond = undefined;
    while ((await vectors(host)).tiny !== 2) await new Promise(resolve => setTimeout(resolve, 50));
    const found = await engine.recall({ query: 'sledge' });
    assert.equal(found.hits[0]?.memory.content, 'The blue mallet hangs over the bench.');
  });

  it('waits for an endpoint that is not there yet, and embeds what there is', async () => {
    const { server, host } = await setUp();
    server.respond = response => {
      answerJson(response, 500, {}, { 'retry-after': '1' });
    };
    const engine = await host.open();
    await storeMemory(engine, 'The rope lies in the shed.');
    await assert.rejects(engine.embeddingEndpoint!.check(), /it answered 500/u);
    const embedding = engine.embedMissing();
    server.respond = undefined;
    assert.deepEqual(await embedding, { embedded: 1, total: 1 });
  });

  it('asks a failing endpoint in one run, however often it fails and it is called', async () => {
    const { server, host } = await setUp();
    const engine = await host.open();
    const { calls } = engine as unknown as { readonly calls: { readonly backgroundWork: ReadonlySet<unknown> } };
    await engine.embeddingEndpoint!.check();
    const runs: number[] = [];
    server.respond = response => {
      runs.push(calls.backgroundWork.size);
      if (runs.length > 4) return false;
      answerJson(response, 503, {}, { 'retry-after': '0.1' });
      return true;
    };
    await storeMemory(engine, 'The rope lies in the shed.');
    const progress: number[] = [];
    const embedding = [1, 2, 3].map(() => engine.embedMissing({ onProgress: it => progress.push(it.embedded) }));
    while (runs.length < 4) await new Promise(resolve => setTimeout(resolve, 20));
    embedding.push(engine.embedMissing({ onProgress: it => progress.push(it.embedded) }));
    assert.deepEqual(await Promise.all(embedding), Array(4).fill({ embedded: 1, total: 1 }));
    assert.deepEqual(runs, [0, 1, 1, 1, 1]);
    assert.equal(progress.at(-1), 1);
  });

  it('asks at once after a person measured the model again, although a run was waiting', async () => {
    const { server, host } = await setUp();
    const engine = await host.open();
    server.respond = response => {
      answerJson(response, 404, {});
    };
    await storeMemory(engine, 'The rope lies in the shed.');
    const embedding = engine.embedMissing();
    server.respond = undefined;
    await engine.embeddingEndpoint!.check();
    await engine.embedMissing();
    assert.deepEqual(await embedding, { embedded: 1, total: 1 });
  });

  it('embeds again after a change of the model or its dimensions', async () => {
    const { server, host } = await setUp();
    for (const [model, dimensions] of [
      ['tiny', 0],
      ['other', 0],
      ['other', 128],
    ] as const) {
      use(host, { model, dimensions });
      server.dimensions = dimensions === 0 ? 96 : dimensions;
      const engine = await host.open();
      if (model === 'tiny') await storeMemory(engine, 'The rope lies in the shed.');
      assert.deepEqual(await engine.embedMissing(), { embedded: 1, total: 1 });
      await engine.close();
    }
    const rows = await sql(host.globalFile, 'SELECT length(vector) AS bytes FROM vectors ORDER BY bytes');
    assert.deepEqual(
      rows.map(it => it.bytes),
      [96, 96, 128],
    );
  });

  it('says what is missing in the settings, and is found by words', async () => {
    const { host } = await setUp({ model: '' });
    const engine = await host.open();
    await storeMemory(engine, 'The rope lies in the shed.');
    assert.match(String(engine.notices), /No embedding endpoint is named.*embeddingEndpoint\.model/u);
    assert.equal((await engine.recall({ query: 'rope' })).hits.length, 1);
  });

  it('sends nothing to another machine that no person has allowed', async () => {
    const { host } = await setUp({ address: 'https://embeddings.example/v1' });
    const fetchBefore = globalThis.fetch;
    const sent: unknown[] = [];
    globalThis.fetch = (...args) => {
      sent.push(args);
      return Promise.reject(new Error('no network in this test'));
    };
    try {
      const engine = await host.open();
      await storeMemory(engine, 'The rope lies in the shed.');
      const { trace } = await engine.recall({ query: 'rope' });
      assert.deepEqual(await engine.embedMissing(), { embedded: 0, total: 0 });
      assert.deepEqual(trace.degraded, ['no text may be sent to the embedding endpoint yet: searched by words alone']);
      assert.match(String(engine.notices), /^No text is sent to https:\/\/embeddings\.example before you allow it/u);
      assert.deepEqual(sent, []);
      await engine.embeddingEndpoint!.setAllowed(true);
      await assert.rejects(engine.embeddingEndpoint!.check(), /cannot be reached/u);
      assert.equal(sent.length, 1);
      assert.deepEqual(engine.notices, []);
      const [entry] = await sql(host.globalFile, "SELECT detail FROM audit WHERE action = 'consent'");
      assert.match(entry!.detail as string, /https:\/\/embeddings\.example\/v1\/embeddings/u);
    } finally {
      globalThis.fetch = fetchBefore;
    }
  });
});
