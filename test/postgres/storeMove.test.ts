import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { defaultConfig } from '../../src/engine/model/config.js';
import { loadSessionStartContext } from '../../src/engine/hooks/sessionStartContext.js';
import { storeMemory, TestHost } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, freshName } from './kit.js';

type Host = TestHost & { secret?: (name: string) => Promise<string | undefined> };

const ferry = 'The ferry leaves Bergen at noon.';
const shop = 'We deploy the shop with Kubernetes.';

describe("a project's store that moves to a server", () => {
  let server: PostgresServer;
  let host: Host;
  let engine: MemoryEngine;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());
  beforeEach(async () => {
    host = new TestHost({ project: true });
    // A login of its own, and so a database of its own schemas.
    const login = freshName('mover');
    await server.asAdmin(`CREATE ROLE ${login} LOGIN PASSWORD 'secret'; GRANT CREATE ON DATABASE team TO ${login}`);
    host.secret = name => Promise.resolve(name === 'teamConnection' ? addressOf(server, login, 'secret') : undefined);
    engine = await host.open();
  });
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

  /** Schema of the moved store. */
  const schemaThere = async (): Promise<string> => {
    const { name } = await engine.team.store.place();
    return /\((recollect_\w+)\)$/u.exec(name)![1]!;
  };

  /** What a person can see of the project's memories. */
  const seen = async (id: string): Promise<object> => ({
    all: await listed(),
    // How often it was recalled is another one each time that this asks.
    memory: { ...(await engine.get(id)), accessCount: 0, accessedAt: undefined },
    aids: [...(await engine.aids([id])).values()],
    history: (await engine.explainer.history(id)).map(it => it.action),
    answer: (await engine.recall({ query: 'how does the shop go live?' })).hits.map(it => it.memory.content),
    edges: (await engine.graph.edgesBetween((await engine.list({ scope: 'project-only' })).map(it => it.id))).length,
    traces: (await engine.traces()).length > 0,
  });

  it('shows there what it showed here: texts, links, search words, history and answers', async () => {
    const [first, second] = [await keep(ferry), await keep(shop)];
    await engine.graph.link(first, 'refines', second);
    await engine.revise({ id: second, questions: ['How does the shop go live?'], keywords: ['k8s'] }, 'person');
    await engine.embedMissing();
    const here = await seen(second);
    await move();
    assert.equal((await engine.team.store.place()).kind, 'server');
    assert.deepEqual(await seen(second), here);
    assert.deepEqual(
      (await engine.verify()).map(it => it.problems),
      [[], []],
    );
  });

  it('answers there by the vectors of questions, too, and takes them back', async () => {
    host.settings = defaultConfig;
    await reopen();
    const id = await keep(shop);
    await keep(ferry);
    await engine.revise({ id, questions: ['Where are our programs hosted?'], keywords: ['cluster'] }, 'person');
    await engine.embedMissing();
    const answer = async (): Promise<object> => {
      const ask = (): ReturnType<MemoryEngine['recall']> =>
        engine.recall({ query: 'Where do we host our programs?', mode: 'fresh' });
      let { hits, trace } = await ask();
      // The encoder is read in the background.
      for (; trace.degraded.length > 0; { hits, trace } = await ask()) await pause(50);
      const round = (it: number): number => Math.round(it * 1e3) / 1e3;
      const factors = trace.candidates.map(({ factors }) =>
        Object.fromEntries(Object.entries(factors.features).map(([name, it]) => [name, round(it)])),
      );
      return { hits: hits.map(it => it.memory.content), factors };
    };
    const here = await answer();
    await move();
    assert.deepEqual(await answer(), here);
    assert.deepEqual(
      (await engine.verify()).map(it => it.problems),
      [[], []],
    );
    await engine.team.store.moveHere();
    await reopen();
    assert.equal((await engine.team.store.place()).kind, 'local');
    assert.deepEqual(await answer(), here);
  });

  it('stays open for longer than its opening may take', async () => {
    await move();
    await pause(3_500);
    await keep(ferry);
    assert.deepEqual(await listed(), [ferry]);
  });

  it('is written there from then on, and here by no process that was open before', async () => {
    const older = await host.open();
    await keep(ferry);
    await move();
    await keep(shop);
    assert.deepEqual(await listed(), [ferry, shop]);
    await assert.rejects(
      storeMemory(older, 'The pier is closed.', { store: 'project', gate: 'epistemic' }),
      /were moved to a server\. Open this window or program again/u,
    );
    assert.deepEqual(
      (await older.list({ scope: 'project-only' })).map(it => it.content),
      [ferry],
    );
  });

  it('is seen to change by another program at once', async () => {
    await keep(ferry);
    await move();
    const other = await host.open();
    let onHeard = (): void => undefined;
    other.onDidChange(({ store }) => {
      if (store === 'project') onHeard();
    });
    const nextChange = (): Promise<void> =>
      new Promise(resolve => {
        onHeard = resolve;
      });
    // It hears what is written once it listens.
    const listening = nextChange();
    const writes: Promise<string>[] = [];
    const timer = setInterval(() => writes.push(keep(`Buoy ${String(writes.length)} lies at the pier.`)), 200);
    await listening;
    clearInterval(timer);
    await Promise.all(writes);
    const heard = nextChange();
    await keep('The pier is closed.');
    await heard;
    assert.ok((await other.list({ scope: 'project-only' })).some(it => it.content === 'The pier is closed.'));
  });

  it('stays where it is until it is confirmed, and where memories changed meanwhile', async () => {
    await keep(ferry);
    const copy = await engine.team.store.copyToServer();
    assert.equal(copy.memories, 1);
    assert.equal((await engine.team.store.place()).kind, 'local');
    await keep(shop);
    await assert.rejects(engine.team.store.useServer(copy), /have changed since they were copied/u);
    await keep('The pier is closed.');
    await move();
    assert.deepEqual(await listed(), [ferry, 'The pier is closed.', shop].sort());
  });

  it('goes on where it was stopped', async () => {
    const contents = Array.from({ length: 1_500 }, (_, i) => `Buoy ${String(i)} lies at pier ${String(i * 7)}.`);
    await engine.rememberAll(
      contents.map(content => ({ content, store: 'project', source: 'explicit', verbatim: true })),
    );
    const stopping = new AbortController();
    const stopped = engine.team.store.copyToServer({
      signal: stopping.signal,
      onProgress: () => {
        stopping.abort();
      },
    });
    await assert.rejects(stopped, /The move was stopped/u);
    const done: number[] = [];
    const copy = await engine.team.store.copyToServer({ onProgress: it => done.push(it.done) });
    assert.deepEqual([done, copy.memories], [[1_500], 1_500]);
  });

  it('comes back with what was added there, and leaves both sources until a person deletes them', async () => {
    await keep(ferry);
    await move();
    const { source } = await engine.team.store.place();
    assert.ok(existsSync(source!));
    await engine.team.store.deleteSource();
    assert.ok(!existsSync(source!));
    const id = await keep(shop);
    const there = await seen(id);
    assert.equal(await engine.team.store.moveHere(), 2);
    await assert.rejects(keep('The pier is closed.'), /were moved from .* to a machine/u);
    await reopen();
    assert.equal((await engine.team.store.place()).kind, 'local');
    assert.deepEqual(await seen(id), there);
    await keep('The pier is closed.');
    await assert.rejects(engine.team.store.copyToServer(), /still holds what was moved from there/u);
    await engine.team.store.deleteSource();
    await move();
    assert.equal((await listed()).length, 3);
  });

  it('takes no write of a program that was open before a newer one changed it, and none moves it back', async () => {
    await keep(ferry);
    await move();
    const schema = await schemaThere();
    await server.asAdmin(`UPDATE ${schema}.meta SET value = '99' WHERE key = 'version'`);
    await assert.rejects(keep(shop), { code: 'storeTooNew' });
    await assert.rejects(engine.team.store.moveHere(), { code: 'storeTooNew' });
    const rows = await server.asAdmin(`SELECT content FROM ${schema}.memories`);
    assert.deepEqual(rows, [{ content: ferry }]);
    assert.equal((await engine.team.store.place()).kind, 'server');
  });

  it('is deleted where it was only when all of it has arrived', async () => {
    const id = await keep(ferry);
    await move();
    const schema = await schemaThere();
    // As a server that lost what it had: its owner may do so.
    await server.asAdmin(`ALTER TABLE ${schema}.memories DISABLE TRIGGER USER; DELETE FROM ${schema}.memories`);
    await assert.rejects(
      engine.team.store.deleteSource(),
      /holds memories that the server has neither kept nor deleted/u,
    );
    await server.asAdmin(`ALTER TABLE ${schema}.memories ENABLE TRIGGER USER`);
    await engine.team.store.moveHere();
    await reopen();
    await keep(shop);
    // What the file here has deleted since may go there, too; what it never had may not.
    await engine.deletion.purge([(await engine.list({ scope: 'project-only' }))[0]!.id]);
    await server.asAdmin(`ALTER TABLE ${schema}.memories DISABLE TRIGGER ALL`);
    await server.asAdmin(`INSERT INTO ${schema}.memories SELECT (jsonb_populate_record(NULL::${schema}.memories,
      '{"row": 1, "id": "${id}", "content": "x", "summary": "x", "gate": "epistemic", "kind": "fact", "lane": "note",
        "decay_class": "durable", "confidence": 50, "priority": 1, "pinned": 0, "reinforcement_count": 1, "access_count": 0,
        "useful_count": 0, "feedback": 0, "tags": "[]", "sensitive": 0, "status": "active", "scope_id": "", "sequence": 1,
        "content_hash": "x", "source": "import", "provenance": "{}", "created_at": "x", "updated_at": "x", "reinforced_at": "x",
        "change": 1, "terms": "", "in_degree": 0}')).*`);
    await assert.rejects(engine.team.store.deleteSource(), /holds memories that .* has neither kept nor deleted/u);
    await server.asAdmin(`DELETE FROM ${schema}.memories`);
    await engine.team.store.deleteSource();
  });

  it('is briefed from what this machine had last while the server is away, and of nothing that was put away since', async () => {
    const start = (): Promise<string> =>
      loadSessionStartContext({
        ...{
          dataDir: host.dataDir,
          modelsDir: host.modelsDir,
          client: 'test',
          program: 'claude-code',
          onlyStore: undefined,
        },
        ...{ folders: host.workspaceFolders, now: new Date(host.time), rules: host.config().decay, tokenBudget: 500 },
      });
    const id = await keep(ferry);
    await keep(shop);
    await move();
    assert.match(await start(), /is not asked at the start of a session\. Recall them/u);
    await engine.close();
    await server.halt();
    try {
      const briefing = await start();
      assert.match(briefing, /Here are those that this machine had last, on \d{4}-\d\d-\d\d; recall the others/u);
      for (const it of [ferry, shop]) assert.ok(briefing.includes(it), briefing);
    } finally {
      await server.resume();
    }
    engine = await host.open();
    await engine.forget(id);
    assert.ok(!(await start()).includes(ferry));
    await engine.close();
    assert.ok(!(await start()).includes(ferry));
    assert.ok((await start()).includes(shop));
    engine = await host.open();
    await engine.team.store.moveHere();
    await reopen();
    assert.ok((await start()).includes(shop));
  });

  it('is missing, and says so, while the server is away; the rest goes on', async () => {
    await keep(ferry);
    await storeMemory(engine, 'I prefer tabs.', { gate: 'behavioral', kind: 'preference' });
    await move();
    await server.halt();
    try {
      await reopen();
      assert.match(String(engine.notices[0]), /memories of this project are on a server and missing here/u);
      assert.deepEqual(
        (await engine.list()).map(it => it.content),
        ['I prefer tabs.'],
      );
      await keep(shop);
      assert.deepEqual(await listed(), [shop]);
    } finally {
      await server.resume();
    }
    await reopen();
    await reopen(); // What waited is there: closing waits for that.
    assert.deepEqual(await listed(), [ferry, shop]);
  });

  it('answers from the rest when the server goes away while it is open', async () => {
    await keep(ferry);
    await storeMemory(engine, 'The ferry is my favorite.', { gate: 'behavioral', kind: 'preference' });
    await move();
    await server.halt();
    try {
      const { hits } = await engine.recall({ query: 'when does the ferry leave?' });
      assert.deepEqual(
        hits.map(it => it.memory.content),
        ['The ferry is my favorite.'],
      );
    } finally {
      await server.resume();
    }
    const { hits } = await engine.recall({ query: 'when does the ferry leave?' });
    assert.equal(hits[0]?.memory.content, ferry);
  });

  it('takes the place of no other store', async () => {
    await keep(ferry);
    await move();
    const other: Host = new TestHost({ project: true });
    other.secret = host.secret!;
    other.workspaceFolders = host.workspaceFolders;
    const elsewhere = await other.open();
    await storeMemory(elsewhere, shop, { store: 'project', gate: 'epistemic' });
    await assert.rejects(elsewhere.team.store.copyToServer(), /holds memories that are not from here/u);
  });
});
