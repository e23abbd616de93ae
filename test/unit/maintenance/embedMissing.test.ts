import assert from 'node:assert/strict';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { EmbeddingProgress } from '../../../src/engine/model/storeReport.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { storeMemory, storeProblems, memoryInput, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { staticConfig } from '../../support/staticConfig.js';
import { sql } from '../../support/sqlite.js';
import { writeTinyModel } from '../../support/tinyModel.js';

/** The next engine of the host has a tiny model of this name; another name is another space. */
function use(host: TestHost, name: string | undefined): TestHost {
  const folder = name && writeTinyModel(path.join(temporaryFolder(), name), { name });
  host.settings = { ...defaultConfig, embeddings: folder ?? 'off' };
  return host;
}

async function reopen(host: TestHost, engine: MemoryEngine, name: string | undefined): Promise<MemoryEngine> {
  await engine.close();
  return use(host, name).open();
}

/** Vectors in the global store, by the name of their model. */
async function vectors(host: TestHost): Promise<Record<string, number>> {
  const rows = await sql(
    host.globalFile,
    'SELECT id, count(row) AS count FROM models LEFT JOIN vectors ON model = number GROUP BY id ORDER BY id',
  );
  return Object.fromEntries(rows.map((it): [string, number] => [(it.id as string).split('@')[0]!, it.count as number]));
}

async function fill(engine: MemoryEngine, count: number): Promise<void> {
  await engine.rememberAll(Array.from({ length: count }, (_, i) => memoryInput(`hammer number ${i}`)));
}

