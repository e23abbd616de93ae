import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import { runEngineProcess } from '../../support/spawnEngineProcess.js';
import { storeMemory, memoryInput, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

const texts = [
  'The payments service runs on port 8443.',
  'The service takes payments in euros.',
  'Ship the payments beta on windows.',
];

/** The answer as the numbers of the texts, in ascending order: what is found, not how it is ranked. */
async function found(engine: MemoryEngine, input: RecallInput): Promise<number[]> {
  const { hits } = await engine.recall(input);
  return hits.map(it => texts.indexOf(it.memory.content)).sort();
}

async function filled(host: TestHost): Promise<MemoryEngine> {
  const engine = await host.open();
  for (const it of texts) await storeMemory(engine, it);
  return engine;
}

function withoutModel(): TestHost {
  const host = new TestHost();
  host.settings = { ...defaultConfig, embeddings: 'off' };
  return host;
}

describe('a search', () => {
  const table: readonly (readonly [query: string, expected: readonly number[]])[] = [
    ['payments', [0, 1, 2]],
    ['"payments service"', [0]],
    ['"service payments"', []],
    ['"the service"', [1]],
    ['port "payments"', [0, 1, 2]],
    ['payments -beta', [0, 1]],
    ['payments -beta -euros', [0]],
    ['"payments" -port -windows', [1]],
    ['-payments service', []],
    ['-beta', []],
  ];
  for (const [query, expected] of table) {
    it(`for ${query}, in the index and without it`, async () => {
      const engine = await filled(withoutModel());
      assert.deepEqual(await found(engine, { query }), expected);
      // Superseded memories are not in the index: asking for them too is answered by SQL.
      assert.deepEqual(await found(engine, { query, statuses: ['active', 'archived', 'superseded'] }), expected);
    });
  }

  it('finds a superseded memory on request and reports its status', async () => {
    const host = withoutModel();
    const engine = await filled(host);
    const id = await storeMemory(engine, 'The old payments port was 80.', { kind: 'code' });
    await sql(host.globalFile, `UPDATE memories SET status = 'superseded' WHERE id = '${id}'`);
    const { hits, trace } = await engine.recall({ query: 'payments port', statuses: ['superseded'] });
    assert.deepEqual(
      hits.map(it => it.memory.id),
      [id],
    );
    assert.deepEqual(trace.degraded, [
      'embeddings are off: searched by words alone',
      'superseded memories are not in the search index: searched by words alone',
    ]);
  });

  it('falls back to lexical search when the search worker cannot run, and reports it', async () => {
    const host = new TestHost();
    host.settings = { ...defaultConfig, embeddings: 'off' };
    host.bundleDir = temporaryFolder();
    writeFileSync(path.join(host.bundleDir, 'searchWorker.js'), "throw new Error('broken on purpose');");
    const engine = await filled(host);
    for (let asked = 0; asked < 2; asked++) {
      const { hits, trace } = await engine.recall({ query: 'payments port' });
      assert.equal(hits[0]?.memory.content, texts[0]);
      assert.deepEqual(trace.degraded.slice(1), ['the search index does not run: searched by words alone']);
    }
    assert.ok(host.logLines.some(it => it.includes('broken on purpose') || it.includes('search index')));
    assert.ok(host.logLines.every(it => !it.includes('payments')));
  });

  it('falls back to lexical search when the model cannot run, and reports it', async () => {
    const host = new TestHost();
    host.modelsDir = temporaryFolder();
    const broken = path.join(host.modelsDir, 'built-in');
    mkdirSync(broken);
    // Cut off after the header.
    const file = readFileSync(path.resolve('dist/models/built-in/model.bin'));
    writeFileSync(path.join(broken, 'model.bin'), file.subarray(0, 64_000));
    const engine = await filled(host);
    const { hits, trace } = await engine.recall({ query: 'payments port' });
    assert.equal(hits[0]?.memory.content, texts[0]);
    assert.deepEqual(trace.degraded, ['the embedding model does not run: searched by words alone']);
  });

  it('reflects writes, changes and deletions of another process', async () => {
    const host = new TestHost();
    const engine = await filled(host);
    assert.deepEqual(await found(engine, { query: 'euros' }), [1]);
    const [kept] = (await engine.recall({ query: 'euros' })).hits;
    const answers = await runEngineProcess({
      dataDir: host.dataDir,
      calls: [
        ['remember', memoryInput('The fee is three euros.')],
        ['forget', kept!.memory.id],
      ],
    });
    assert.deepEqual(
      answers.filter(it => it.error !== undefined),
      [],
    );
    const { hits } = await engine.recall({ query: 'euros' });
    assert.deepEqual(
      hits.map(it => it.memory.content),
      ['The fee is three euros.'],
    );
    assert.equal(hits[0]?.memory.provenance.client, 'child');
  });
});
