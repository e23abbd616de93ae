import assert from 'node:assert/strict';
import { newMemory } from '../support/newMemory.js';
import path from 'node:path';
import { Database } from '../../src/engine/database/database.js';
import { PostgresPool } from '../../src/engine/database/postgres/postgresPool.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import type { EdgeType } from '../../src/engine/model/edge.js';
import type { Memory } from '../../src/engine/model/memory.js';
import { AuditVerifier, toAuditEntry } from '../../src/engine/store/audit.js';
import { PostgresTransaction } from '../../src/engine/store/postgres/postgresTransaction.js';
import { toTsvector } from '../../src/engine/store/postgres/postgresRows.js';
import { indexMemoryText, rebuildPostgresTerms } from '../../src/engine/store/postgres/postgresTermCounts.js';
import { writePostgresUsage } from '../../src/engine/store/postgres/postgresUsage.js';
import { postgresMigrations } from '../../src/engine/store/postgres/migrations.js';
import { sqliteMigrations } from '../../src/engine/store/sqlite/migrations.js';
import { SqliteTransaction } from '../../src/engine/store/sqlite/sqliteTransaction.js';
import { writeUsage } from '../../src/engine/store/sqlite/usageWriter.js';
import type { MemoryWrite, NewMemory, UsageFlush } from '../../src/engine/store/store.js';
import { analyzeText } from '../../src/engine/text/analyzer.js';
import { aidTerms } from '../../src/engine/text/memoryTerms.js';
import { temporaryFolder } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, freshName } from './kit.js';

type Transaction = SqliteTransaction | PostgresTransaction;
type Work = (tx: Transaction) => Promise<unknown>;

const at = '2026-03-02T09:00:00.000Z';
const awkward = 'new\nlines "quoted" {a,b} \\ NULL C:\\temp\\o\'neil.txt c++ 東京都 👍🏽';

