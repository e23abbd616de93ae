import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { ArchiveReason } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { writeToStore, storeMemory, storeProblems, memoryInput, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

describe('revisits', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost();
    engine = await host.open();
  });

  const plan = (content: string, rest: Partial<RememberInput> = {}): Promise<string> =>
    storeMemory(engine, content, { gate: 'promissory', ...rest });
  const archive = (id: string, archiveReason: ArchiveReason): Promise<void> =>
    writeToStore(host, 'global', host.globalFile, async tx => {
      const archivedAt = host.now().toISOString();
      await tx.update({ ...(await tx.get(id))!, status: 'archived', archiveReason, archivedAt }, 'archive');
    });
  const listed = async (): Promise<string[]> =>
    (await engine.planReview.list()).map(it => `${it.why} since ${it.since.slice(0, 10)}: ${it.memory.content}`);

  it('lists overdue plans, the longest overdue first, then faded plans', async () => {
    await plan('Ship the beta before March 6, 2026.');
    await plan('Ship the alpha before March 4, 2026.');
    await plan('Ship the gamma before March 28, 2026.');
    host.time += 1000;
    const quota = await plan('Paint the boat some day.');
    await storeMemory(engine, 'The harbour is deep.', { gate: 'epistemic', decayClass: 'ephemeral' });
    await engine.pin(await plan('Call Inger some day.'));
    assert.deepEqual(await listed(), []);
    host.advanceDays(1);
    await plan('Clean the hull some day.', { decayClass: 'session' });
    await archive(quota, 'quota');
    assert.deepEqual(await listed(), ['faded since 2026-03-02: Paint the boat some day.']);
    host.advanceDays(9);
    assert.deepEqual(await listed(), [
      'overdue since 2026-03-04: Ship the alpha before March 4, 2026.',
      'overdue since 2026-03-06: Ship the beta before March 6, 2026.',
      'faded since 2026-03-03: Clean the hull some day.',
      'faded since 2026-03-02: Paint the boat some day.',
    ]);
  });

  it('leaves out a plan that something replaces', async () => {
    const note = { lane: 'note', source: 'mcp' } as const;
    const old = await plan('The audit of the harbour.', { ...note, dueAt: '2026-03-04T23:59:59.999Z' });
    const links = { replaces: [old] };
    await plan('The audit of the harbour was moved.', { ...note, dueAt: '2026-03-06T23:59:59.999Z', links });
    host.advanceDays(10);
    assert.deepEqual(await listed(), ['overdue since 2026-03-06: The audit of the harbour was moved.']);
    const runs = await engine.maintenance.run();
    assert.deepEqual(
      runs.map(it => it.promisesToRevisit),
      [1],
    );
  });

  it('keeps a plan with a given day, and recalls it until a week after its day', async () => {
    await plan('Ship the gamma before March 28, 2026.', { dueAt: '2026-03-28T23:59:59.999Z' });
    const found = async (): Promise<number> => (await engine.recall({ query: 'ship the gamma' })).hits.length;
    host.advanceDays(25);
    assert.deepEqual([await listed(), await found()], [[], 1]);
    host.advanceDays(5);
    assert.deepEqual(
      [await listed(), await found()],
      [['overdue since 2026-03-28: Ship the gamma before March 28, 2026.'], 1],
    );
    host.advanceDays(10);
    assert.deepEqual([(await listed()).length, await found()], [1, 0]);
  });

  it("done is a person's word: no recall and no note brings it back, a person does", async () => {
    const id = await plan('Ship the beta before March 6, 2026.');
    host.advanceDays(5);
    const done = await engine.planReview.complete(id);
    assert.deepEqual([done.status, done.archiveReason], ['archived', 'done']);
    assert.deepEqual(await listed(), []);
    assert.deepEqual((await engine.recall({ query: 'ship the beta' })).hits, []);
    assert.deepEqual((await engine.recall({ query: '"ship the beta"', statuses: ['archived'] })).hits, []);
    const note = memoryInput('Ship the beta before March 6, 2026.', { lane: 'note' });
    assert.equal((await engine.remember(note))[0]?.outcome, 'refused');
    await engine.planReview.complete(id);
    await engine.restore(id);
    assert.equal((await listed()).length, 1);
    assert.deepEqual(
      (await engine.explainer.history(id)).map(it => [it.action, it.detail.change]),
      [
        ['create', undefined],
        ['archive', 'complete'],
        ['restore', 'restore'],
      ],
    );
  });

  it('extends a plan to another day', async () => {
    const overdue = await plan('Ship the beta before March 6, 2026.');
    const faded = await plan('Paint the boat some day.');
    host.advanceDays(20);
    await archive(faded, 'faded');
    for (const id of [overdue, faded]) {
      const { status, dueAt, updatedAt, archiveReason, archivedAt } = await engine.planReview.extend(id, '2026-04-01');
      assert.deepEqual(
        [status, dueAt, updatedAt, archiveReason, archivedAt],
        ['active', '2026-04-01T23:59:59.999Z', '2026-03-22T09:00:00.000Z', undefined, undefined],
      );
    }
    assert.deepEqual(await listed(), []);
    host.advanceDays(11);
    assert.deepEqual(
      (await engine.planReview.list()).map(it => it.why),
      ['overdue', 'overdue'],
    );
  });

  it('drops a plan', async () => {
    const id = await plan('Ship the beta before March 6, 2026.');
    host.advanceDays(5);
    assert.equal((await engine.planReview.drop(id)).archiveReason, 'forgotten');
    assert.deepEqual(await listed(), []);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('refuses a memory that is no plan, an invalid day and a past day', async () => {
    const fact = await storeMemory(engine, 'The harbour is deep.', { gate: 'epistemic' });
    const id = await plan('Paint the boat some day.');
    const refused = (work: Promise<unknown>): Promise<void> =>
      assert.rejects(work, it => EngineError.is(it, 'invalidInput'));
    await refused(engine.planReview.complete(fact));
    await refused(engine.planReview.drop(fact));
    await refused(engine.planReview.extend(fact, '2030-01-01'));
    await refused(engine.planReview.extend(id, 'some day'));
    await refused(engine.planReview.extend(id, '2026-03-01'));
    assert.equal((await engine.get(id)).status, 'active');
  });

  it('lists at most 500 of a store', async () => {
    await plan('Ship the beta before March 6, 2026.');
    const rows = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)`;
    const columns = (await sql(host.globalFile, "SELECT name FROM pragma_table_info('memories')"))
      .map(it => String(it.name))
      .filter(it => it !== 'row');
    const copied = columns.map(it => {
      if (it === 'id') return "printf('00000000-0000-7000-8000-%012x', i)";
      if (it === 'content_hash') return "'copy ' || i";
      return it === 'gate' ? "iif(i % 10 = 0, 'promissory', 'epistemic')" : it;
    });
    await sql(
      host.globalFile,
      `${rows} INSERT INTO memories (${columns.join(', ')}) SELECT ${copied.join(', ')} FROM memories, n`,
    );
    host.advanceDays(30);
    assert.equal((await engine.planReview.list()).length, 500);
  });
});
