import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

describe('isolated sets', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost({ project: true });
    engine = await host.open();
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
    const related = async (): Promise<unknown> => [
      (await engine.graph.neighbors(newer)).map(it => it.memory.id),
      (await engine.conflicts.list()).length,
      (await engine.conflicts.list({ scopeId: 'trial' })).length,
    ];
    assert.deepEqual(await related(), [[older], 1, 0]);
    await engine.sets.move([newer], 'trial');
    assert.deepEqual(await related(), [[], 0, 0]);
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
