import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { defaultConfig } from '../../src/engine/model/config.js';
import { loadPromptContext } from '../../src/engine/hooks/promptContext.js';
import { foldersWithMemory, loadSessionStartContext } from '../../src/engine/hooks/sessionStartContext.js';
import { isProjectEmpty } from '../../src/engine/store/projectRecords.js';
import { closeAfterTest, storeMemory, TestHost } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { sql } from '../support/sqlite.js';
import { addressOf, freshName } from './kit.js';

type Host = TestHost & { secret?: (name: string) => Promise<string | undefined> };

const ferry = 'The ferry leaves Bergen at noon.';
const shop = 'We deploy the shop with Kubernetes.';

describe('a move of a store that goes wrong, and what else looks at the place', () => {
  let server: PostgresServer;
  let host: Host;
  let login: string;
  let engine: MemoryEngine;
  before(async () => {
    server = await PostgresServer.start();
    await server.asAdmin('CREATE DATABASE elsewhere', 'postgres');
  });
  after(() => server.stop());
  beforeEach(async () => {
    host = new TestHost({ project: true });
    login = freshName('mover');
    await server.asAdmin(
      `CREATE ROLE ${login} LOGIN PASSWORD 'secret'; GRANT CREATE ON DATABASE team, elsewhere TO ${login}`,
    );
    useAddress(addressOf(server, login, 'secret'));
    engine = await host.open();
  });
  const useAddress = (address: string): void => {
    host.secret = name => Promise.resolve(name === 'teamConnection' ? address : undefined);
  };
  const keep = (content: string): Promise<string> =>
    storeMemory(engine, content, { store: 'project', gate: 'epistemic' });
  const listed = async (): Promise<readonly string[]> =>
    (await engine.list({ scope: 'project-only' })).map(it => it.content).sort();
  const reopen = async (): Promise<void> => {
    await engine.close();
    engine = await host.open();
  };
  const move = async (): Promise<void> => {
    await engine.team.store.useServer(await engine.team.store.copyToServer());
    await reopen();
  };
  const projectKey = (): string => readdirSync(path.join(host.dataDir, 'projects'))[0]!;
  const projectFile = (name: string): string => path.join(host.dataDir, 'projects', projectKey(), name);
  const inSchema = async (statement: string, database = 'team'): Promise<readonly Record<string, unknown>[]> => {
    const schema = `recollect_${projectKey().replaceAll('-', '_')}`;
    return server.query({ user: login, password: 'secret', database }, statement.replaceAll('SCHEMA', schema));
  };

  it('is refused at another server, where no empty store is made instead and nothing here is deleted', async () => {
    await keep(ferry);
    await move();
    useAddress(addressOf(server, login, 'secret').replace(/team$/u, 'elsewhere'));
    await reopen();
    assert.match(String(engine.notices[0]), /does not have the memories that were moved to a server/u);
    await keep(shop);
    for (const attempt of [engine.team.store.moveHere(), engine.team.store.deleteSource()])
      await assert.rejects(attempt, /does not have the memories/u);
    const made = await inSchema("SELECT 1 FROM pg_namespace WHERE nspname LIKE 'recollect%'", 'elsewhere');
    assert.deepEqual(made, []);
    useAddress(addressOf(server, login, 'secret'));
    await reopen();
    await reopen(); // What waited is there: closing waits for that.
    assert.deepEqual(await listed(), [ferry, shop]);
  });

  it('is refused where the schema is that of another store', async () => {
    await keep(ferry);
    await move();
    await inSchema("UPDATE SCHEMA.meta SET value = 'other' WHERE key = 'storeId'");
    await reopen();
    assert.match(String(engine.notices[0]), /holds other memories than those that were moved/u);
    await assert.rejects(engine.team.store.deleteSource(), /holds other memories/u);
  });

  it('is no copy any more after a crash at the end of the switch', async () => {
    await keep(ferry);
    await move();
    await inSchema("INSERT INTO SCHEMA.meta VALUES ('copyOf', 'a state')");
    await reopen();
    assert.deepEqual(await inSchema("SELECT value FROM SCHEMA.meta WHERE key = 'copyOf'"), []);
  });

  it('starts over where what is compared changed without a new revision, as by the removal of unused vectors', async () => {
    await keep(ferry);
    const copy = await engine.team.store.copyToServer();
    await sql(projectFile('memory.db'), 'DELETE FROM vectors');
    await assert.rejects(engine.team.store.useServer(copy), /differs .*vectors/u);
    await move();
    assert.deepEqual(await listed(), [ferry]);
  });

  it('counts each term once where two programs copy at once', async () => {
    const contents = Array.from({ length: 300 }, (_, i) => `Buoy ${String(i)} lies at pier ${String(i * 7)}.`);
    await engine.rememberAll(
      contents.map(content => ({ content, store: 'project', source: 'explicit', verbatim: true })),
    );
    const other = await host.open();
    const copies = await Promise.allSettled([engine, other].map(it => it.team.store.copyToServer()));
    assert.ok(copies.some(it => it.status === 'fulfilled'));
    const [counted] = await inSchema(
      'SELECT (SELECT memories FROM SCHEMA.totals) AS all, (SELECT max(memories) FROM SCHEMA.lexemes) AS most',
    );
    assert.deepEqual(counted, { all: 300, most: 300 });
  });

  it('names a memory that a server cannot keep', async () => {
    const id = await keep(ferry);
    await sql(projectFile('memory.db'), `UPDATE memories SET provenance = provenance || char(0) WHERE id = '${id}'`);
    await assert.rejects(engine.team.store.copyToServer(), new RegExp(`cannot keep ${id}: its provenance .* NUL`, 'u'));
  });

  it('stays on the server, and is written there, where the file here cannot be replaced', async () => {
    await keep(ferry);
    await move();
    await engine.team.store.deleteSource();
    mkdirSync(path.join(projectFile('memory.db'), 'in the way'), { recursive: true });
    await assert.rejects(engine.team.store.moveHere());
    assert.equal((await engine.team.store.place()).kind, 'server');
    await keep(shop);
    assert.deepEqual(await listed(), [ferry, shop]);
    assert.deepEqual(
      readdirSync(path.dirname(projectFile('x'))).filter(it => it.startsWith('incoming')),
      [],
    );
  });

  it('comes back after a crash between the lock of the server and the use of the file', async () => {
    await keep(ferry);
    await move();
    await keep(shop);
    const placement = `${JSON.stringify({ schema: 'x', id: 'x', memories: 1 })}\n`;
    const [{ value: id } = {}] = await inSchema("SELECT value FROM SCHEMA.meta WHERE key = 'storeId'");
    await engine.team.store.moveHere();
    // As it was before the last step.
    const schema = `recollect_${projectKey().replaceAll('-', '_')}`;
    writeFileSync(
      projectFile('store.json'),
      placement.replace('x', schema).replace('"id":"x"', `"id":"${String(id)}"`),
    );
    await reopen();
    await assert.rejects(keep('The pier is closed.'), /were moved from .* recollect store move --back/u);
    assert.equal(await engine.team.store.moveHere(), 2);
    await reopen();
    await keep('The pier is closed.');
    assert.equal((await listed()).length, 3);
  });

  it('deletes no file that another program made since', async () => {
    await keep(ferry);
    await move();
    await engine.team.store.deleteSource();
    await sql(projectFile('memory.db'), 'CREATE TABLE memories (id TEXT)');
    await assert.rejects(engine.team.store.deleteSource(), /another program made it since/u);
  });

  it('is no empty project, and is open in the hub, when its file is deleted', async () => {
    await keep(ferry);
    await move();
    await engine.team.store.deleteSource();
    assert.equal(await isProjectEmpty(host.dataDir, projectKey()), false);
    assert.deepEqual(
      (await engine.projects.list()).map(it => it.memories),
      [1],
    );
    const [place] = await engine.hub.places();
    assert.deepEqual([place?.id, place?.isOpen, place?.memories], [projectKey(), true, 1]);
    assert.deepEqual(await foldersWithMemory(host.dataDir, host.workspaceFolders), host.workspaceFolders);
  });

  it('starts no session with what the file here knew', async () => {
    await keep(ferry);
    await move();
    const text = await loadSessionStartContext({
      dataDir: host.dataDir,
      modelsDir: host.modelsDir,
      onlyStore: undefined,
      program: 'claude-code',
      client: 'test',
      folders: host.workspaceFolders,
      now: host.now(),
      rules: defaultConfig.decay,
      tokenBudget: 1_000,
    });
    assert.doesNotMatch(text, /ferry/u);
    assert.match(text, /memories of this project are on a server/u);
  });

  it('costs a prompt little time where the server takes a connection and says nothing', async () => {
    await keep(ferry);
    await move();
    const sockets: net.Socket[] = [];
    const silent = net
      .createServer(it => sockets.push(it.resume().on('error', () => undefined)))
      .listen(0, '127.0.0.1');
    await once(silent, 'listening');
    closeAfterTest(async () => {
      for (const it of sockets) it.destroy();
      silent.close();
      await once(silent, 'close');
    });
    const { port } = silent.address() as net.AddressInfo;
    useAddress(`postgres://${login}:secret@127.0.0.1:${String(port)}/team`);
    const start = performance.now();
    const prompt = await loadPromptContext(host, { query: 'When does the ferry leave?' });
    assert.ok(performance.now() - start < 2_500);
    assert.doesNotMatch(prompt.context, /Bergen/u);
    await prompt.finish();
    // Nothing waits on: a command ends with its answer.
    await pause(500);
    assert.ok(sockets.length > 0 && sockets.every(it => it.destroyed || it.readableEnded));
  });

  it('finds no damage, and names no copies of the file here, while the server is away', async () => {
    await keep(ferry);
    await engine.checkpoints.make('before');
    await move();
    await server.halt();
    try {
      await reopen();
      assert.deepEqual(
        (await engine.verify()).map(it => it.problems),
        [[], []],
      );
      assert.deepEqual(
        (await engine.checkpoints.list()).filter(it => it.store === 'project'),
        [],
      );
    } finally {
      await server.resume();
    }
  });

  it('leaves the other memories usable where its place cannot be read', async () => {
    await keep(ferry);
    await move();
    writeFileSync(projectFile('store.json'), '{');
    await reopen();
    assert.match(String(engine.notices[0]), /store\.json says where the memories of this project lie/u);
    await storeMemory(engine, 'I prefer tabs.', { gate: 'behavioral', kind: 'preference' });
  });
});
