import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Memory } from '../../../../src/engine/model/memory.js';
import { SearchWorkerClient } from '../../../../src/engine/search/worker/searchWorkerClient.js';
import { Database, type SqlTransaction } from '../../../../src/engine/database/database.js';
import { openSqliteStore } from '../../../../src/engine/store/sqlite/openSqliteStore.js';
import type { NewMemory, Store } from '../../../../src/engine/store/store.js';
import { storeMemory, TestHost } from '../../../support/fixtures.js';
import { sql } from '../../../support/sqlite.js';

describe('Database.write', () => {
  let folder: string;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recollect-transaction-'));
    database = await Database.open(join(folder, 'memory.db'), { readOnly: false, wal: true });
    await database.write(tx => tx.exec('CREATE TABLE notes (n INTEGER PRIMARY KEY)'));
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  /** Runs the statements one after another. */
  const notes = async (tx: SqlTransaction, from: number): Promise<void> => {
    for (let n = from; n < from + 20; n++) await tx.run('INSERT INTO notes VALUES (?)', n);
  };
  const countNotes = async (): Promise<unknown> => (await database.read.get('SELECT count(*) AS n FROM notes'))!.n;

  it('commits what concurrent statements wrote', async () => {
    await database.write(async tx => {
      await Promise.all([notes(tx, 0), notes(tx, 100)]);
    });
    assert.equal(await countNotes(), 40);
  });

  it('rolls back concurrent statements if one of them fails', async () => {
    const failing = database.write(async tx => {
      await Promise.all([notes(tx, 0), tx.run('INSERT INTO notes VALUES (1000), (1000)')]);
    });
    await assert.rejects(failing, { name: 'EngineError' });
    await database.write(tx => tx.run('INSERT INTO notes VALUES (2000)'));
    assert.equal(await countNotes(), 1);
  });

  it('rejects statements after the end of the transaction', async () => {
    const held = await database.write(tx => Promise.resolve(tx));
    await assert.rejects(held.run('INSERT INTO notes VALUES (1)'), { name: 'EngineError' });
    assert.equal(await countNotes(), 0);
  });

  it('checkpoints the write-ahead log soon after a large write, and not before', async () => {
    const copy = join(folder, 'copy.db');
    /** Rows in the database file without its log. */
    const inFile = async (): Promise<unknown> => {
      copyFileSync(database.file, copy);
      const alone = await Database.open(copy, { readOnly: true, wal: false });
      try {
        return (await alone.read.get('SELECT count(*) AS n FROM notes'))!.n;
      } finally {
        await alone.close();
      }
    };
    await database.execOutsideTransaction('PRAGMA wal_checkpoint');
    await database.write(tx => notes(tx, 0));
    await database.write(() => Promise.resolve());
    assert.deepEqual([await countNotes(), await inFile()], [20, 0]);
    await database.write(async tx => {
      for (let n = 100; n < 1_600; n += 100) {
        const some = Array.from({ length: 100 }, (_, i) => n + i);
        await tx.run(`INSERT INTO notes VALUES ${some.map(() => '(?)').join(', ')}`, ...some);
      }
    });
    // Runs after everything queued before.
    await database.write(() => Promise.resolve());
    assert.deepEqual([await countNotes(), await inFile()], [1_520, 1_520]);
  });

  it('never locks out readers of a file without a write-ahead log, however much it writes', async () => {
    const file = join(folder, 'shared.db');
    const shared = await Database.open(file, { readOnly: false, wal: false });
    await shared.write(tx => tx.exec('CREATE TABLE notes (n INTEGER PRIMARY KEY, body BLOB)'));
    const reader = await Database.openReader(file, 200);
    try {
      await shared.write(async tx => {
        // Exceeds the page cache of SQLite.
        for (let n = 0; n < 60; n++) await tx.run('INSERT INTO notes VALUES (?, zeroblob(100000))', n);
        assert.equal((await reader.read.get('SELECT count(*) AS n FROM notes'))!.n, 0);
      });
      assert.equal((await reader.read.get('SELECT count(*) AS n FROM notes'))!.n, 60);
    } finally {
      await reader.close();
      await shared.close();
    }
  });
});

