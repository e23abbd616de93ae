import assert from 'node:assert/strict';
import { minShareOfBest } from '../../../src/engine/recall/answerCut.js';
import type { ChangeEvent } from '../../../src/engine/model/changeEvent.js';
import { runEngineProcess } from '../../support/spawnEngineProcess.js';
import { storeMemory, storeProblems, memoryInput, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

describe('usage', () => {
  it('is counted by recall, written at the latest when the memory is closed', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const one = await storeMemory(engine, 'port one');
    const two = await storeMemory(engine, 'port two', { store: 'project' });
    for (let i = 0; i < 3; i++) await engine.recall({ query: 'port' });
    await engine.recall({ query: 'two' });
    host.advanceDays(1);
    await engine.close();
    const again = await host.open();
    const counts = (await again.getMany([one, two])).map(it => [it.accessCount, it.accessedAt, it.updatedAt]);
    const [createdAt, used] = ['2026-03-02T09:00:00.000Z', '2026-03-03T09:00:00.000Z'];
    assert.deepEqual(counts, [
      [3, used, createdAt],
      [4, used, createdAt],
    ]);
    assert.deepEqual(await storeProblems(again), []);
  });

  it('restores automatically archived memories, never forgotten ones', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const faded = await storeMemory(engine, 'port one');
    const forgotten = await storeMemory(engine, 'port two');
    await engine.forget(forgotten);
    await sql(
      host.globalFile,
      `UPDATE memories SET status = 'archived', archive_reason = 'faded', archived_at = '2026-03-01T00:00:00.000Z' WHERE id = '${faded}'`,
    );
    const events: ChangeEvent[] = [];
    engine.onDidChange(it => events.push(it));
    host.advanceDays(1);
    const { hits } = await engine.recall({ query: 'port' });
    await engine.traces();
    const [back, gone] = await engine.getMany([faded, forgotten]);
    assert.deepEqual(
      {
        hits: hits.map(it => it.memory.id),
        back: [back?.status, back?.archiveReason, back?.archivedAt, back?.updatedAt, back?.accessCount],
        gone: [gone?.status, gone?.archiveReason, gone?.accessCount],
        events: events.filter(it => it.ids.length > 0),
        asked: (await engine.recall({ query: 'port', statuses: ['archived'] })).hits.length,
        problems: await storeProblems(engine),
      },
      {
        hits: [faded],
        back: ['active', undefined, undefined, '2026-03-03T09:00:00.000Z', 1],
        gone: ['archived', 'forgotten', 0],
        events: [{ store: 'global', ids: [faded] }],
        asked: 0,
        problems: [],
      },
    );
  });

  it('is lost with a log line, and stops nothing, where it cannot be written', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'port one');
    await sql(host.globalFile, "CREATE TRIGGER no_more BEFORE INSERT ON traces BEGIN SELECT RAISE(ABORT, 'no'); END");
    await engine.recall({ query: 'port' });
    assert.deepEqual(await engine.traces(), []);
    assert.deepEqual(
      host.logLines.map(it => it.startsWith(`Usage of ${host.globalFile} could not be written.`)),
      [true],
    );
    await sql(host.globalFile, 'DROP TRIGGER no_more');
    assert.equal((await engine.recall({ query: 'port' })).hits.length, 1);
    assert.equal((await engine.traces()).length, 1);
    assert.equal((await engine.list())[0]?.accessCount, 1);
    assert.deepEqual(await storeProblems(engine), []);
  });
});

