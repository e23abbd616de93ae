import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { storeMemory, storeProblems, TestHost, writeToStore } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

/** A word that occurs in one memory alone, in any form. */
const mark = 'Zanzibarquay';
const secret = `The ${mark} gate opens with the harbour master's birthday.`;

/** Files below the data folder in which the mark can be read, as text or as a term. */
function traces(host: TestHost): string[] {
  return readdirSync(host.dataDir, { recursive: true, encoding: 'utf8' }).filter(name => {
    const file = path.join(host.dataDir, name);
    return statSync(file).isFile() && readFileSync(file).toString('latin1').toLowerCase().includes(mark.toLowerCase());
  });
}

describe('deleting for good', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let id: string;

  beforeEach(async () => {
    host = new TestHost();
    engine = await host.open();
    for (let i = 0; i < 20; i++) await storeMemory(engine, `Berth ${i} takes boats of ${i + 5} metres.`);
    id = await storeMemory(engine, secret);
    await storeMemory(engine, `The ${mark} gate opens with a key.`.replace(mark, 'north'));
    await engine.checkpoints.make('before');
    host.advanceDays(1);
    await engine.recall({ query: `how does the ${mark.toLowerCase()} gate open` });
    await storeMemory(engine, 'The next day a backup is made.');
  });

  it('purges a memory from the file, its copies and everything that quotes it', async () => {
    assert.ok(traces(host).length >= 3, traces(host).join());
    await engine.pin(id);
    const erased = await engine.deletion.purge([`#${id.slice(-8)}`]);
    assert.deepEqual(erased, { memories: 1, copies: 2, left: [] });
    assert.deepEqual(traces(host), []);
    await assert.rejects(engine.get(id), error => EngineError.is(error, 'notFound'));
    assert.deepEqual(
      (await engine.recall({ query: 'how does the gate open' })).hits.map(it => it.memory.content),
      ['The north gate opens with a key.'],
    );
    assert.deepEqual(await storeProblems(engine), []);
  });

  describe('of a memory that is in two stores, as an interrupted move leaves it,', () => {
    const contents = async (): Promise<string[]> => (await engine.list({ limit: 200 })).map(it => it.content);
    let both: TestHost;
    beforeEach(async () => {
      both = new TestHost({ project: true });
      engine = await both.open();
      id = await storeMemory(engine, secret);
      const { store, centrality, ...copy } = await engine.get(id);
      const { file } = engine.stores.find(it => it.kind === 'project')!;
      await writeToStore(both, 'project', file, tx => tx.insertMany([copy]));
    });

    it('purges it from both, and says so', async () => {
      assert.deepEqual(await contents(), [secret, secret]);
      const deleted = await engine.deletion.purge([id]);
      assert.deepEqual([deleted.memories, deleted.repeated], [1, 1]);
      assert.deepEqual([await contents(), traces(both)], [[], []]);
    });

    it('purges it from one where only that is meant, and nothing where it is not there', async () => {
      assert.deepEqual(await engine.deletion.purge([id], { scope: 'project-only' }), {
        memories: 1,
        copies: 0,
        left: [],
      });
      assert.equal((await engine.get(id)).store, 'global');
      await assert.rejects(engine.deletion.purge([id], { scope: 'project-only' }), it =>
        EngineError.is(it, 'notFound'),
      );
      assert.deepEqual(await contents(), [secret]);
    });
  });

  it('purges a moved memory from the copies and traces of the store that it was in', async () => {
    const moving = new TestHost({ project: true });
    engine = await moving.open();
    id = await storeMemory(engine, secret, { store: 'project' });
    await storeMemory(engine, 'The crane stands.', { store: 'project' });
    await engine.checkpoints.make('before');
    await engine.recall({ query: secret });
    const { moved } = await engine.moves.move([id], 'global');
    assert.equal(moved.length, 1);
    await engine.recall({ query: secret });
    await engine.checkpoints.make('with a question that quotes it');
    const deleted = await engine.deletion.purge([id]);
    assert.deepEqual([deleted.memories, deleted.repeated, deleted.left], [1, undefined, []]);
    assert.deepEqual(traces(moving), []);
    assert.deepEqual(await storeProblems(engine), []);
    assert.deepEqual(
      (await engine.list({})).map(it => it.content),
      ['The crane stands.'],
    );
  });

  it('leaves a store alone that never had it', async () => {
    const two = new TestHost({ project: true });
    engine = await two.open();
    await storeMemory(engine, 'The crane stands.', { store: 'project' });
    await engine.checkpoints.make('before');
    id = await storeMemory(engine, secret);
    const { file } = engine.stores.find(it => it.kind === 'project')!;
    const before = statSync(file).mtimeMs;
    assert.deepEqual(await engine.deletion.purge([id]), { memories: 1, copies: 0, left: [] });
    assert.equal(statSync(file).mtimeMs, before);
  });

  it('purges every record that quotes it', async () => {
    const quote = JSON.stringify({ items: [{ content: secret }] });
    const story = JSON.stringify({ file: 'a', offset: 9, tail: '', story: { request: secret, session: 'tide-7' } });
    const cell = (kind: string, name: string, body: string): string =>
      `INSERT INTO records VALUES ('${kind}', '${name}', '2026-03-02', '${body.replaceAll("'", "''")}')`;
    await sql(
      host.globalFile,
      cell('state', 'candidates:claudeCode:1', quote),
      cell('cursor', 'claudeCode:1', story),
      cell('request', id, JSON.stringify({ reason: 'it is wrong' })),
      cell('state', 'candidates:claudeCode:2', JSON.stringify({ items: [{ content: mark, session: 'tide-7' }] })),
      cell(
        'review',
        'candidates 1',
        JSON.stringify({ candidates: [{ items: [{ content: mark, session: 'tide-7' }] }] }),
      ),
    );
    await engine.deletion.purge([id], { session: 'tide-7' });
    assert.deepEqual(traces(host), []);
    const left = await sql(
      host.globalFile,
      "SELECT kind, id, body ->> 'offset' AS offset FROM records WHERE kind <> 'state'",
    );
    assert.deepEqual(
      left.map(it => ({ ...it })),
      [{ kind: 'cursor', id: 'claudeCode:1', offset: 9 }],
    );
  });

  it('purges what the undo of a review has of a session, and leaves it what it has of others', async () => {
    const item = (content: string, session: string): object => ({ content, session, choice: 'drop', memories: [] });
    const candidates = [
      { record: 'candidates:1', items: [item(mark, 'tide-7')] },
      { record: 'candidates:2', items: [item('The crane stands.', 'tide-8')] },
    ];
    const body = JSON.stringify({ at: '2026-03-02', memories: {}, candidates });
    await sql(host.globalFile, `INSERT INTO records VALUES ('review', 'candidates 1', '2026-03-02', '${body}')`);
    await engine.deletion.purge([id], { session: 'tide-7' });
    assert.deepEqual(traces(host), []);
    const [left] = await sql(host.globalFile, "SELECT body FROM records WHERE kind = 'review'");
    assert.deepEqual((JSON.parse(left!.body as string) as { readonly candidates: object }).candidates, [candidates[1]]);
  });

  for (const [where, isInCopyAlone] of [
    ['a store', false],
    ['a copy of a store', true],
  ] as const) {
    it(`purges what quotes it in ${where} that never had it`, async () => {
      const two = new TestHost({ project: true });
      engine = await two.open();
      await storeMemory(engine, 'The crane stands.', { store: 'project' });
      id = await storeMemory(engine, secret);
      const { file } = engine.stores.find(it => it.kind === 'project')!;
      const body = JSON.stringify({ items: [{ content: secret }] }).replaceAll("'", "''");
      await sql(file, `INSERT INTO records VALUES ('state', 'candidates:1', '2026-03-02', '${body}')`);
      if (isInCopyAlone) {
        await engine.checkpoints.make('before');
        await sql(file, "DELETE FROM records WHERE id = 'candidates:1'");
      }
      const { memories, left } = await engine.deletion.purge([id]);
      assert.deepEqual([memories, left], [1, []]);
      assert.deepEqual(traces(two), []);
      assert.deepEqual(await storeProblems(engine), []);
    });
  }

  it('keeps it away when a checkpoint is restored, which is whole', async () => {
    await engine.deletion.purge([id]);
    const [checkpoint] = (await engine.checkpoints.list()).filter(it => it.origin === 'person');
    assert.equal(checkpoint!.memories, 21);
    assert.equal(checkpoint!.reason, 'before');
    await engine.checkpoints.restore(checkpoint!.id);
    assert.equal((await engine.list({ limit: 100 })).length, 21);
    assert.deepEqual(traces(host), []);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('names the files that it cannot clean', async () => {
    const [checkpoint] = (await engine.checkpoints.list()).filter(it => it.origin === 'person');
    writeFileSync(checkpoint!.file, readFileSync(checkpoint!.file).fill(7, 0, 4_096));
    const aside = path.join(path.dirname(host.globalFile), 'memory.damaged-2026-01-01T00-00-00-000Z.db');
    writeFileSync(aside, 'what was left');
    const { memories, left } = await engine.deletion.purge([id]);
    assert.equal(memories, 1);
    assert.deepEqual(left, [checkpoint!.file, aside]);
    const logged = host.logLines.filter(it => it.includes(checkpoint!.file));
    assert.match(logged.join('\n'), /could not be cleaned .*EngineError: .* is damaged/u);
    assert.doesNotMatch(host.logLines.join('\n'), new RegExp(mark, 'iu'));
  });

  it('deletes nothing when one of the references is unknown', async () => {
    await assert.rejects(engine.deletion.purge([id, 'ffffffff']), error => EngineError.is(error, 'notFound'));
    assert.equal((await engine.get(id)).content, secret);
  });

  it('notifies other processes', async () => {
    const other = await host.open();
    assert.equal((await other.recall({ query: `${mark} gate` })).hits[0]?.memory.id, id);
    await engine.deletion.purge([id]);
    const { hits } = await other.recall({ query: `${mark} gate` });
    assert.ok(hits.every(it => it.memory.id !== id));
    await other.deletion.reset(host.globalFile);
    assert.deepEqual(await engine.list(), []);
    assert.deepEqual((await engine.recall({ query: 'berth' })).hits, []);
  });

  it('empties a store, which can be used at once', async () => {
    await engine.goals.add(`Paint the ${mark} gate`);
    const erased = await engine.deletion.reset(host.globalFile);
    assert.deepEqual(erased, { memories: 23, copies: 2, left: [] });
    assert.deepEqual(traces(host), []);
    assert.deepEqual(
      [await engine.list(), await engine.traces(), await engine.goals.list(), await engine.checkpoints.list()],
      [[], [], [], []],
    );
    const again = await storeMemory(engine, secret);
    assert.equal((await engine.recall({ query: 'harbour master birthday' })).hits[0]?.memory.id, again);
    assert.deepEqual(await storeProblems(engine), []);
    await assert.rejects(engine.deletion.reset('/elsewhere'), error => EngineError.is(error, 'notFound'));
  });
});
