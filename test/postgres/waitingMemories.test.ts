import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { EngineError } from '../../src/engine/base/errors.js';
import { PostgresStore } from '../../src/engine/store/postgres/postgresStore.js';
import { SqliteStore } from '../../src/engine/store/sqlite/sqliteStore.js';
import type { Store } from '../../src/engine/store/store.js';
import { ServerEngineHolder, type EngineRequest } from '../../src/mcp/serverEngineHolder.js';
import { closeAfterTest, memoryInput, storeMemory, TestHost } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, freshName } from './kit.js';

type Host = TestHost & { secret?: (name: string) => Promise<string | undefined> };

const ferry = 'The ferry leaves Bergen at noon.';
const shop = 'We deploy the shop with Kubernetes.';
const pier = 'The pier is closed in winter.';
const inProject = { store: 'project', gate: 'epistemic' } as const;

/** Lets the process end after it wrote to the stores of projects so many times and once more, as far as it can see. */
function endAfterWrite(allowed: number): () => void {
  let left = allowed;
  const restores = [SqliteStore.prototype, PostgresStore.prototype].map(prototype => {
    const original = Object.getOwnPropertyDescriptor(prototype, 'write')!;
    const write = original.value as Store['write'];
    const ending = async function (this: Store, ...args: Parameters<Store['write']>): Promise<unknown> {
      const result = await write.apply(this, args);
      if (this.kind === 'project' && left-- <= 0) throw new EngineError('aborted', 'The process has ended.');
      return result;
    };
    Object.defineProperty(prototype, 'write', { ...original, value: ending });
    return () => Object.defineProperty(prototype, 'write', original);
  });
  return () => {
    for (const restore of restores) restore();
  };
}

