import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { declarePostgresServer, openStoreOfTest } from './contract/postgresBackends.js';
import { StoreOfTest } from './contract/kit.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { closeAfterTest } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf } from './kit.js';

describe('a store on a PostgreSQL server that fails', () => {
  const backend = declarePostgresServer();
  const test = new StoreOfTest(backend);

  it('has nothing of a write in whose middle the server died, and takes the next one', async () => {
    await test.keep('before');
    const before = [await test.store.revision(), await test.store.auditHead()];
    const writing = test.store.write('test', async tx => {
      await tx.nextSequence('');
      await tx.insertMany(Array.from({ length: 300 }, (_, i) => test.memory(`half ${i}`)));
      await tx.putRecord('goal', 'half', {});
      await backend.server().halt();
      await tx.insertMany([test.memory('after the end')]);
    });
    await assert.rejects(writing, { name: 'EngineError', code: 'storeUnavailable' });
    await assert.rejects(test.store.revision(), { name: 'EngineError', code: 'storeUnavailable' });
    await assert.rejects(test.keep('too early'), { name: 'EngineError', code: 'storeUnavailable' });
    await backend.server().resume();
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
    assert.deepEqual(
      [await test.list(), await test.store.records('goal'), await test.store.sequence('')],
      [['before'], [], 0],
    );
    await test.keep('after');
    assert.deepEqual([await test.list(), await test.problems()], [['after', 'before'], []]);
  });

  it('has a write whole or not at all when the server dies at its end, and says so where it is not sure', async () => {
    const server = backend.server();
    const outcomes: string[] = [];
    for (const delay of [0, 2, 5, 10]) {
      const halting = new Promise<void>((resolve, reject) => {
        setTimeout(() => {
          server.halt().then(resolve, reject);
        }, delay);
      });
      const memories = Array.from({ length: 20 }, (_, i) => test.memory(`memory ${delay} ${i}`));
      const writing = test.store
        .write('test', tx => tx.insertMany(memories))
        .then(
          () => 'written',
          () => 'refused',
        );
      const outcome = await writing;
      await halting;
      await server.resume();
      const found = (await test.store.get(memories.map(it => it.id))).length;
      assert.ok(found === 20 || (found === 0 && outcome === 'refused'), `${found} after it was ${outcome}`);
      outcomes.push(outcome);
      assert.deepEqual(await test.problems(), []);
    }
    assert.equal(outcomes.length, 4);
  });

  it('is opened from a dump on another server as it was', async () => {
    await test.keepTexts('The ferry is red.', `It's "odd" \\ ü, 部署, 👍`);
    await test.store.write('test', tx => tx.putRecord('goal', 'a', { n: 1 }));
    const checkpoint = await test.store.checkpoints.make({ reason: 'x', origin: 'person' });
    const [head, listed] = [await test.store.auditHead(), await test.list()];
    const schema = test.store.file.split('#')[1]!;
    const server = backend.server();
    const run = (of: PostgresServer, program: string, args: readonly string[], input?: Buffer): Buffer =>
      execFileSync(server.program(program), args, {
        env: { ...process.env, ...of.environment('admin', 'admin') },
        input,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    const dump = run(server, 'pg_dump', ['--schema', schema, '--no-owner']);
    const fresh = await PostgresServer.start();
    closeAfterTest(() => fresh.stop());
    run(fresh, 'psql', ['--quiet', '--set', 'ON_ERROR_STOP=1'], dump);
    const settings = (await readPostgresSettings(addressOf(fresh, 'admin', 'admin'), {}))!;
    const store = await openStoreOfTest(test.host, settings, schema);
    try {
      assert.deepEqual(
        (await store.list({ scopeId: '' }, { limit: 9, offset: 0 })).map(it => it.content),
        listed,
      );
      assert.deepEqual([await store.auditHead(), (await store.record('goal', 'a'))?.body], [head, { n: 1 }]);
      await store.write('test', tx => tx.insertMany([test.memory('written there')]));
      await store.checkpoints.restore('test', checkpoint.id);
      assert.deepEqual(
        (await store.list({ scopeId: '' }, { limit: 9, offset: 0 })).map(it => it.content),
        listed,
      );
      assert.deepEqual((await store.verify()).problems, []);
    } finally {
      await store.close();
    }
  });
});
