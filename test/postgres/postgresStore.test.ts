import assert from 'node:assert/strict';
import { newMemory } from '../support/newMemory.js';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { EngineError } from '../../src/engine/base/errors.js';
import { PostgresConnection } from '../../src/engine/database/postgres/postgresConnection.js';
import { PostgresPool } from '../../src/engine/database/postgres/postgresPool.js';
import type { PostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { shortId } from '../../src/engine/model/memory.js';
import { hashContent } from '../../src/engine/store/contentHash.js';
import { openPostgresStore } from '../../src/engine/store/postgres/openPostgresStore.js';
import { postgresStoreChannel } from '../../src/engine/store/postgres/postgresWriter.js';
import type { NewMemory, Store } from '../../src/engine/store/store.js';
import { closeAfterTest, TestHost } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { freshName } from './kit.js';

const ferry = 'The ferry leaves Bergen at noon.';
const shop = 'We deploy the shop with Kubernetes.';

/** Files below a folder that hold a text. */
function filesWith(folder: string, text: string): readonly string[] {
  try {
    return execFileSync('grep', ['-rlaF', text, folder], { encoding: 'utf8' })
      .split('\n')
      .filter(it => it !== '');
  } catch {
    return []; // grep found nothing.
  }
}

describe('a store on a PostgreSQL server', () => {
  let server: PostgresServer;
  let host: TestHost;
  let schema: string;
  before(async () => {
    server = await PostgresServer.start();
    await server.asAdmin("CREATE ROLE owner LOGIN PASSWORD 'owner'; GRANT CREATE ON DATABASE team TO owner");
    await server.asAdmin("CREATE ROLE guest LOGIN PASSWORD 'guest'");
  });
  after(() => server.stop());
  beforeEach(() => {
    host = new TestHost();
    schema = freshName('Store ');
  });

  function settings(login: string): PostgresSettings {
    return { host: '127.0.0.1', port: server.port, database: 'team', user: login, password: login, tls: false };
  }

  async function open(login = 'owner'): Promise<Store> {
    const store = await openPostgresStore('project', await PostgresPool.open(settings(login), schema), {
      now: () => host.now(),
      log: host.log,
      keepCheckpoints: () => 2,
      openBuiltInModel: () => undefined,
    });
    closeAfterTest(() => store.close());
    return store;
  }

  let number = 0;
  function memory(content: string, rest: Partial<NewMemory> = {}): NewMemory {
    const at = host.now().toISOString();
    number++;
    return newMemory(`01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`, content, at, rest);
  }

  async function keep(store: Store, content: string, rest: Partial<NewMemory> = {}): Promise<string> {
    const stored = memory(content, rest);
    host.time += 1_000;
    await store.write('test', tx => tx.insertMany([stored]));
    return stored.id;
  }

  const rows = (sql: string): ReturnType<PostgresServer['asAdmin']> =>
    server.asAdmin(sql.replaceAll('$schema', `"${schema}"`));

  async function rejects(work: Promise<unknown>): Promise<readonly [code: string, message: string]> {
    let failure: unknown;
    await work.catch((error: unknown) => (failure = error));
    assert.ok(EngineError.is(failure), String(failure));
    return [failure.code, failure.message];
  }

  it('makes its schema once, in whichever program opens it first, and keeps what is in it', async () => {
    const stores = await Promise.all([open(), open(), open()]);
    await keep(stores[0], ferry);
    const again = await open();
    assert.deepEqual(
      (await again.list({ scopeId: '' }, { limit: 9, offset: 0 })).map(it => it.content),
      [ferry],
    );
    assert.equal(again.file, `postgres://owner@127.0.0.1:${server.port}/team#${schema}`);
    assert.equal(again.readOnly, false);
    assert.deepEqual((await again.verify()).problems, []);
  });

  it('names the right that a login lacks to make a schema', async () => {
    const [code, message] = await rejects(open('guest'));
    assert.equal(code, 'notAllowed');
    assert.match(message, /GRANT CREATE ON DATABASE "team" TO "guest"/u);
    await open();
    assert.equal((await rejects(open('guest')))[0], 'notAllowed');
  });

  it('refuses what a newer version wrote, and the tables of another program', async () => {
    await (await open()).close();
    await rows("UPDATE $schema.meta SET value = '99' WHERE key = 'version'");
    assert.equal((await rejects(open()))[0], 'storeTooNew');
    schema = freshName('other ');
    await rows('CREATE SCHEMA $schema AUTHORIZATION owner; CREATE TABLE $schema.customers (id int)');
    assert.equal((await rejects(open()))[0], 'storeUnavailable');
  });

  it('can be read on a server that takes no writes', async () => {
    const id = await keep(await open(), ferry);
    await server.asAdmin('ALTER ROLE owner SET default_transaction_read_only = on');
    try {
      const store = await open();
      assert.equal(store.readOnly, true);
      assert.deepEqual(
        (await store.get([id])).map(it => it.content),
        [ferry],
      );
      assert.equal((await rejects(keep(store, shop)))[0], 'storeReadOnly');
    } finally {
      await server.asAdmin('ALTER ROLE owner RESET default_transaction_read_only');
    }
  });

  it('lists by a tag besides memories with odd ones', async () => {
    const store = await open();
    const odd = await keep(store, ferry, { tags: ['half \ud83d', 'nul \0', 'a "b", [c'] });
    const plain = await keep(store, shop, { tags: ['shop', 'a'] });
    const tagged = async (...tags: string[]): Promise<readonly string[]> =>
      (await store.list({ scopeId: '', tags }, { limit: 9, offset: 0 })).map(it => it.id);
    assert.deepEqual(await tagged('shop', 'a'), [plain]);
    assert.deepEqual(await tagged('shop', 'half \ud83d'), []);
    assert.deepEqual(await tagged('half \ud83d', 'nul \0', 'a "b", [c'), [odd]);
    assert.deepEqual(await store.list({ scopeId: '', containing: 'ferry\0' }, { limit: 9, offset: 0 }), []);
  });

  it('reads besides writes that wait for one another', async () => {
    const stores = [await open(), await open()];
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        const store = stores[i % 2]!;
        return store.write('test', async tx => {
          await tx.insertMany([memory(`Fact number ${i}.`)]);
          seen.push((await store.list({ scopeId: '' }, { limit: 99, offset: 0 })).length);
        });
      }),
    );
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    assert.equal(await stores[0]!.revision(), 12);
    assert.deepEqual((await stores[1]!.verify()).problems, []);
  });

  it('writes nothing where the server ends the connection, and goes on with the next write', async () => {
    const store = await open();
    const failure = await rejects(
      store.write('test', async tx => {
        await tx.insertMany([memory(ferry)]);
        await rows(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'owner' AND state = 'idle in transaction'",
        );
        await new Promise(resolve => setTimeout(resolve, 100));
        await tx.insertMany([memory(shop)]);
      }),
    );
    assert.equal(failure[0], 'storeUnavailable');
    const id = await keep(store, shop);
    assert.deepEqual(
      (await store.list({ scopeId: '' }, { limit: 9, offset: 0 })).map(it => it.id),
      [id],
    );
    assert.equal(await store.revision(), 1);
  });

  it('throws what the work of a write throws, and takes the write back', async () => {
    const store = await open();
    const own = new RangeError('of its own');
    await assert.rejects(
      store.write('test', async tx => {
        await tx.insertMany([memory(ferry)]);
        throw own;
      }),
      own,
    );
    assert.equal(await store.revision(), 0);
    assert.equal(await store.write('test', () => Promise.resolve('nothing')), 'nothing');
  });

  it('announces each revision to the programs that listen', async () => {
    const store = await open();
    const heard: string[] = [];
    const listener = await PostgresConnection.open(settings('owner'));
    await listener.listen(postgresStoreChannel, it => heard.push(it));
    await keep(store, ferry);
    await store.write('test', tx => tx.putRecord('goal', 'g', {}));
    await keep(store, shop);
    await listener.query('SELECT 1');
    await listener.close();
    assert.deepEqual(heard, [`${schema} 1`, `${schema} 2`]);
  });

  it('lets one program at a time have a lease', async () => {
    const [one, two] = [await open(), await open()];
    assert.equal(await one.acquireLease('task', 'a', 60_000), true);
    assert.equal(await one.acquireLease('task', 'a', 60_000), true);
    assert.equal(await two.acquireLease('task', 'b', 60_000), false);
    await two.releaseLease('task', 'b');
    assert.equal(await two.acquireLease('task', 'b', 60_000), false);
    host.time += 60_000;
    assert.equal(await two.acquireLease('task', 'b', 60_000), true);
    await two.releaseLease('task', 'b');
    assert.equal(await one.acquireLease('task', 'a', 60_000), true);
  });

  it('deletes the vectors of a model that is out of use', async () => {
    const store = await open();
    const id = await keep(store, ferry);
    const vector = new Int8Array([1, 2]);
    await store.saveVectors(new Map([[id, { model: 'old', vector }]]));
    await store.saveVectors(new Map([[id, { model: 'new', vector }]]));
    await store.pruneUnusedModels('old', { at: '2026-01-01T00:00:00.000Z', unusedSince: '2025-12-01T00:00:00.000Z' });
    await store.pruneUnusedModels('new', { at: '2026-02-01T00:00:00.000Z', unusedSince: '2026-01-01T00:00:00.000Z' });
    assert.equal((await store.storageStats('new')).vectors, 2);
    await store.pruneUnusedModels('new', { at: '2026-02-02T00:00:00.000Z', unusedSince: '2026-01-02T00:00:00.000Z' });
    assert.deepEqual(await store.vectors('old', [id]), new Map());
    assert.deepEqual(await store.vectors('new', [id]), new Map([[id, vector]]));
    assert.deepEqual(await store.embeddingProgress('old'), { embedded: 0, total: 1 });
    assert.deepEqual(await store.missingVectors('old', 9), [{ id, content: ferry }]);
    assert.deepEqual(await rows('SELECT id FROM $schema.models'), [{ id: 'new' }]);
  });

  it('finds a changed letter, a missing line and an altered entry', async () => {
    const store = await open();
    const ids = [await keep(store, ferry), await keep(store, shop), await keep(store, 'The bus leaves Oslo at one.')];
    await rows(`UPDATE $schema.memories SET content = 'The ferry leaves Bergen at nine.' WHERE id = '${ids[0]!}';
      UPDATE $schema.memories SET gate = 'none' WHERE id = '${ids[1]!}';
      DELETE FROM $schema.memories WHERE id = '${ids[2]!}';
      UPDATE $schema.audit SET actor = 'nobody' WHERE seq = 2`);
    const { problems, memories, auditEntries } = await store.verify();
    assert.deepEqual([memories, auditEntries, problems.length], [2, 3, 4]);
    assert.match(problems.join('\n'), /entry 2 was altered[^]*gone without a line[^]*damaged field[^]*no longer what/u);
  });

  it('names a lane, a pin, a confidence, an edge and a vector that another login of the server changed', async () => {
    const store = await open();
    const ids: string[] = [];
    for (const it of ['one', 'two', 'three', 'four', 'five', 'six']) ids.push(await keep(store, `Fact number ${it}.`));
    const [lane, pin, confidence, source, target, vector] = ids as [string, string, string, string, string, string];
    await store.saveVectors(new Map(ids.map(id => [id, { model: 'm', vector: new Int8Array([1, -1, 127, -128]) }])));
    const edge = { source, target, type: 'refines', strength: 0.5, reason: 'They fit.' } as const;
    await store.write('test', tx => tx.link([edge]));
    assert.deepEqual((await store.verify()).problems, []);
    await rows(`UPDATE $schema.memories SET lane = CASE lane WHEN 'note' THEN 'confirmed' ELSE 'note' END WHERE id = '${lane}';
      UPDATE $schema.memories SET pinned = 1 - pinned WHERE id = '${pin}';
      UPDATE $schema.memories SET confidence = confidence - 1 WHERE id = '${confidence}';
      UPDATE $schema.edges SET strength = 0.1 WHERE source = '${source}';
      UPDATE $schema.vectors SET vector = decode('01010101', 'hex') WHERE id = '${vector}'`);
    const problems = (await store.verify()).problems.join('\n');
    const named = ids.filter(id => problems.includes(`#${shortId({ id })}`));
    assert.deepEqual(
      named,
      ids.filter(id => id !== target),
      problems,
    );
  });

  it('restores a checkpoint with edges, aids, vectors and counts of terms as they were', async () => {
    const store = await open();
    const [a, b, c] = [await keep(store, ferry), await keep(store, shop), await keep(store, 'Cats sleep by day.')];
    const vector = (value: number): Int8Array => new Int8Array([value, -value, 127, -128]);
    await store.saveVectors(new Map([a, b, c].map((id, i) => [id, { model: 'm', vector: vector(i + 1) }])));
    await store.write('test', async tx => {
      await tx.setAids(a, { questions: ['When does the ferry leave?'], keywords: ['boat'] });
      await tx.link([{ source: b, target: a, type: 'refines', strength: 0.5, reason: 'They fit.' }]);
      await tx.link([{ source: c, target: a, type: 'refines', strength: 0.5, reason: 'They fit.' }]);
      await tx.putRecord('goal', 'g', { text: 'a goal' });
      await tx.nextSequence('');
    });
    const state = async (): Promise<unknown> => [
      (await store.get([a, b])).sort((x, y) => (x.id < y.id ? -1 : 1)),
      await store.edges([b]),
      [...(await store.aids([a, b]))],
      [...(await store.vectors('m', [a, b]))].sort(),
      await store.records('goal'),
      await store.sequence(''),
    ];
    const termsNow = async (): Promise<unknown> => [
      await rows('SELECT * FROM $schema.lexemes ORDER BY term COLLATE "C"'),
      await rows('SELECT * FROM $schema.totals'),
    ];
    const before = await state();
    const checkpoint = await store.checkpoints.make({ reason: 'by hand', origin: 'person' });
    assert.equal(checkpoint.memories, 3);
    assert.ok(checkpoint.bytes > 0);

    await store.hardDeletion.purge('test', [c]);
    const terms = await termsNow();
    const d = await keep(store, 'Dogs bark at night.');
    const [memoryA] = await store.get([a]);
    const content = 'The ferry leaves Bergen at two.';
    await store.write('test', async tx => {
      await tx.update({ ...memoryA!, content, contentHash: hashContent(content), scopeId: 'x' }, 'edit');
      await tx.setAids(a, { questions: [], keywords: ['ship'] });
      await tx.delete(b, 'prune');
      await tx.deleteRecord('goal', 'g');
      await tx.nextSequence('');
    });
    const revision = await store.revision();
    const result = await store.checkpoints.restore('test', checkpoint.id);
    assert.deepEqual([result.back, result.gone, result.changed], [1, 1, 1]);
    assert.equal(await store.revision(), revision + 1);
    const degrees = await store.get([a]);
    assert.deepEqual(await store.get([c, d]), []);
    const after = (await state()) as { centrality: number }[][];
    assert.deepEqual(after[0]![0], {
      ...(before as { centrality: number }[][])[0]![0]!,
      centrality: degrees[0]!.centrality,
    });
    assert.deepEqual(after.slice(1), (before as unknown[]).slice(1));
    assert.deepEqual(await termsNow(), terms);
    assert.deepEqual((await store.verify()).problems, []);
    // The state before is a checkpoint too.
    await store.checkpoints.restore('test', result.before.id);
    assert.deepEqual((await store.get([a, d])).map(it => it.content).sort(), ['Dogs bark at night.', content]);
    assert.deepEqual((await store.verify()).problems, []);
  });

  it('keeps so many checkpoints of each origin, and drops the tables of the others', async () => {
    const store = await open();
    for (const reason of ['one', 'two', 'three']) {
      host.time += 1_000;
      await store.checkpoints.make({ reason, origin: 'person' });
    }
    host.time += 1_000;
    await store.checkpoints.make({ reason: 'four', origin: 'engine' });
    const list = await store.checkpoints.list();
    assert.deepEqual(
      list.map(it => [it.reason, it.origin, it.memories]),
      [
        ['four', 'engine', 0],
        ['three', 'person', 0],
        ['two', 'person', 0],
      ],
    );
    await store.checkpoints.delete(list[0]!.id);
    assert.equal((await rejects(store.checkpoints.delete(list[0]!.id)))[0], 'notFound');
    const tables = await rows(
      `SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = '${schema}' AND tablename LIKE 'checkpoint\\_%'`,
    );
    assert.equal(tables[0]!.n, 14);
  });

  it('purges a memory from the store, its checkpoints and the files of both', async () => {
    const store = await open();
    const secret = 'The spare key lies below the third stone.';
    const [a, b] = [await keep(store, secret), await keep(store, shop)];
    await store.write('test', async tx => {
      await tx.setAids(a, { questions: ['When does it sail?'], keywords: [] });
      await tx.link([{ source: b, target: a, type: 'relates_to', strength: 0.5, reason: 'They fit.' }]);
      await tx.putRecord('proposal', 'p', { text: secret });
      await tx.putRecord('cursor', 'c', { at: 1, story: { text: secret } });
      await tx.putRecord('state', 'candidates:s', { session: 'abc' });
      await tx.putRecord('modelUse', 'today', { calls: 3 });
    });
    await store.checkpoints.make({ reason: 'by hand', origin: 'person' });
    assert.equal(await store.hardDeletion.knowsAny([a], []), true);
    assert.equal(await store.hardDeletion.knowsAny([], [secret]), true);
    assert.equal(
      await store.hardDeletion.knowsAny(['01900000-0000-7000-8000-ffffffffffff'], ['Nothing says this.']),
      false,
    );
    assert.deepEqual(await store.hardDeletion.purge('test', [a], { session: 'abc' }), {
      memories: 1,
      copies: 1,
      left: [],
    });
    await server.asAdmin('CHECKPOINT');
    assert.deepEqual(filesWith(path.join(server.folder, 'data', 'base'), 'third stone'), []);
    assert.equal(await store.record('proposal', 'p'), undefined);
    assert.equal(await store.record('state', 'candidates:s'), undefined);
    assert.deepEqual((await store.record('cursor', 'c'))!.body, { at: 1, story: {} });
    assert.deepEqual(
      (await store.checkpoints.list()).map(it => it.memories),
      [1],
    );
    assert.equal(await store.hardDeletion.knowsAny([], [secret]), false);
    assert.equal(await store.hardDeletion.knowsAny([a], []), true);
    assert.deepEqual((await store.verify()).problems, []);

    assert.deepEqual(await store.hardDeletion.reset('test'), { memories: 1, copies: 1, left: [] });
    assert.deepEqual(await store.checkpoints.list(), []);
    assert.deepEqual(await rows('SELECT * FROM $schema.lexemes'), []);
    assert.deepEqual((await store.record('modelUse', 'today'))!.body, { calls: 3 });
    assert.deepEqual(
      (await store.auditLog('')).map(it => it.action),
      ['reset'],
    );
    assert.deepEqual((await store.verify()).problems, []);
  });
});
