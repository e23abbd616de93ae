import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { storeMemory, temporaryFolder, TestHost } from '../support/fixtures.js';
import { createRepository } from '../support/git.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, freshName } from './kit.js';

describe('a person’s store on a server, from another machine', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  /** A machine of one person, with a clone of their own. */
  function machine(origin: string): TestHost {
    const folder = path.join(temporaryFolder(), 'api');
    mkdirSync(folder);
    const host: TestHost & { secret?: (name: string) => Promise<string | undefined> } = new TestHost();
    host.workspaceFolders = [createRepository(folder, origin)];
    host.secret = name => Promise.resolve(name === 'teamConnection' ? addressOf(server, 'admin', 'admin') : undefined);
    return host;
  }
  const keep = (engine: MemoryEngine, text: string): Promise<string> =>
    storeMemory(engine, text, { store: 'project', gate: 'epistemic' });
  const contents = async (engine: MemoryEngine): Promise<readonly string[]> =>
    (await engine.list({ scope: 'project-only' })).map(it => it.content).sort();

  it('opens by its repository, and both machines see what either says', async () => {
    const origin = `https://git.example.com/acme/${freshName('api')}.git`;
    const [desk, laptop] = [
      machine(origin),
      machine(origin.replace('https://git.example.com/', 'git@git.example.com:')),
    ];
    const first = await desk.open();
    await keep(first, 'The desk has two screens.');
    await first.team.store.useServer(await first.team.store.copyToServer());
    await first.close();

    const second = await laptop.open();
    const stores = await second.team.store.listOnServer();
    const own = second.team.store.ownOnServer(stores)!;
    assert.deepEqual([own.memories, own.schema], [1, stores[0]!.schema]);
    assert.equal(await second.team.store.openOnServer(own.schema), 1);
    await second.close();

    const onLaptop = await laptop.open();
    assert.deepEqual(await contents(onLaptop), ['The desk has two screens.']);
    await keep(onLaptop, 'The laptop has one screen.');
    await onLaptop.close();
    const onDesk = await desk.open();
    assert.deepEqual(await contents(onDesk), ['The desk has two screens.', 'The laptop has one screen.']);
    await onDesk.close();

    const moved = await laptop.open();
    assert.equal(await moved.team.store.moveHere(), 2);
    await moved.close();
    assert.equal((await contents(await laptop.open())).length, 2);
  });

  it('takes no place of memories that are here, and none of another repository by itself', async () => {
    const origin = `https://git.example.com/acme/${freshName('api')}.git`;
    const [desk, laptop] = [machine(origin), machine(origin)];
    const first = await desk.open();
    await keep(first, 'The desk has two screens.');
    await first.team.store.useServer(await first.team.store.copyToServer());
    const second = await laptop.open();
    const stores = await second.team.store.listOnServer();
    const { schema } = second.team.store.ownOnServer(stores)!;
    await keep(second, 'The laptop has one screen.');
    await assert.rejects(second.team.store.openOnServer(schema), {
      code: 'invalidInput',
      message: /recollect export --scope project-only --out FILE/u,
    });
    await assert.rejects(second.team.store.openOnServer('public'), { code: 'invalidInput' });
    await keep(second, 'It can still be written.');
    const other = await machine('https://git.example.com/other/api.git').open();
    assert.equal(other.team.store.ownOnServer(stores), undefined);
  });
});