describe('embedding in the background', () => {
  it('hides nothing meanwhile: a word that only one memory has finds it among any number of embedded ones', async () => {
    const host = new TestHost();
    host.settings = { ...defaultConfig, embeddings: 'off' };
    let engine = await host.open();
    const things = 'rope lamp anchor tide gull crate'.split(' ');
    const berth = (code: string, i: number): string =>
      `Berth ${code} of north holds the ${things[i % 6]} and the ${things[Math.floor(i / 6) % 6]}.`;
    await engine.rememberAll([memoryInput(berth('q7lxuzmz', 3)), memoryInput(berth('qxc9hzlk', 8))]);
    await engine.close();
    host.settings = staticConfig;
    engine = await host.open();
    await engine.rememberAll(Array.from({ length: 150 }, (_, i) => memoryInput(berth(`q${i}zk`, i))));
    for (const query of ['q7lxuzmz crate and the rope', 'where is berth qxc9hzlk']) {
      const { hits } = await engine.recall({ query });
      const code = /q\w{7}/u.exec(query)![0];
      assert.ok(hits[0]?.memory.content.includes(code), `${code}: ${hits[0]?.memory.content}`);
    }
  });

  it('embeds every memory, newest first, and reports progress', async () => {
    const host = use(new TestHost({ project: true }), undefined);
    const without = await host.open();
    await fill(without, 70);
    await storeMemory(without, 'an apple', { store: 'project' });
    const engine = await reopen(host, without, 'one');
    assert.match(
      (await engine.recall({ query: 'pear' })).trace.degraded.join(),
      /searched by meaning: 0 of 71 memories;/u,
    );
    const reported: EmbeddingProgress[] = [];
    const first = new AbortController();
    await engine.embedMissing({
      signal: first.signal,
      onProgress: it => {
        reported.push(it);
        if (it.embedded >= 33) first.abort();
      },
    });
    const embedded = await sql(
      host.globalFile,
      'SELECT content FROM memories JOIN vectors USING (row) ORDER BY row LIMIT 1',
    );
    assert.deepEqual(embedded[0]?.content, 'hammer number 38');
    assert.deepEqual(
      reported.map(it => it.embedded),
      [0, 1, 33],
    );
    assert.ok(reported.every(it => it.total === 71));
    assert.deepEqual(await engine.embedMissing(), { embedded: 71, total: 71 });
    const { trace } = await engine.recall({ query: 'pear' });
    assert.deepEqual(trace.degraded, []);
    assert.deepEqual(await storeProblems(engine), []);
    assert.deepEqual(await sql(host.globalFile, "SELECT key FROM meta WHERE key LIKE 'lease:%'"), []);
  });

  it('separates the vectors of different models, and deletes those of a model a month after its last use', async () => {
    const host = use(new TestHost(), 'one');
    const one = await host.open();
    await fill(one, 3);
    await storeMemory(one, 'a pear');
    const two = await reopen(host, one, 'two');
    const asked = await two.recall({ query: 'find hammer' });
    assert.ok(asked.hits.length > 0 && asked.trace.candidates.every(it => it.relevance!.byWords === true));
    assert.match(asked.trace.degraded.join(), /searched by meaning: 0 of 4 memories;/u);
    assert.deepEqual(await two.embedMissing(), { embedded: 4, total: 4 });
    assert.deepEqual(await vectors(host), { one: 4, two: 4 });
    const found = await two.recall({ query: 'find hammer' });
    assert.ok(found.trace.candidates.some(it => it.factors.features.queryText! > 0.5));

    host.advanceDays(29);
    const back = await reopen(host, two, 'one');
    await storeMemory(back, 'an apple');
    assert.deepEqual(await back.embedMissing(), { embedded: 5, total: 5 });
    assert.deepEqual(await vectors(host), { one: 5, two: 4 });
    host.advanceDays(31);
    const later = await reopen(host, back, 'one');
    await later.embedMissing();
    assert.deepEqual(await vectors(host), { one: 5 });
    assert.deepEqual(await storeProblems(later), []);
  });

  it('records the use of the model once a day', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await engine.embedMissing();
    const noted = async (): Promise<unknown> =>
      (await sql(host.globalFile, "SELECT value FROM meta WHERE key LIKE 'modelUsed:%'"))[0]!.value;
    const first = await noted();
    host.advanceDays(1 / 24);
    await engine.embedMissing();
    assert.equal(await noted(), first);
    host.advanceDays(1);
    await engine.embedMissing();
    assert.notEqual(await noted(), first);
  });

  it('runs in one process at a time, and continues after the lease of a dead process has expired', async () => {
    const host = use(new TestHost(), undefined);
    const without = await host.open();
    await fill(without, 3);
    await sql(host.globalFile, `INSERT INTO meta VALUES ('lease:embedding', 'dead ${host.time + 20_000}')`);
    const engine = await reopen(host, without, 'one');
    const stop = new AbortController();
    const stopped = engine.embedMissing({
      signal: stop.signal,
      // Long enough to embed them if the lease were ignored.
      onProgress: () =>
        setTimeout(() => {
          stop.abort();
        }, 200),
    });
    assert.deepEqual(await stopped, { embedded: 0, total: 3 });
    host.time += 21_000;
    assert.deepEqual(await engine.embedMissing(), { embedded: 3, total: 3 });
  });

  it('yields to calls and stops when the engine closes', async () => {
    const host = use(new TestHost(), undefined);
    const without = await host.open();
    await fill(without, 200);
    const engine = await reopen(host, without, 'one');
    const order: string[] = [];
    const working = engine.embedMissing({ onProgress: it => order.push(`${it.embedded}`) });
    await Promise.all(
      Array.from({ length: 5 }, async (_, i) => {
        await engine.recall({ query: `hammer ${i}`, isUntracked: true });
        order.push('answer');
      }),
    );
    const closing = engine.close();
    const { embedded } = await working;
    await closing;
    const first = order.findIndex(it => Number(it) > 0);
    assert.ok(first === -1 || order.slice(0, first).filter(it => it === 'answer').length >= 4, order.join(' '));
    assert.ok(embedded < 200);
    const again = await host.open();
    assert.equal((await again.embedMissing()).embedded, 200);
  });

  it('does nothing without a model and fails when the model cannot run', async () => {
    const host = use(new TestHost(), undefined);
    const engine = await host.open();
    await fill(engine, 2);
    assert.deepEqual(await engine.embedMissing(), { embedded: 0, total: 0 });
    await engine.close();
    await assert.rejects(engine.embedMissing(), { code: 'closed' });
    use(host, 'one').bundleDir = path.resolve('no-bundles'); // ONNX Runtime is found from there, and no thread to start.
    const broken = await host.open();
    await assert.rejects(broken.embedMissing(), { code: 'embedderUnavailable' });
    assert.deepEqual(await sql(host.globalFile, "SELECT key FROM meta WHERE key LIKE 'lease:%'"), []);
  });
});
