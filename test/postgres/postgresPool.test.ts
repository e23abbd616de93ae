import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresPool, type PostgresSql } from '../../src/engine/database/postgres/postgresPool.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { closeAfterTest } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { SilentNetwork } from '../support/silentNetwork.js';
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

describe('a pool of connections', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  /** How long the network is silent until what waits has failed; far below that of a statement, which is 35 s. */
  const soon = 20_000;
  let network: SilentNetwork;
  let pool: PostgresPool;
  beforeEach(async () => {
    network = await SilentNetwork.open(server.port);
    closeAfterTest(() => network.close());
    const address = `postgres://admin:admin@127.0.0.1:${String(network.port)}/team`;
    const settings = (await readPostgresSettings(address, {}))!;
    pool = await PostgresPool.open(settings, 'public');
    closeAfterTest(() => pool.close());
    await Promise.all([pool.read.get('SELECT 1'), pool.read.get('SELECT 2')]);
  });

  const failsSoon = async (work: Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await assert.rejects(work, { name: 'EngineError', code: 'storeUnavailable' });
    assert.ok(performance.now() - start < soon);
  };

  it('gives up what it asks where the network falls silent, and asks again when it is back', async () => {
    network.fallSilent();
    await failsSoon(pool.read.get('SELECT 3'));
    network.resume();
    assert.deepEqual(await pool.read.get('SELECT 4 AS n'), { n: 4 });
  });

  it('gives up transactions, too, and leaves nothing of them', async () => {
    await server.asAdmin('CREATE TABLE silent (n integer)');
    await failsSoon(
      pool.transaction(async sql => {
        await sql.run('INSERT INTO silent VALUES ($1)', 1);
        network.fallSilent();
        await sql.run('INSERT INTO silent VALUES ($1)', 2);
      }),
    );
    network.resume();
    assert.deepEqual(await pool.read.get('SELECT count(*)::int AS n FROM silent'), { n: 0 });
  });

  it('waits for a statement that takes long on a server that answers', async () => {
    assert.deepEqual(await pool.read.get('SELECT 5 AS n FROM pg_sleep(6)'), { n: 5 });
  });

  it('closes soon where the network is silent', async () => {
    network.fallSilent();
    const unanswered = assert.rejects(pool.read.get('SELECT 6'), { name: 'EngineError', code: 'storeUnavailable' });
    await pause(100); // It is sent.
    const start = performance.now();
    await pool.close();
    assert.ok(performance.now() - start < soon);
    await unanswered;
  });

  it('says that the server is busy where a lock is not free in time', async () => {
    await server.asAdmin('CREATE TABLE locked (n integer)');
    await pool.transaction(async sql => {
      await sql.exec('LOCK TABLE locked');
      const waiting = pool.transaction(async other => {
        await other.exec("SET LOCAL lock_timeout = '200ms'");
        await other.run('INSERT INTO locked VALUES (1)');
      });
      await assert.rejects(waiting, { name: 'EngineError', code: 'storeBusy' });
    });
  });
});