describe('a write transaction on a PostgreSQL server', () => {
  let server: PostgresServer;
  let pool: PostgresPool;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  beforeEach(async () => {
    const schema = freshName('store');
    const settings = (await readPostgresSettings(addressOf(server, 'admin', 'admin'), {}))!;
    await server.asAdmin(`CREATE SCHEMA ${schema}`);
    pool = await PostgresPool.open(settings, schema);
    await pool.transaction(async sql => {
      for (const step of postgresMigrations) await sql.exec(step);
    });
  });
  afterEach(() => pool.close());

  const write = <T>(work: (tx: PostgresTransaction) => Promise<T>): Promise<T> =>
    pool.transaction(async sql => {
      const tx = new PostgresTransaction(sql, 'project', 'test', at);
      const result = await work(tx);
      await tx.commitMetadata();
      return result;
    });

  /** What the database has derived from its memories, and what it should have. */
  async function assertConsistent(): Promise<void> {
    const lexemes = new Map<string, [memories: number, aids: number]>();
    const count = (terms: Iterable<string>, place: 0 | 1): void => {
      for (const it of new Set(terms)) {
        if (!lexemes.has(it)) lexemes.set(it, [0, 0]);
        lexemes.get(it)![place]++;
      }
    };
    let terms = 0;
    const memories = await write(async tx => {
      const ids = await pool.read.all('SELECT id FROM memories');
      return tx.getMany(ids.map(it => it.id as string));
    });
    const indexes = memories.map(it => ({ id: it.id, ...indexMemoryText({ ...it, said: it.provenance.said }) }));
    for (const { rankedTerms, saidTerms } of indexes) {
      count(rankedTerms, 0);
      count(saidTerms, 1);
      terms += rankedTerms.length;
    }
    for (const it of await pool.read.all('SELECT content, tags, tsvector_to_array(terms) AS terms FROM memories')) {
      const tags = JSON.parse(it.tags as string) as string[];
      const expected = new Set(analyzeText([it.content as string, ...tags].join('\n')));
      assert.deepEqual(new Set(it.terms as string[]), expected);
    }
    const differing = await pool.read.all(
      `SELECT id FROM memories m JOIN json_populate_recordset(NULL::memories, $1::json) given USING (id)
       WHERE m.terms <> given.terms`,
      JSON.stringify(indexes),
    );
    assert.deepEqual(differing, []);
    for (const it of await pool.read.all('SELECT id, questions, keywords FROM aids')) {
      const [questions, keywords] = [it.questions, it.keywords].map(list => JSON.parse(list as string) as string[]);
      const expected = aidTerms({ questions: questions!, keywords: keywords! });
      count(expected, 1);
      const sql = 'SELECT terms = $2::tsvector AS same FROM aids WHERE id = $1';
      assert.deepEqual(await pool.read.get(sql, it.id, toTsvector(expected)), { same: true });
    }
    const ofSaid = indexes.flatMap(it => (it.saidTerms.length === 0 ? [] : [[it.id, new Set(it.saidTerms)] as const]));
    const keptWords = await pool.read.all('SELECT id, tsvector_to_array(terms) AS terms FROM said');
    assert.deepEqual(
      new Map(keptWords.map(it => [it.id, new Set(it.terms as string[])])),
      new Map<unknown, Set<string>>(ofSaid),
    );
    const stored = await pool.read.all('SELECT term, memories, aids FROM lexemes');
    assert.deepEqual(
      new Map(stored.map(it => [it.term, [it.memories, it.aids]])),
      lexemes,
      'counts of terms differ from those of the memories',
    );
    assert.deepEqual(await pool.read.all('SELECT * FROM totals'), [{ memories: memories.length, terms }]);
    const verifier = new AuditVerifier();
    verifier.add((await pool.read.all('SELECT * FROM audit ORDER BY seq')).map(toAuditEntry));
    const head = await pool.read.get("SELECT value FROM meta WHERE key = 'auditHead'");
    assert.deepEqual(verifier.finish(head!.value as string), []);
  }

  describe('does the same as one on SQLite', () => {
    let database: Database;
    beforeEach(async () => {
      database = await Database.open(path.join(temporaryFolder(), 'memory.db'), { readOnly: false, wal: true });
      await database.write(async sql => {
        for (const step of sqliteMigrations) await sql.exec(step);
      });
    });
    afterEach(() => database.close());

    const writeSqlite = (work: Work, usage?: UsageFlush): Promise<unknown> =>
      database.write(async sql => {
        const tx = new SqliteTransaction(sql, 'project', 'test', at);
        const result =
          usage === undefined ? await work(tx) : await writeUsage(sql, tx, usage, { store: 'project', keepTraces: 2 });
        await tx.commitMetadata();
        return result;
      });

    const byRow = `FROM memories m ORDER BY row`;
    const edgeColumns =
      'e.type, e.strength, e.reason, e.created_at, e.settled_at, e.outdated, e.marked_by, e.marked_at';
    const common = [
      `SELECT row, id, content, summary, tags, status, archive_reason, scope_id, sequence, confidence, priority,
         access_count, accessed_at, retention_score, scoring_version, provenance, in_degree, change ${byRow}`,
      'SELECT * FROM audit ORDER BY seq',
      'SELECT kind, id, at, body FROM records ORDER BY kind, id',
      'SELECT id, at, trace FROM traces ORDER BY id',
      'SELECT scope_id, value FROM sequences ORDER BY scope_id',
      "SELECT key, value FROM meta WHERE key IN ('revision', 'auditHead') ORDER BY key",
    ];
    const ofSqlite = [
      ...common,
      `SELECT s.id AS source, t.id AS target, ${edgeColumns} FROM edges e
         JOIN memories s ON s.row = e.source JOIN memories t ON t.row = e.target ORDER BY 1, 2, 3`,
      'SELECT m.id, questions, keywords FROM aids a JOIN memories m ON m.row = a.row ORDER BY 1',
      `SELECT o.id AS model, m.id, hex(vector) AS vector FROM vectors v
         JOIN memories m ON m.row = v.row JOIN models o ON o.number = v.model ORDER BY 1, 2`,
    ];
    const ofPostgres = [
      ...common,
      `SELECT e.source, e.target, ${edgeColumns} FROM edges e ORDER BY 1, 2, 3`,
      'SELECT id, questions, keywords FROM aids ORDER BY 1',
      "SELECT model, id, upper(encode(vector, 'hex')) AS vector FROM vectors ORDER BY 1, 2",
    ];

    async function assertEqual(): Promise<void> {
      for (const [i, sql] of ofSqlite.entries()) {
        const plain = (await database.read.all(sql)).map(it => ({ ...it }));
        assert.deepEqual(
          (await pool.read.all(ofPostgres[i]!)).map(it => ({ ...it })),
          plain,
          sql,
        );
      }
    }

    /** Runs the same work on both, one write each, and compares what it returned and left behind. */
    async function both(work: Work): Promise<void> {
      assert.deepEqual(await write(work), await writeSqlite(work));
      await assertEqual();
      await assertConsistent();
    }

    it('in batches of inserts and updates', async () => {
      const weaker = stored({ ...memory('one'), confidence: 40.123456789012345 });
      await both(tx => tx.insertMany(many, many.map(vectorOf)));
      await both(tx =>
        tx.applyBatch([
          insert('one'),
          update({ ...stored(many[3]!), confidence: 30, priority: 9 }, 'weaken', { by: 'one' }),
          insert('two'),
          update(weaker, 'weaken', { by: 'two' }),
          update({ ...weaker, tags: ['Später', "it's"] }, 'reinforce', {}),
          update(stored({ ...memory('two'), content: awkward }), 'edit', {}),
          update({ ...stored(many[3]!), confidence: 20, content: 'Ann: She does it.' }, 'edit', {}),
          update(stored({ ...many[4]!, kind: 'code' }), 'edit', {}),
          update(stored(memory('of another store')), 'edit', {}),
        ]),
      );
      await both(async tx => [await tx.getMany(['of another store', 'one', 'two']), await tx.get('m 3')]);
      await both(tx => tx.insertMany([]));
      await both(tx => tx.insertMany([{ ...memory('cut'), summary: 'cut \ud83d', tags: ['\ude00'] }]));
    });

    it('with counters, lists and records', async () => {
      await both(async tx => {
        const first = await tx.nextSequence('');
        await tx.insertMany(many.slice(0, 20));
        return [first, await tx.nextSequence(''), await tx.nextSequence('other'), await tx.revision()];
      });
      await both(async tx => {
        await tx.insertMany(many.slice(20, 30));
        return [await tx.nextSequence('')];
      });
      await both(async tx => [
        await tx.findByHash([many[7]!.contentHash, many[2]!.contentHash, 'none'], ''),
        await tx.findByHash([many[7]!.contentHash], 'other'),
      ]);
      await both(async tx => {
        await tx.putRecord('state', 'a', { text: 'q\u0000"' });
        await tx.putRecord('state', 'b', [1]);
        await tx.putRecord('goal', 'b', {});
        await tx.deleteRecord('goal', 'b');
        await tx.putRecord('state', 'a', { n: 2 });
        return [await tx.record('state', 'a'), await tx.record('state', 'b'), await tx.record('state', 'c')];
      });
      await both(tx => tx.saveScores(new Map([['m 1', 0.1 + 0.2]]), 3));
      await both(tx => tx.announce());
      await both(async tx => {
        await tx.log('maintain', { n: 1 });
        tx.logMany('restore', [['m 1', { a: 'é' }]]);
      });
      await both(() => Promise.resolve());
    });

    it('with edges', async () => {
      await both(tx => tx.insertMany(many.slice(0, 30)));
      await both(async tx => {
        await tx.link([
          edge(1, 2),
          edge(2, 1, 0.9),
          edge(1, 3, 0.2, 'refines'),
          edge(1, 3, 0.2, 'refines'),
          edge(4, 4),
        ]);
        await tx.link([edge(2, 1, 0.3, 'contradicts'), edge(5, 2, 1, 'contradicts'), edge(9, 77)]);
        await tx.link([]);
        return tx.edges(['m 1']);
      });
      await both(async tx => {
        const before = await tx.isSettled('m 2', 'm 1');
        await tx.settle('m 1', 'm 2');
        const after = await tx.isSettled('m 2', 'm 1');
        await tx.unlink('m 1', 'm 3', 'refines');
        await tx.unlink('m 1', 'm 2', 'relates_to');
        return [before, after];
      });
      await both(async tx => {
        const mark = { type: 'contradicts', reason: 'Because.' } as const;
        await tx.markOutdated({ ...mark, outdated: 'm 6', replacement: 'm 7', by: 'model' });
        await tx.markOutdated({ ...mark, outdated: 'm 8', replacement: 'm 6', by: 'person' });
        await tx.restoreMark(
          { source: 'm 5', target: 'm 2', type: 'contradicts' },
          { outdated: 'none', by: 'model', at },
        );
        return [
          await tx.clearMarks('m 6', 'model'),
          await tx.clearMarks('m 8', 'model'),
          await tx.isSettled('m 6', 'm 8'),
        ];
      });
      await both(tx => tx.clearMarks('m 8', 'person'));
      await both(tx => tx.supersede('m 10', 'm 11'));
      await both(tx => tx.supersede('m 5', 'm 2'));
      await both(tx => tx.undoSupersede('m 2'));
      await both(tx => tx.reopen('m 1', 'm 2'));
      await both(tx => tx.undoSupersede('gone'));
      await both(async tx => {
        await tx.link([
          edge(20, 21, 1, 'derived_from'),
          edge(22, 20, 1, 'derived_from'),
          edge(20, 22, 1, 'derived_from'),
        ]);
        await tx.update({ ...stored(many[22]!), status: 'archived', archiveReason: 'merged' }, 'merge', {});
        return [await tx.mergeTargetOf('m 21'), await tx.mergeTargetOf('m 1')];
      });
      await both(async tx => {
        await tx.update({ ...stored(many[2]!), scopeId: 'other' }, 'edit');
        return tx.clearMarks('m 2', 'person');
      });
      await both(tx => tx.delete('m 1', 'prune'));
      await both(tx => tx.delete('m 1', 'move'));
    });

    it('with search aids, vectors and deletions', async () => {
      await both(tx => tx.insertMany(many.slice(0, 30), many.map(vectorOf)));
      const aids = { questions: ['Where is the ferry?', 'Which ferry is it?'], keywords: ['Fähre'] };
      await both(async tx => {
        await tx.setAids('m 1', aids);
        await tx.setAids('m 2', aids, { isEdit: true });
        await tx.setAids('gone', aids);
        await tx.setAids('m 3', { questions: [], keywords: ['x'] });
        await tx.setAids('m 3', { questions: [], keywords: [] });
        await tx.setAids('m 2', { questions: ['Why?'], keywords: [] });
      });
      await both(tx => tx.withEditedAids(['m 1', 'm 2', 'm 3']));
      await both(async tx => {
        await tx.setVector('m 2', { model: 'other', vector: new Int8Array([-128, 0, 127]) });
        await tx.setVector('m 2', vectorOf(many[3]!)!);
        await tx.setVector('gone', vectorOf(many[3]!)!);
      });
      await both(tx => tx.update(stored({ ...many[2]!, content: 'Else' }), 'edit'));
      await both(async tx => {
        await tx.delete('m 1', 'purge');
        await tx.insertMany([memory('m 1')]);
        await tx.update(stored({ ...memory('m 1'), priority: 1 }), 'edit');
        return tx.get('m 1');
      });
      assert.deepEqual(await pool.read.all('SELECT id, dimensions FROM models ORDER BY id'), [
        { id: 'm', dimensions: 4 },
        { id: 'other', dimensions: 3 },
      ]);
    });

    it('when it counts uses', async () => {
      const archived = (i: number, archiveReason: Memory['archiveReason']): NewMemory => ({
        ...many[i]!,
        status: 'archived',
        archiveReason: archiveReason!,
        archivedAt: at,
      });
      await both(tx =>
        tx.insertMany([...many.slice(0, 10), archived(20, 'faded'), archived(12, 'quota'), archived(13, 'forgotten')]),
      );
      const usage: UsageFlush = {
        accessed: new Map([
          ['m 1', 2],
          ['gone', 1],
          ['m 12', 1],
          ['m 13', 1],
          ['m 20', 3],
        ]),
        traces: ['a', 'b', 'c'].map(id => ({ id, at, text: `{"id":"${id}"}` })),
        at,
      };
      assert.deepEqual(
        await write(tx => writePostgresUsage(tx, usage, 2)),
        await writeSqlite(() => Promise.resolve(), usage),
      );
      await assertEqual();
      await assertConsistent();
      assert.deepEqual((await pool.read.all('SELECT id FROM traces')).length, 2);
    });

    it('when changes start at the same time', async () => {
      await both(async tx => {
        await tx.insertMany(many.slice(0, 10));
        await Promise.all([
          tx.insertMany(many.slice(10, 15)),
          tx.update({ ...stored(many[1]!), priority: 1 }, 'edit'),
          tx.nextSequence(''),
        ]);
      });
    });

    it('when the log is emptied', async () => {
      await both(tx => tx.insertMany(many.slice(0, 3)));
      const clear: Work = async tx => {
        tx.resetAuditLog();
        await tx.log('purge', { all: true });
      };
      await pool.read.run('DELETE FROM audit');
      await database.write(sql => sql.run('DELETE FROM audit'));
      await both(clear);
    });
  });

  it('changes nothing if one statement fails, whatever follows', async () => {
    await write(tx => tx.insertMany([memory('one')]));
    await assert.rejects(
      write(async tx => {
        await tx.insertMany([memory('two'), memory('two')]).catch(() => undefined);
        await tx.log('maintain', {});
      }),
      { name: 'EngineError', code: 'internal' },
    );
    assert.deepEqual(await pool.read.all("SELECT value FROM meta WHERE key = 'revision'"), [{ value: '1' }]);
    await assertConsistent();
  });

  it('leaves what can be derived from its memories again', async () => {
    await write(async tx => {
      await tx.insertMany(many);
      await tx.setAids('m 2', { questions: ['Where is the ferry?'], keywords: ['Fähre'] });
      await tx.insertMany([{ ...memory('quoting'), provenance: { source: 'mcp', client: 'c', said: 'ahoi, Fähre!' } }]);
    });
    await assertConsistent();
    await pool.read.exec(
      `UPDATE memories SET terms = ''; UPDATE aids SET terms = ''; DELETE FROM said; UPDATE totals SET terms = 7;
       DELETE FROM lexemes WHERE term < 'm'; UPDATE lexemes SET aids = 3`,
    );
    await pool.transaction(rebuildPostgresTerms);
    await assertConsistent();
  });

  it('follows the writers before it, and sees what they have written', async () => {
    const count = 20;
    await Promise.all(
      Array.from({ length: count }, (_, i) =>
        write(async tx => {
          await tx.nextSequence('');
          await tx.insertMany([memory(`m ${String(i)}`)]);
        }),
      ),
    );
    const rows = await pool.read.all('SELECT row, change FROM memories ORDER BY row');
    assert.deepEqual(
      rows.map(it => [it.row, it.change]),
      Array.from({ length: count }, (_, i) => [i + 1, i + 1]),
    );
    assert.deepEqual(await pool.read.all('SELECT value FROM sequences'), [{ value: count }]);
    await assertConsistent();
  });
});