describe('a trace', () => {
  it('describes the effects of a recall', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const id = await storeMemory(engine, 'The payments service runs on port 8443.', { gate: 'epistemic' });
    await engine.recall({ query: ' payments  port ', scope: 'global-only', tokenBudget: 500 });
    const [trace, ...others] = await engine.traces();
    assert.deepEqual(others, []);
    const { id: traceId, stages, candidates, tokens, cut, ...rest } = trace!;
    const best = candidates[0]!.relevance!.probability;
    assert.ok(best >= cut!.minBestProbability && cut!.minBestProbability > 0);
    assert.equal(cut!.minProbability, minShareOfBest * best);
    assert.match(traceId, /^[0-9a-f-]{36}$/u);
    assert.ok(tokens > 20 && tokens <= 500);
    assert.deepEqual(
      {
        ...rest,
        stages: stages.map(it => [it.name, it.count]),
        candidates: candidates.map(it => [it.id, it.store, it.outcome]),
      },
      {
        at: '2026-03-02T09:00:00.000Z',
        client: 'test',
        asker: 'person',
        request: { tokenBudget: 500 },
        query: 'payments  port',
        scope: 'global-only',
        cache: 'miss',
        degraded: [],
        candidateCount: 1,
        stages: [
          ['embed', 1],
          ['search', 1],
          ['rank', 1],
          ['pack', 1],
        ],
        candidates: [[id, 'global', 'returned']],
      },
    );
  });

  it('is pruned above the maximum, and holds at most the maximum of candidates but every returned one', async () => {
    const host = new TestHost();
    host.settings = { ...host.settings, traces: { keep: 5, candidates: 3 } };
    const engine = await host.open();
    for (let i = 0; i < 8; i++) await storeMemory(engine, `port ${i}`);
    for (let i = 0; i < 9; i++) {
      host.advanceDays(1);
      await engine.recall({ query: `port ${i}`, limit: i === 8 ? 5 : 2, withoutCut: true });
      if (i % 4 === 0) await engine.traces();
    }
    const traces = await engine.traces();
    assert.deepEqual(
      traces.map(it => it.query),
      ['port 8', 'port 7', 'port 6', 'port 5', 'port 4'],
    );
    assert.deepEqual(
      traces.map(it => [it.candidates.length, it.candidateCount]),
      [5, 3, 3, 3, 3].map(it => [it, 8]),
    );
    assert.deepEqual(
      (await engine.traces(2)).map(it => it.query),
      ['port 8', 'port 7'],
    );
  });

  it('is written only if it stays, while all that was read stands in the log of reads', async () => {
    const host = new TestHost();
    host.settings = { ...host.settings, traces: { keep: 3, candidates: 3 } };
    const engine = await host.open();
    const id = await storeMemory(engine, 'port one');
    await sql(
      host.globalFile,
      'CREATE TABLE written (id TEXT)',
      'CREATE TRIGGER counted AFTER INSERT ON traces BEGIN INSERT INTO written VALUES (new.id); END',
    );
    for (let i = 0; i < 8; i++) await engine.recall({ query: `port ${i}` });
    const traces = await engine.traces();
    const written = await sql(host.globalFile, 'SELECT id FROM written ORDER BY id DESC');
    const read = await engine.activity.reads();
    assert.deepEqual(
      {
        queries: traces.map(it => it.query),
        written: written.map(it => it.id),
        read: read.map(it => it.ids),
      },
      {
        queries: ['port 7', 'port 6', 'port 5'],
        written: traces.map(it => it.id),
        read: Array.from({ length: 8 }, () => [id.slice(-8)]),
      },
    );
    assert.equal((await engine.list())[0]?.accessCount, 8);
    assert.deepEqual(await storeProblems(engine), []);
  });
});

describe('changes', () => {
  it('are emitted with ids for writes of this process', async () => {
    const engine = await new TestHost({ project: true }).open();
    const events: ChangeEvent[] = [];
    engine.onDidChange(() => {
      throw new Error('A listener of somebody else.');
    });
    const listening = engine.onDidChange(it => events.push(it));
    const one = await storeMemory(engine, 'port one');
    const two = await storeMemory(engine, 'port two', { store: 'project' });
    await storeMemory(engine, 'port one');
    await engine.pin(one);
    await engine.feedback(two, true);
    await engine.recall({ query: 'port' });
    listening.dispose();
    await engine.unpin(one);
    const named = events.filter(it => it.ids.length > 0).map(it => [it.store, ...it.ids]);
    assert.deepEqual(named, [
      ['global', one],
      ['project', two],
      ['global', one],
      ['global', one],
      ['project', two],
    ]);
  });

  it('of another process are announced too', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'port one');
    const changed = new Promise<ChangeEvent>(resolve => engine.onDidChange(resolve));
    // Nothing has happened since: only what comes may be announced.
    const [first] = await Promise.all([
      changed,
      runEngineProcess({ dataDir: host.dataDir, calls: [['remember', memoryInput('port two')]] }),
    ]);
    assert.deepEqual(first, { store: 'global', ids: [] });
    assert.equal((await engine.list()).length, 2);
  });
});
