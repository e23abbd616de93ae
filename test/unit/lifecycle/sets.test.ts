import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import { symmetricEdgeTypes } from '../../../src/engine/model/edge.js';
import {
  linkContradiction,
  storeMemory,
  storeProblems,
  temporaryFolder,
  TestHost,
  writeToStore,
} from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

/** The edges in the file of the global store, resting ones included. A symmetric one begins at the first id. */
async function storedEdges(host: TestHost): Promise<readonly Record<string, unknown>[]> {
  const types = symmetricEdgeTypes.map(it => `'${it}'`).join();
  const query = `SELECT iif(e.type IN (${types}), min(s.id, t.id), s.id) AS first, e.type,
      iif(e.type IN (${types}), max(s.id, t.id), t.id) AS last, settled_at IS NULL AS open, marked_by,
      CASE outdated WHEN 'source' THEN s.id WHEN 'target' THEN t.id END AS outdated
    FROM edges e JOIN memories s ON s.row = e.source JOIN memories t ON t.row = e.target
    ORDER BY e.type, first, last`;
  return sql(host.globalFile, query);
}

describe('isolated sets', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost({ project: true });
    engine = await host.open();
  });

  it('keeps all of a set in one store, that of the first memory', async () => {
    const storeOf = async (content: string, scopeId: string, store?: 'global' | 'project'): Promise<string> => {
      const id = await storeMemory(engine, content, { scopeId, ...(store === undefined ? {} : { store }) });
      return (await engine.get(id)).store;
    };
    assert.equal(await storeOf('The crane lifts two tonnes.', 'crane', 'project'), 'project');
    assert.equal(await storeOf('The crane is painted yellow.', 'crane'), 'project');
    assert.equal(await storeOf('The crane is oiled in May.', 'crane', 'global'), 'project');
    assert.equal(await storeOf('The ferry is called Perpetua.', 'ferry'), 'global');
    assert.equal(await storeOf('The ferry leaves at nine.', 'ferry', 'project'), 'global');
    const ofOneCall = ['The pilot sleeps at noon.', 'The pilot eats at six.'].map(content => ({
      content,
      scopeId: 'pilot',
      source: 'explicit' as const,
    }));
    const outcomes = await engine.rememberAll([{ ...ofOneCall[0]!, store: 'project' }, ofOneCall[1]!]);
    assert.deepEqual(
      outcomes.flat().map(it => (it.outcome === 'refused' ? it.reason : it.store)),
      ['project', 'project'],
    );
  });

  const found = async (query: string, scopeId?: string): Promise<string[]> => {
    const input = scopeId === undefined ? { query } : { query, scopeId };
    return (await engine.recall({ ...input, isUntracked: true })).hits.map(it => it.memory.content).sort();
  };

  it('take a memory with everything that belongs to it, and moving back undoes it', async () => {
    const aids = { questions: ['Which day is release day?'], keywords: ['cadence'] };
    const id = await storeMemory(engine, 'Releases happen on Thursdays.', { aids, tags: ['release'], priority: 8 });
    assert.deepEqual(await found('release cadence'), ['Releases happen on Thursdays.']);
    const before = await engine.get(id);
    const { moved, refused } = await engine.sets.move([id.slice(-8)], 'trial');
    assert.deepEqual([moved.map(it => it.id), refused], [[id], []]);
    const there = await engine.get(id);
    assert.deepEqual(there, { ...before, scopeId: 'trial', sequence: there.sequence });
    assert.deepEqual((await engine.aids([id])).get(id), aids);
    assert.deepEqual(
      [await found('release cadence'), await found('release cadence', 'trial'), await found('release', 'other')],
      [[], ['Releases happen on Thursdays.'], []],
    );
    await engine.sets.move([id]);
    const back = await engine.get(id);
    assert.deepEqual(back, { ...before, sequence: back.sequence });
    assert.deepEqual(
      [await found('release cadence'), await found('release cadence', 'trial')],
      [['Releases happen on Thursdays.'], []],
    );
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('are found by an engine that reads the index file of another one', async () => {
    const id = await storeMemory(engine, 'Releases happen on Thursdays.');
    await found('releases');
    await engine.close();
    engine = await host.open();
    await engine.sets.move([id], 'trial');
    assert.deepEqual([await found('releases'), (await found('releases', 'trial')).length], [[], 1]);
    await engine.close();
    engine = await host.open();
    assert.deepEqual([await found('releases'), (await found('releases', 'trial')).length], [[], 1]);
  });

  it('are listed with their counts over both stores, without the shared memories', async () => {
    await storeMemory(engine, 'Port one.');
    await storeMemory(engine, 'Port two.', { scopeId: 'b' });
    await storeMemory(engine, 'Port three.', { scopeId: 'a', store: 'project' });
    await engine.forget(await storeMemory(engine, 'Port four.', { scopeId: 'a' }));
    assert.deepEqual(await engine.sets.list(), [
      { scopeId: 'a', active: 1, archived: 1 },
      { scopeId: 'b', active: 1, archived: 0 },
    ]);
  });

  it('show no contradiction with a memory of another set, until both are in one again', async () => {
    const older = await storeMemory(engine, 'The build runs on Node 20.');
    const newer = await storeMemory(engine, 'The build runs on Node 22.');
    await linkContradiction(host, newer, older);
    const related = async (): Promise<unknown> => [
      [...new Set((await engine.graph.neighbors(newer)).map(it => it.memory.id))],
      (await engine.conflicts.list()).length,
      (await engine.conflicts.list({ scopeId: 'trial' })).length,
    ];
    assert.deepEqual(await related(), [[older], 1, 0]);
    await engine.sets.move([newer], 'trial');
    assert.deepEqual(await related(), [[], 0, 0]);
    await assert.rejects(engine.conflicts.resolve(newer, older, 'keepA'), EngineError);
    const { hits } = await engine.recall({ query: 'Which Node runs the build?' });
    assert.deepEqual(
      hits.map(it => [it.memory.id, it.contradicts?.length ?? 0]),
      [[older, 0]],
    );
    await engine.sets.move([older], 'trial');
    assert.deepEqual(await related(), [[older], 0, 1]);
    await engine.sets.move([older, newer]);
    assert.deepEqual(await related(), [[older], 1, 0]);
  });

  /** Two memories that contradict each other, a marked one and its replacement, and a superseded one and its successor. */
  async function related(): Promise<readonly string[]> {
    const facts = ['Node 20', 'Node 22', 'pnpm 8', 'pnpm 9', 'Redis 6', 'Redis 7'];
    const ids: string[] = [];
    for (const it of facts) ids.push(await storeMemory(engine, `The build runs on ${it}.`));
    await engine.revise({ id: ids[2]!, replacedBy: ids[3]! }, 'person');
    await linkContradiction(host, ids[1]!, ids[0]!);
    await linkContradiction(host, ids[5]!, ids[4]!);
    await engine.conflicts.resolve(ids[5]!, ids[4]!, 'keepA');
    return ids;
  }

  it('keep the edges between sets where a memory goes to another store and comes back', async () => {
    const ids = await related();
    const before = await storedEdges(host);
    for (const type of ['contradicts', 'supersedes'])
      assert.ok(
        (before as { type: string }[]).some(it => it.type === type),
        type,
      );
    const moved = [ids[1]!, ids[2]!, ids[4]!];
    await engine.sets.move(moved, 'trial');
    assert.deepEqual(await storedEdges(host), before);
    await engine.moves.move(moved, 'project');
    await engine.moves.move(moved, 'global');
    assert.deepEqual(await storedEdges(host), before);
    assert.equal((await engine.conflicts.list()).length, 0);
    await engine.sets.move(moved);
    assert.deepEqual(await storedEdges(host), before);
    assert.ok((await engine.conflicts.list()).length > 0);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('keep the edges between sets through export and import', async () => {
    const ids = await related();
    await engine.sets.move([ids[1]!, ids[2]!, ids[4]!], 'trial');
    const file = path.join(temporaryFolder(), 'memories.jsonl');
    let text = '';
    for await (const it of engine.exchange.export('jsonl')) text += it;
    writeFileSync(file, text);
    const other = new TestHost();
    const importing = await other.open();
    await importing.exchange.import({ path: file, format: 'recollect', own: true });
    assert.deepEqual(await storedEdges(other), await storedEdges(host));
    const again = await importing.exchange.import({ path: file, format: 'recollect', own: true });
    assert.equal(again.edges, 0);
  });

  it('answer with no description that is in another set', async () => {
    const ofCode = { source: 'code-index', lane: 'note', uri: 'file:///lock.ts', symbol: 'openGate' } as const;
    const code = await storeMemory(engine, 'openGate(width) { motor.turn(width) }', { ...ofCode, kind: 'code' });
    const description = await storeMemory(engine, 'Turns it.', { ...ofCode, kind: 'code-description' });
    await writeToStore(host, 'global', host.globalFile, tx =>
      tx.link([{ source: description, target: code, type: 'source_of', strength: 1, reason: 'It describes it.' }]),
    );
    const found = async (kinds?: 'code'[]): Promise<string[]> =>
      (await engine.recall({ query: 'openGate', ...(kinds && { kinds }) })).hits.map(it => it.memory.id);
    assert.deepEqual(await found(), [description]);
    await engine.sets.move([description], 'trial');
    assert.deepEqual([await found(), await found(['code'])], [[], [code]]);
  });

  it('take back a supersession also where its other end is in another set', async () => {
    const older = await storeMemory(engine, 'The build runs on Node 20.');
    const newer = await storeMemory(engine, 'The build runs on Node 22.');
    await linkContradiction(host, newer, older);
    await engine.conflicts.resolve(newer, older, 'keepA');
    await engine.sets.move([newer], 'trial');
    await storeMemory(engine, 'The build runs on Node 20.');
    const edges = await storedEdges(host);
    assert.deepEqual(
      [(await engine.get(older)).status, edges.map(it => it.type).filter(it => it === 'supersedes')],
      ['active', []],
    );
  });

  it('do not count edges from other sets as links to a memory', async () => {
    const older = await storeMemory(engine, 'The build runs on Node 20.');
    const newer = await storeMemory(engine, 'The build runs on Node 22.');
    const centralities = async (): Promise<number[]> =>
      Promise.all([older, newer].map(async it => (await engine.get(it)).centrality));
    const before = await centralities();
    assert.ok(before[0]! > 0);
    await engine.sets.move([newer], 'trial');
    assert.deepEqual(await centralities(), [0, 0]);
    await engine.sets.move([older], 'trial');
    assert.deepEqual(await centralities(), before);
    await engine.sets.move([older]);
    await engine.sets.move([newer]);
    assert.deepEqual(await centralities(), before);
  });

  it('refuse what they have already, and take the rest', async () => {
    const twin = await storeMemory(engine, 'The linter is oxlint.');
    const other = await storeMemory(engine, 'Squash every merge.');
    await storeMemory(engine, 'The linter is oxlint.', { scopeId: 'trial' });
    const { moved, refused } = await engine.sets.move([twin, other], 'trial');
    assert.deepEqual([moved.map(it => it.id), refused.map(it => it.memory.id)], [[other], [twin]]);
    assert.deepEqual(await engine.sets.move([other], 'trial'), { moved: [], refused: [] });
  });

  it('have plain names without a secret', async () => {
    const id = await storeMemory(engine, 'Squash every merge.');
    for (const name of ['x'.repeat(2_001), 'a\u0000b', `ghp_${'0aB1'.repeat(9)}`])
      await assert.rejects(engine.sets.move([id], name), error => EngineError.is(error, 'invalidInput'));
    assert.equal((await engine.get(id)).scopeId, undefined);
  });
});