describe('what is remembered while the server of a project’s memories is away', () => {
  let server: PostgresServer;
  let host: Host;
  let engine: MemoryEngine;
  let known: string;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());
  beforeEach(async () => {
    host = new TestHost({ project: true });
    const login = freshName('waiting');
    await server.asAdmin(`CREATE ROLE ${login} LOGIN PASSWORD 'secret'; GRANT CREATE ON DATABASE team TO ${login}`);
    host.secret = name => Promise.resolve(name === 'teamConnection' ? addressOf(server, login, 'secret') : undefined);
    engine = await host.open();
    known = await storeMemory(engine, ferry, inProject);
    await engine.team.store.useServer(await engine.team.store.copyToServer());
    await engine.close();
    await server.halt();
    engine = await host.open();
  });
  afterEach(() => server.resume());

  const keep = (content: string): Promise<string> => storeMemory(engine, content, inProject);
  const listed = async (): Promise<readonly string[]> =>
    (await engine.list({ scope: 'project-only' })).map(it => it.content).sort();
  /** The server is back, and all that waited has been taken there: closing waits for that. */
  const reopenOnServer = async (): Promise<void> => {
    await engine.close();
    await server.resume();
    await (await host.open()).close();
    engine = await host.open();
  };

  it('is kept here, says so, is found and can be changed', async () => {
    const [outcome] = await engine.remember(memoryInput(pier, inProject));
    assert.ok(outcome?.outcome === 'stored');
    assert.match(outcome.reason ?? '', /waits on this machine/u);
    assert.deepEqual([await listed(), await engine.team.store.countWaiting()], [[pier], 1]);
    const { hits, trace } = await engine.recall({ query: 'Is the pier open in winter?' });
    assert.deepEqual(
      hits.map(it => it.memory.content),
      [pier],
    );
    assert.match(JSON.stringify(trace.degraded), /did not answer in time/u);
    await engine.pin(outcome.id);
    assert.equal((await engine.get(outcome.id)).pinned, true);
    await engine.forget(outcome.id);
    assert.deepEqual([await listed(), await engine.team.store.countWaiting()], [[], 0]);
    await assert.rejects(engine.pin(known), { name: 'EngineError', code: 'notFound' });
  });

  it('is not taken for all that the project knows: nothing is published or synced of it alone', async () => {
    await keep(pier);
    for (const attempt of [() => engine.publishing.preview({ targets: ['agents'] }), () => engine.sync.run()])
      await assert.rejects(attempt, { name: 'EngineError', code: 'storeUnavailable' });
  });

  it('is gone for good when a person deletes it so', async () => {
    const id = await keep(pier);
    await engine.deletion.purge([id]);
    assert.deepEqual(await listed(), []);
    await reopenOnServer();
    assert.deepEqual(await listed(), [ferry]);
  });

  it('is no store that a reset would take for the project’s, and has no copies', async () => {
    await keep(pier);
    await assert.rejects(engine.deletion.reset(engine.stores[0]!.file), {
      name: 'EngineError',
      code: 'storeUnavailable',
    });
    host.advanceDays(2);
    await keep(shop);
    assert.deepEqual(
      (await engine.checkpoints.list()).filter(it => it.store === 'project'),
      [],
    );
    await reopenOnServer();
    assert.deepEqual(await listed(), [ferry, pier, shop].sort());
  });

  it('says nothing of waiting for what belongs to no project', async () => {
    const [outcome] = await engine.remember(memoryInput('I prefer tabs.', { store: 'global', gate: 'behavioral' }));
    assert.ok(outcome?.outcome === 'stored' && outcome.reason === undefined);
  });

  it('arrives when the server is back, as it is here, in its order', async () => {
    const first = await keep(pier);
    await engine.revise({ id: first, questions: ['May I walk on the pier?'], keywords: ['jetty'] }, 'person');
    await engine.pin(first);
    const second = await keep(shop);
    await engine.graph.link(second, 'refines', first);
    const before = await engine.get(first);
    await reopenOnServer();
    assert.deepEqual([await listed(), await engine.team.store.countWaiting()], [[ferry, pier, shop].sort(), 0]);
    const { sequence, centrality, ...after } = await engine.get(first);
    const { sequence: _, centrality: __, ...same } = before;
    assert.deepEqual(after, same);
    assert.deepEqual((await engine.aids([first])).get(first), {
      questions: ['May I walk on the pier?'],
      keywords: ['jetty'],
    });
    assert.deepEqual(
      (await engine.graph.edgesBetween([first, second])).map(it => it.type),
      ['refines'],
    );
    assert.ok((await engine.get(second)).sequence > sequence);
    const { hits } = await engine.recall({ query: 'How do we deploy the shop?' });
    assert.equal(hits[0]?.memory.content, shop);
    assert.deepEqual(
      (await engine.verify()).map(it => it.problems),
      [[], []],
    );
  });

  it('is said again of what the server knows, which what replaced it here contradicts there', async () => {
    const again = await keep(ferry);
    const changed = await storeMemory(engine, 'The ferry leaves Bergen at two.', { ...inProject, lane: 'note' });
    await engine.revise({ id: again, replacedBy: changed }, 'model');
    await reopenOnServer();
    const actions = (await engine.explainer.history(known)).map(it => it.action);
    assert.deepEqual(actions, ['create', 'reinforce', 'mark']);
    const pairs = (await engine.conflicts.list()).map(it => [it.newer.memory.id, it.older.memory.id].sort());
    assert.deepEqual(pairs, [[known, changed].sort()]);
  });

  it('stays forgotten, done or replaced where it was here', async () => {
    const forgotten = await keep(pier);
    await engine.forget(forgotten);
    const old = await keep('The shop runs on port 8080.');
    const current = await keep('The shop runs on port 9090.');
    await engine.revise({ id: old, replacedBy: current }, 'person');
    const [before] = await engine.graph.edgesBetween([old, current]);
    assert.equal(before?.mark?.by, 'person');
    await reopenOnServer();
    assert.equal((await engine.get(forgotten)).status, 'archived');
    const [after] = await engine.graph.edgesBetween([old, current]);
    assert.deepEqual(after?.mark, before.mark);
    // As a person who forgot it is not overruled by a machine that notes it.
    const [outcome] = await engine.remember(memoryInput(pier, { ...inProject, source: 'conversation', lane: 'note' }));
    assert.equal(outcome?.outcome, 'refused');
  });

  it('arrives once, wherever its way is interrupted', async () => {
    await keep(ferry);
    await keep(pier);
    await engine.close();
    await server.resume();
    // Each time a later one of the writes is the last that its process makes.
    for (let allowed = 0; allowed < 4; allowed++) {
      const restore = endAfterWrite(allowed);
      await (await host.open()).close();
      restore();
    }
    await (await host.open()).close();
    engine = await host.open();
    assert.deepEqual([await listed(), (await engine.get(known)).reinforcementCount], [[ferry, pier], 2]);
  });

  it('arrives from a server of MCP, too, which has the other memories again without a new start', async () => {
    await engine.close();
    const request: EngineRequest = {
      client: 'mcp:test',
      folders: host.workspaceFolders,
      onlyStore: undefined,
      comparesMeaning: true,
    };
    const holder = new ServerEngineHolder(
      () => host.open(),
      host.log,
      () => undefined,
      100,
    );
    closeAfterTest(() => holder.close());
    await storeMemory(await holder.engine(request), pier, inProject);
    await server.resume();
    const contents = async (): Promise<readonly string[]> => {
      try {
        return (await (await holder.engine(request)).list({ scope: 'project-only' })).map(it => it.content).sort();
      } catch (error) {
        if (EngineError.is(error, 'closed')) return [];
        throw error;
      }
    };
    while ((await contents()).length < 2) await pause(50);
    assert.deepEqual(await contents(), [ferry, pier]);
  });
});
