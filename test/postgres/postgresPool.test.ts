import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresPool, type PostgresSql } from '../../src/engine/database/postgres/postgresPool.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { closeAfterTest } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, freshName } from './kit.js';

describe('transactions of a pool of connections', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  let pool: PostgresPool;
  beforeEach(async () => {
    const schema = freshName('pool');
    await server.asAdmin(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.notes (n integer PRIMARY KEY)`);
    pool = await PostgresPool.open((await readPostgresSettings(addressOf(server, 'admin', 'admin'), {}))!, schema);
    closeAfterTest(() => pool.close());
  });

  const add = (sql: PostgresSql, n: number): Promise<void> => sql.run('INSERT INTO notes VALUES ($1)', n);
  const notes = async (): Promise<readonly unknown[]> =>
    (await pool.read.all('SELECT n FROM notes ORDER BY n')).map(it => it.n);
  const terminateOthers = (): Promise<unknown> =>
    server.asAdmin(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user',
    );

  it('commit what statements wrote that were started at once, in the order of their start', async () => {
    const seen: unknown[] = [];
    await pool.transaction(async sql => {
      const counted = sql.get('SELECT count(*)::int AS n FROM notes').then(it => seen.push(it!.n));
      await Promise.all([
        counted,
        add(sql, 1),
        add(sql, 2),
        sql.get('SELECT count(*)::int AS n FROM notes').then(it => seen.push(it!.n)),
      ]);
    });
    assert.deepEqual(
      [await notes(), seen],
      [
        [1, 2],
        [0, 2],
      ],
    );
  });

  it('write nothing when their work fails, and pass on why', async () => {
    const failure = new Error('no');
    const work = async (sql: PostgresSql): Promise<void> => {
      await add(sql, 1);
      throw failure;
    };
    await assert.rejects(pool.transaction(work), (it: unknown) => it === failure);
    assert.deepEqual(await notes(), []);
  });

  it('write nothing when a statement failed, even if their work goes on', async () => {
    const work = async (sql: PostgresSql): Promise<void> => {
      await add(sql, 1);
      await add(sql, 1).catch(() => undefined);
    };
    await assert.rejects(pool.transaction(work), { name: 'EngineError', code: 'internal' });
    assert.deepEqual(await notes(), []);
  });

  it('run no statement after their end', async () => {
    const late: Promise<unknown>[] = [];
    const held = await pool.transaction(sql => Promise.resolve(sql));
    await assert.rejects(add(held, 1), { name: 'EngineError' });
    const work = async (sql: PostgresSql): Promise<void> => {
      late.push(pause(200).then(() => add(sql, 2)));
      await Promise.reject(new Error('no'));
    };
    await assert.rejects(pool.transaction(work));
    await assert.rejects(late[0]!, { name: 'EngineError' });
    assert.deepEqual(await notes(), []);
  });

  it('fail when their connection breaks while the work waits, and the next one has another', async () => {
    const work = async (sql: PostgresSql): Promise<void> => {
      await add(sql, 1);
      await terminateOthers();
      await pause(200);
      await add(sql, 2);
    };
    await assert.rejects(pool.transaction(work), { code: 'storeUnavailable' });
    await pool.transaction(sql => add(sql, 3));
    assert.deepEqual(await notes(), [3]);
  });

  it('follow a connection that broke while nothing was asked', async () => {
    await Promise.all([notes(), notes(), notes()]);
    await terminateOthers();
    await pause(200);
    await pool.transaction(sql => add(sql, 1));
    assert.deepEqual(await notes(), [1]);
  });
});