function memory(id: string): NewMemory {
  const content = `The ferry ${id} doesn't leave Bergen at noon, as it's the slow getUserById.`;
  return newMemory(id, content, at, {
    tags: ['travel'],
    provenance: { source: 'explicit', session: 's', client: 'test' },
  });
}

const many = Array.from({ length: 1_100 }, (_, i) => memory(`m ${String(i)}`));

function stored(it: NewMemory): Memory {
  return { ...it, store: 'project', centrality: 0 };
}

function vectorOf({ id }: { readonly id: string }): { model: string; vector: Int8Array } | undefined {
  return id.endsWith('7') ? undefined : { model: 'm', vector: new Int8Array([1, -1, id.length, -128]) };
}

function insert(id: string): MemoryWrite {
  return { op: 'insert', memory: memory(id), vector: vectorOf({ id }) };
}

function update(
  changed: Memory,
  action: Extract<MemoryWrite, { op: 'update' }>['action'],
  detail: Readonly<Record<string, unknown>>,
): MemoryWrite {
  return { op: 'update', memory: changed, action, detail };
}

function edge<T extends Exclude<EdgeType, 'supersedes'> = 'relates_to'>(
  source: number,
  target: number,
  strength = 0.5,
  type?: T,
): { source: string; target: string; type: T | 'relates_to'; strength: number; reason: string } {
  const reason = `Because of ${String(strength)}.`;
  return { source: `m ${String(source)}`, target: `m ${String(target)}`, type: type ?? 'relates_to', strength, reason };
}