describe('Store.write with new memories', () => {
  let host: TestHost;
  let indexes: SearchWorkerClient;
  let store: Store;
  let known: Memory;

  beforeEach(async () => {
    host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'Paris is sunny.');
    indexes = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
    store = await openSqliteStore('global', dirname(host.globalFile), host, indexes);
    known = (await store.get([id]))[0]!;
  });

  afterEach(async () => {
    await store.close();
    await indexes.close();
  });

  const another = (name: string): NewMemory => ({ ...known, id: name, content: name, contentHash: name });

  it('makes them visible to everything that follows in the transaction', async () => {
    await store.write('test', async tx => {
      // Enough for several statements.
      const many = Array.from({ length: 300 }, (_, i) => another(`many ${i}`));
      await tx.insertMany([...many, another('one'), another('two'), another('three')]);
      assert.equal((await tx.get('one'))?.content, 'one');
      await tx.insertMany([another('four')]);
      await tx.update({ ...another('two'), store: 'global', centrality: 0, priority: 9 }, 'edit');
      await tx.link([{ source: 'four', target: 'one', type: 'refines', strength: 1, reason: 'test' }]);
      await tx.delete('three', 'purge');
      assert.equal(await tx.isSettled('four', 'one'), false);
    });
    const countNotes = await store.get(['one', 'two', 'three', 'four']);
    assert.deepEqual(countNotes.map(it => [it.id, it.priority, it.centrality]).sort(), [
      ['four', known.priority, 0],
      ['one', known.priority, 0.2],
      ['two', 9, 0],
    ]);
    assert.equal((await store.edges(['one'])).length, 1);
    assert.deepEqual((await store.verify()).problems, []);
  });

  it('rolls them back if an audit line cannot be written', async () => {
    await sql(
      host.globalFile,
      "CREATE TRIGGER refuse BEFORE INSERT ON audit WHEN NEW.seq = 70 BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const many = Array.from({ length: 300 }, (_, i) => another(`many ${i}`));
    await assert.rejects(
      store.write('test', async tx => {
        await tx.insertMany(many);
        await tx.insertMany([another('last')]);
      }),
      { name: 'EngineError' },
    );
    assert.deepEqual(await store.get(['many 0', 'last']), []);
    assert.deepEqual((await store.verify()).problems, []);
  });

  it('stores the last state after a batch of changes, and logs every change', async () => {
    const asMemory = (it: NewMemory): Memory => ({ ...it, store: 'global', centrality: 0 });
    const vector = { model: 'm', vector: new Int8Array(4).fill(1) };
    const weaker = asMemory({ ...another('one'), confidence: 40 });
    await store.write('test', tx =>
      tx.applyBatch([
        { op: 'insert', memory: another('one'), vector },
        { op: 'update', memory: { ...known, confidence: 30, priority: 9 }, action: 'weaken', detail: { by: 'one' } },
        { op: 'insert', memory: another('two'), vector },
        { op: 'update', memory: weaker, action: 'weaken', detail: { by: 'two' } },
        { op: 'update', memory: { ...weaker, tags: ['later'] }, action: 'reinforce', detail: {} },
        { op: 'update', memory: asMemory({ ...another('two'), content: 'new' }), action: 'edit', detail: {} },
        { op: 'update', memory: { ...known, confidence: 20, priority: 9 }, action: 'weaken', detail: { by: 'two' } },
      ]),
    );
    const countNotes = await store.get(['one', 'two', known.id]);
    assert.deepEqual(countNotes.map(it => [it.content, it.confidence, it.priority, it.tags]).sort(), [
      [known.content, 20, 9, known.tags],
      ['new', known.confidence, known.priority, known.tags],
      ['one', 40, known.priority, ['later']],
    ]);
    const lines = await sql(
      host.globalFile,
      `SELECT action, memory_id AS id, detail ->> '$.confidence.from' AS "from", detail ->> '$.confidence.to' AS "to"
       FROM audit ORDER BY seq DESC LIMIT 7`,
    );
    assert.deepEqual(
      lines.reverse().map(it => [it.action, it.id, it.from, it.to]),
      [
        ['create', 'one', null, null],
        ['weaken', known.id, known.confidence, 30],
        ['create', 'two', null, null],
        ['weaken', 'one', known.confidence, 40],
        ['reinforce', 'one', null, null],
        ['edit', 'two', null, null],
        ['weaken', known.id, 30, 20],
      ],
    );
    // The memory with a changed text lost its vector.
    assert.deepEqual([...(await store.vectors('m', ['one', 'two', known.id])).keys()], ['one']);
    const found = await sql(host.globalFile, "SELECT count(*) AS n FROM memory_terms WHERE memory_terms MATCH 'later'");
    assert.deepEqual(found, [{ n: 1 }]);
    assert.deepEqual((await store.verify()).problems, []);
  });

  it('counts their uses, and restores archived ones that were used', async () => {
    const many = Array.from({ length: 2_100 }, (_, i) => another(`many ${i}`));
    await store.write('test', tx => tx.insertMany(many));
    await sql(
      host.globalFile,
      "UPDATE memories SET status = 'archived', archive_reason = 'faded' WHERE id LIKE '% 2%05'",
    );
    const accessed = new Map(many.map((it, i) => [it.id, 1 + (i % 2)]));
    const restored = await store.flushUsage('test', { accessed, traces: [], at: '2026-03-03T09:00:00.000Z' }, 5);
    const rows = await sql(
      host.globalFile,
      "SELECT status, access_count AS uses, count(*) AS count FROM memories WHERE id LIKE 'many%' GROUP BY 1, 2 ORDER BY 2",
    );
    assert.deepEqual(restored, ['many 205', 'many 2005']);
    assert.deepEqual(rows, [
      { status: 'active', uses: 1, count: 1_050 },
      { status: 'active', uses: 2, count: 1_050 },
    ]);
  });

  it('logs them before changes that started later', async () => {
    // Loads it, as the comparison of facts does.
    await store.write('test', async tx => {
      await tx.get(known.id);
      await Promise.all([tx.insertMany([another('one')]), tx.update({ ...known, priority: 1 }, 'edit')]);
    });
    const lines = await sql(host.globalFile, 'SELECT action FROM audit ORDER BY seq DESC LIMIT 2');
    assert.deepEqual(
      lines.map(it => it.action),
      ['edit', 'create'],
    );
  });

  it('rolls everything back if one memory cannot be stored, whatever follows', async () => {
    const before = await store.revision();
    const failing = store.write('test', async tx => {
      await tx.insertMany([another('one'), another('one')]);
      await tx.log('maintain', {});
    });
    await assert.rejects(failing, { name: 'EngineError' });
    assert.deepEqual(await store.get(['one']), []);
    assert.equal(await store.revision(), before);
    await store.write('test', tx => tx.insertMany([another('two')]));
    assert.deepEqual((await store.verify()).problems, []);
  });
});

describe('A store that a newer program has changed', () => {
  it('takes no write of one that had it open before', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The ferry leaves at noon.');
    await sql(join(host.dataDir, 'global', 'memory.db'), 'PRAGMA user_version = 99');
    await assert.rejects(storeMemory(engine, 'The pier is closed.'), { code: 'storeTooNew' });
    assert.equal((await engine.list()).length, 1);
  });
});
