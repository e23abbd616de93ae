import assert from 'node:assert/strict';
import { newMemory } from '../support/newMemory.js';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toInt8Vector } from '../../src/engine/base/int8Vector.js';
import { PostgresPool } from '../../src/engine/database/postgres/postgresPool.js';
import { readPostgresSettings, type PostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { StaticModel } from '../../src/engine/embeddings/staticModel.js';
import { SearchWorkerClient } from '../../src/engine/search/worker/searchWorkerClient.js';
import { hashContent } from '../../src/engine/store/contentHash.js';
import { openPostgresStore } from '../../src/engine/store/postgres/openPostgresStore.js';
import { PostgresSearch } from '../../src/engine/store/postgres/postgresSearch.js';
import { VectorTables } from '../../src/engine/store/postgres/vectorTables.js';
import { openSqliteStore } from '../../src/engine/store/sqlite/openSqliteStore.js';
import type { NewMemory, Store, StoredVector, StoreFilter, StoreQuery } from '../../src/engine/store/store.js';
import { weighTerms } from '../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../src/engine/text/questionAnalysis.js';
import { closeAfterTest, TestHost } from '../support/fixtures.js';
import { PgliteServer } from '../support/pgliteServer.js';
import { PostgresServer } from '../support/postgresServer.js';
import { generateTexts } from '../bench/kit/syntheticTexts.js';
import { addressOf, freshName } from './kit.js';

const modelDir = path.resolve('dist/models/built-in');
const builtInModel = StaticModel.open(modelDir);
const model = { id: 'built-in', dimensions: builtInModel.dimensions };
const filter: StoreFilter = { scopeId: '', statuses: ['active', 'archived'], withoutForgotten: true };

function memory(content: string, number: number, rest: Partial<NewMemory> = {}): NewMemory {
  const id = `019a0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
  const fields = { sequence: number, provenance: { source: 'conversation' } as const };
  return newMemory(id, content, '2026-03-01T09:00:00.000Z', { ...fields, ...rest });
}

function vectorOf(content: string): StoredVector {
  return { model: model.id, vector: toInt8Vector(builtInModel.embed(content)) };
}

async function fill(store: Store, memories: readonly NewMemory[]): Promise<void> {
  for (let from = 0; from < memories.length; from += 1_000) {
    const batch = memories.slice(from, from + 1_000);
    await store.write('test', tx =>
      tx.insertMany(
        batch,
        batch.map(it => vectorOf(it.content)),
      ),
    );
  }
}

async function openServerStore(settings: PostgresSettings, connections?: number): Promise<Store> {
  return openStoreOn(await PostgresPool.open(settings, freshName('search'), connections));
}

async function openStoreOn(pool: PostgresPool, rest: { readonly maxFullySearched?: number } = {}): Promise<Store> {
  const host = new TestHost();
  const store = await openPostgresStore('project', pool, {
    now: () => host.now(),
    log: host.log,
    keepCheckpoints: () => 3,
    openBuiltInModel: () => builtInModel,
    deadlineMs: 60_000,
    ...rest,
  });
  closeAfterTest(() => store.close());
  return store;
}

async function openFileStore(): Promise<Store> {
  const host = new TestHost();
  const worker = new SearchWorkerClient(host.bundleDir, { modelDir });
  const store = await openSqliteStore('project', path.join(host.dataDir, 'global'), host, worker);
  closeAfterTest(async () => {
    await store.close();
    await worker.close();
  });
  return store;
}

function questionOf(query: string): StoreQuery {
  const question = analyzeQuestion(query);
  return { question, terms: weighTerms(question, {}), model, meaning: { texts: [question.text] } };
}

async function foundIn(store: Store, query: string, rest: Partial<StoreFilter> = {}): Promise<readonly string[]> {
  const { hits } = await store.search(questionOf(query), { ...filter, ...rest }, 60);
  return hits.map(it => it.memory.content);
}

/** The result without what differs by chance, with features rounded. */
async function resultOf(store: Store, query: string): Promise<unknown> {
  const { hits, embedding, candidatesBy, revision, ...rest } = await store.search(questionOf(query), filter, 60);
  assert.ok(embedding !== undefined && 'ms' in embedding);
  assert.ok(revision > 0 && (candidatesBy === undefined || candidatesBy.startsWith('words')));
  const round = (it: number): number => Math.round(it * 1e4) / 1e4;
  return {
    ...rest,
    hits: hits.map(({ nearness, ...it }) => ({
      ...it,
      nearness: nearness && round(nearness.question),
      vector: it.vector && [...it.vector],
    })),
  };
}

const notes = [
  'The payments service runs on port 8443.',
  'The service takes payments in euros.',
  'Ship the payments beta on windows.',
  'Always write commit messages in English.',
  'Whenever I ask for a summary, keep it to three lines.',
  'The staging database is backed up at midnight.',
  'Backups of production are kept for thirty days.',
  'Anna prefers tabs over spaces.',
  'The deploy script lives in tools/deploy.sh and needs getUserById.',
  'Feature flags are read from LaunchDarkly.',
];
const questions = [
  'Which port does the payments service use?',
  'How long do we keep backups?',
  'where is the deploy script',
  'what does Anna prefer',
  'summary of payments',
  'kubernetes ingress',
];

describe('a search on a PostgreSQL server', () => {
  let server: PostgresServer;
  let settings: PostgresSettings;

  before(async () => {
    server = await PostgresServer.start();
    settings = (await readPostgresSettings(addressOf(server, 'admin', 'admin'), {}))!;
  });
  after(() => server.stop());

  it('scores the memories of a small store exactly as the index of a file does', async () => {
    const memories = notes.map((it, i) => memory(it, i + 1, i === 5 ? { tags: ['backup', 'nightly run'] } : {}));
    const stores = [await openFileStore(), await openServerStore(settings)];
    for (const store of stores) {
      await fill(store, memories);
      await store.write('test', async tx => {
        await tx.setAids(memories[6]!.id, { questions: ['How long is data retained?'], keywords: ['retention'] });
        await tx.link([
          { source: memories[1]!.id, target: memories[0]!.id, type: 'contradicts', strength: 0.7, reason: 'So.' },
        ]);
      });
    }
    for (const it of [...questions, 'data retention', 'nightly run'])
      assert.deepEqual(await resultOf(stores[1]!, it), await resultOf(stores[0]!, it), it);
  });

  it('scores the turns of a conversation as the index of a file does', async () => {
    const turns = Array.from({ length: 40 }, (_, i) =>
      memory(
        i % 2 === 0
          ? `Ada: Did you see number ${String(i)} of the birds at the lake?`
          : `Ben: Yes, the ${['heron', 'swan', 'duck', 'coot'][(i >> 1) % 4]!} number ${String(i)} came at noon.`,
        i + 1,
        { provenance: { source: 'conversation', session: `talk${String(i >> 4)}` } },
      ),
    );
    const stores = [await openFileStore(), await openServerStore(settings)];
    for (const store of stores) await fill(store, turns);
    for (const it of ['What did Ben see at noon?', 'heron number 17', 'Who saw the swan?'])
      assert.deepEqual(await resultOf(stores[1]!, it), await resultOf(stores[0]!, it), it);
  });

  it('filters by phrases, excluded words and the fields of a memory', async () => {
    const store = await openServerStore(settings);
    await fill(
      store,
      notes.slice(0, 3).map((it, i) => memory(it, i + 1, { tags: i === 0 ? ['Ports'] : [], pinned: i === 1 })),
    );
    const sorted = async (query: string, rest: Partial<StoreFilter> = {}): Promise<readonly number[]> =>
      (await foundIn(store, query, rest)).map(it => notes.indexOf(it)).sort();
    assert.deepEqual(await sorted('"payments service"'), [0]);
    assert.deepEqual(await sorted('"service payments"'), []);
    assert.deepEqual(await sorted('"the service"'), [1]);
    assert.deepEqual(await sorted('payments -beta -euros'), [0]);
    assert.deepEqual(await sorted('payments', { tags: ['Ports'] }), [0]);
    assert.deepEqual(await sorted('payments', { pinned: true }), [1]);
    assert.deepEqual(await sorted('payments', { containing: 'WINDOWS.' }), [2]);
    assert.deepEqual(await sorted('payments', { containing: 'a.b*c' }), []);
    assert.deepEqual(await sorted('payments', { scopeId: 'other' }), []);
    assert.deepEqual(await sorted('payments', { exceptIds: [memory('', 1).id, memory('', 2).id] }), [2]);
  });

  it('finds what has the rare words of a question in a large store, as the index of a file does', async () => {
    const { texts } = generateTexts(3_000, 0);
    const memories = [...texts, ...notes].map((it, i) => memory(it, i + 1));
    const stores = [await openFileStore(), await openServerStore(settings)];
    for (const store of stores) await fill(store, memories);
    for (const it of questions.slice(0, 4)) {
      const [inFile, onServer] = await Promise.all(stores.map(store => foundIn(store, it)));
      assert.equal(onServer![0], inFile![0], it);
    }
  });

  it('finds in a large store what the index of a file finds, though it looks at a part of it', async () => {
    const { texts, queries } = generateTexts(6_000, 30);
    const memories = texts.map((it, i) => memory(it, i + 1));
    const pool = await PostgresPool.open(settings, freshName('search'));
    const stores = [await openFileStore(), await openStoreOn(pool, { maxFullySearched: 1_000 })];
    for (const store of stores) await fill(store, memories);
    let same = 0;
    for (const it of queries) {
      const [inFile, onServer] = await Promise.all(stores.map(store => foundIn(store, it)));
      if (inFile!.slice(0, 10).join() === onServer!.slice(0, 10).join()) same++;
    }
    assert.ok(same >= queries.length - 1, `${same} of ${queries.length}`);
  });

  it('finds by meaning what shares no word with the question, also what was written or changed since', async () => {
    const store = await openServerStore(settings);
    const { texts } = generateTexts(600, 0);
    const [dumps, ferry, flights] = [
      'Postgres dumps are stored every night.',
      'The ferry leaves.',
      'Planes land late.',
    ];
    // The first of many: it is not found for being new.
    await fill(
      store,
      [dumps, ferry, ...texts].map((it, i) => memory(it, i + 1)),
    );
    const question = 'nightly database backups';
    const { hits, candidatesBy } = await store.search(questionOf(question), filter, 60);
    assert.deepEqual([hits[0]?.memory.content, candidatesBy], [dumps, 'wordsAndMeaning']);
    await store.write('test', tx => tx.delete(hits[0]!.memory.id, 'prune'));
    assert.ok(!(await foundIn(store, question)).includes(dumps));
    await store.saveVectors(new Map([[memory('', 2).id, vectorOf(dumps)]]));
    await fill(
      store,
      [flights, ...generateTexts(1_000, 0).texts.slice(600)].map((it, i) => memory(it, 1_000 + i)),
    );
    assert.ok((await foundIn(store, question)).includes(ferry), 'its vector is another one');
    assert.ok((await foundIn(store, 'aircraft at the airport')).includes(flights));
  });

  it('says that the server does not answer, within its deadline', async () => {
    const never = new Promise<never>(() => undefined);
    const sql = { all: () => never, get: () => never, run: () => never, exec: () => never };
    const { log } = new TestHost();
    const search = new PostgresSearch('project', sql, { log, openBuiltInModel: () => undefined, deadlineMs: 50 });
    const { hits, lexicalOnlyReason } = await search.search(questionOf(questions[0]!), filter, 60);
    assert.deepEqual([hits, lexicalOnlyReason], [[], 'unreachable']);
  });

  it('says that the server is away', async () => {
    const own = await PostgresServer.start();
    try {
      const store = await openServerStore((await readPostgresSettings(addressOf(own, 'admin', 'admin'), {}))!);
      await fill(store, [memory(notes[0]!, 1)]);
      assert.equal((await foundIn(store, 'payments')).length, 1);
      await own.halt();
      const { hits, lexicalOnlyReason } = await store.search(questionOf('payments'), filter, 60);
      assert.deepEqual([hits, lexicalOnlyReason], [[], 'unreachable']);
    } finally {
      await own.stop();
    }
  });

  it('compares new facts with stored ones and with each other, as for a file', async () => {
    const stored = [...notes, 'The staging server runs in Frankfurt.', 'The timeout of the gateway is 30 seconds.'];
    const facts = [
      'The payments service runs on port 9443.',
      'The timeout of the gateway is 60 seconds.',
      'The staging server runs in Dublin.',
      'The staging server runs in Paris.',
      'Anna prefers spaces over tabs.',
    ].map((content, i) => ({
      id: `fact${String(i)}`,
      content,
      contentHash: hashContent(content),
      assertedAt: '2026-03-02T09:00:00.000Z',
      scopeId: '',
      vector: undefined,
    }));
    for (const embeds of [true, false]) {
      const results = [];
      for (const store of [await openFileStore(), await openServerStore(settings)]) {
        await fill(
          store,
          stored.map((it, i) => memory(it, i + 1)),
        );
        const session = store.openComparison(model, { relatedCosine: 0.6, embeds });
        const first = await session.add(facts.slice(0, 3), false);
        const second = await session.add(facts.slice(3), true);
        session.end();
        const related = [...first.relatedMemories, ...second.relatedMemories];
        results.push({
          related: related.map(list => list.map(it => ({ ...it, similarity: it.similarity.toFixed(4) }))),
          vectors: [...first.vectors, ...second.vectors].map(it => it && [...it]),
        });
        assert.ok(related.every(list => list.length > 0));
      }
      assert.deepEqual(results[1], results[0]);
    }
  });
});

describe('a search in PGlite, a server with pgvector', () => {
  let server: PgliteServer;
  before(async () => {
    server = await PgliteServer.start();
  });
  after(() => server.stop());

  it('finds by meaning what shares no word with the question', async () => {
    const store = await openServerStore(server.settings, 1);
    assert.deepEqual(await foundIn(store, 'backups'), []);
    const { texts } = generateTexts(150, 0);
    const wanted = 'Postgres dumps are stored every night.';
    // The first of many: it is not found for being new.
    await fill(
      store,
      [wanted, ...texts].map((it, i) => memory(it, i + 1)),
    );
    const { hits, candidatesBy } = await store.search(questionOf('nightly database backups'), filter, 60);
    assert.equal(candidatesBy, 'wordsAndMeaning');
    assert.equal(hits[0]?.memory.content, wanted);
    await store.write('test', tx => tx.delete(hits[0]!.memory.id, 'prune'));
    assert.ok(!(await foundIn(store, 'nightly database backups')).includes(wanted));
  });

  it('adds vectors that were saved before the server had the extension', async () => {
    const pool = await PostgresPool.open(server.settings, freshName('search'), 1);
    const store = await openStoreOn(pool);
    const { texts } = generateTexts(100, 0);
    await fill(
      store,
      ['Postgres dumps are stored every night.', ...texts].map((it, i) => memory(it, i + 1)),
    );
    const tables = new VectorTables(pool.read, new TestHost().log);
    assert.equal(await tables.find(model), undefined);
    while ((await tables.find(model)) === undefined) await pause(20);
    assert.equal((await foundIn(store, 'nightly database backups'))[0], 'Postgres dumps are stored every night.');
  });
});
