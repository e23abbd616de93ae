import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { writeMergedText, type MergeWriter } from '../../../src/engine/consolidation/mergeProposal.js';
import { findSimilarPairs } from '../../../src/engine/consolidation/similarPairs.js';
import type { MergeProposal } from '../../../src/engine/model/consolidation.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { interruptedRuns, type EngineProcessPlan } from '../../support/spawnEngineProcess.js';
import { waitForEncoder } from '../../support/encoderHost.js';
import { storeMemory, storeProblems, memoryInput, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

const short = 'The departures board refreshes every 30 seconds from the tide service.';
const long = 'The departures board of the harbour refreshes every 30 seconds from the tide service.';
const other = 'Inger is the harbour master.';

async function everything(engine: MemoryEngine): Promise<Record<string, Memory>> {
  const all = await engine.list({ statuses: ['active', 'archived', 'superseded'], limit: 1_000 });
  return Object.fromEntries(all.map(it => [it.id, it]));
}

const failsWith = (code: EngineErrorCode) => (error: unknown) => EngineError.is(error, code);

for (const embeddings of ['built-in', 'off']) {
  describe(`consolidation, embeddings ${embeddings}`, () => {
    waitForEncoder();
    let host: TestHost;
    let engine: MemoryEngine;

    beforeEach(async () => {
      host = new TestHost();
      host.settings = { ...host.settings, embeddings };
      engine = await host.open();
    });

    const keepAll = async (...texts: readonly string[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const it of texts) {
        host.time += 1; // Ids of one millisecond are in no order.
        ids.push(await storeMemory(engine, it, { kind: 'context', gate: 'epistemic' }));
      }
      return ids;
    };
    const propose = async (): Promise<MergeProposal> => {
      const { proposals } = await engine.consolidation.propose();
      assert.equal(proposals.length, 1);
      return proposals[0]!;
    };

    it('proposes near duplicates and changes nothing', async () => {
      const [a, b] = await keepAll(short, long, other);
      const before = await everything(engine);
      const revision = await sql(host.globalFile, "SELECT value FROM meta WHERE key = 'revision'");
      const { originals, content, by, similarity } = await propose();
      assert.deepEqual({ ids: originals.map(it => it.id), content, by }, { ids: [a, b], content: long, by: 'rule' });
      assert.ok(similarity > 0.6 && similarity <= 1);
      assert.deepEqual(await everything(engine), before);
      assert.deepEqual(await sql(host.globalFile, "SELECT value FROM meta WHERE key = 'revision'"), revision);
    });

    it('leaves out other kinds, scopes and stores, pinned memories, and texts that differ in a value', async () => {
      await keepAll(short);
      await storeMemory(engine, `${long} A.`, { kind: 'gotcha', gate: 'epistemic' });
      await storeMemory(engine, `${long} B.`, { kind: 'context', gate: 'epistemic', scopeId: 'apart' });
      await engine.pin(await storeMemory(engine, `${long} C.`, { kind: 'context', gate: 'epistemic' }));
      await keepAll(short.replace('30', '60'), short.replace('tide', 'weather'));
      await engine.forget((await keepAll(`${short} D.`))[0]!);
      assert.deepEqual((await engine.consolidation.propose()).proposals, []);
    });

    it('does not merge a memory with one that ends it', async () => {
      await keepAll(
        'We use Redis for the session cache of the harbour.',
        'We stopped using Redis for the session cache of the harbour.',
      );
      const { proposals, disagreements } = await engine.consolidation.propose();
      assert.deepEqual(proposals, []);
      assert.equal(disagreements.length, 1);
    });

    it('reports contradicting memories instead of merging them', async () => {
      const ids = await keepAll(short, long, short.replace('refreshes', 'never refreshes'));
      const { proposals, disagreements } = await engine.consolidation.propose();
      assert.deepEqual(proposals, []);
      assert.deepEqual(
        disagreements.map(it => it.memories.map(its => ids.indexOf(its.id))),
        [
          [0, 2],
          [1, 2],
        ],
      );
    });

    it('merges into the most complete memory, and undoes the merge exactly', async () => {
      const [a = '', b = ''] = await keepAll(short, long, other);
      await engine.feedback(a, true);
      host.time += 1_000;
      const before = await everything(engine);
      const edges = await sql(host.globalFile, 'SELECT * FROM edges');
      const { id } = await propose();
      const { merged, archived, checkpoint } = await engine.consolidation.accept(id);
      assert.deepEqual(
        [merged.id, merged.status, merged.reinforcementCount, merged.feedback, merged.createdAt],
        [b, 'active', 2, 1, before[a]!.createdAt],
      );
      assert.deepEqual(
        archived.map(it => [it.id, it.status, it.archiveReason]),
        [[a, 'archived', 'merged']],
      );
      assert.deepEqual([checkpoint.memories, checkpoint.origin], [3, 'engine']);
      assert.deepEqual(await engine.consolidation.listProposals(), []);
      assert.deepEqual(
        (await engine.consolidation.listAccepted()).map(it => [it.id, it.merged.id, it.archived]),
        [[id, b, 1]],
      );
      host.time += 1_000;
      assert.deepEqual(
        (await engine.consolidation.undo()).map(it => it.id),
        [a],
      );
      assert.deepEqual(await everything(engine), before);
      assert.deepEqual(await sql(host.globalFile, 'SELECT * FROM edges'), edges);
      await assert.rejects(engine.consolidation.undo(), failsWith('notFound'));
      assert.deepEqual((await engine.consolidation.propose()).proposals, []);
      assert.deepEqual(await storeProblems(engine), []);
    });

    it('creates a new memory from a text of the user, and undo removes it', async () => {
      const [a = '', b = ''] = await keepAll(short, long);
      await engine.remember(memoryInput(long, { lane: 'note', tags: ['board'] }));
      const before = await everything(engine);
      const { id } = await propose();
      const content = 'Every 30 seconds the departures board asks the tide service.';
      const { merged, archived } = await engine.consolidation.accept(id, content);
      assert.deepEqual(
        [merged.content, merged.lane, merged.tags, merged.reinforcementCount, archived.map(it => it.id)],
        [content, 'confirmed', ['board'], 3, [a, b]],
      );
      const edges = await sql(
        host.globalFile,
        `SELECT s.id AS source, t.id AS target, type FROM edges e JOIN memories s ON s.row = e.source
         JOIN memories t ON t.row = e.target
         WHERE type = 'derived_from' ORDER BY t.row`,
      );
      assert.deepEqual(
        edges,
        [a, b].map(it => ({ source: merged.id, target: it, type: 'derived_from' })),
      );
      await engine.consolidation.undo(id);
      assert.deepEqual(await everything(engine), before);
      assert.deepEqual(await storeProblems(engine), []);
    });

    it('reinforces the merged memory when one of its originals is repeated', async () => {
      const [a = ''] = await keepAll(short, long, other);
      const { id } = await propose();
      const { merged } = await engine.consolidation.accept(id);
      assert.equal(await storeMemory(engine, short), merged.id);
      const [now, original] = [await engine.get(merged.id), await engine.get(a)];
      assert.deepEqual(
        [now.reinforcementCount, now.content, original.status, original.archiveReason],
        [merged.reinforcementCount + 1, merged.content, 'archived', 'merged'],
      );
    });

    it('leaves the merged memory as it is when an original is repeated outside of its set', async () => {
      await keepAll(short, long, other);
      const { id } = await propose();
      const { merged } = await engine.consolidation.accept(id);
      await engine.sets.move([merged.id], 'trial');
      const before = await engine.get(merged.id);
      assert.notEqual(await storeMemory(engine, short), merged.id);
      assert.deepEqual(await engine.get(merged.id), before);
    });

    it('archives a merged memory that was changed since, instead of deleting it on undo', async () => {
      await keepAll(short, long);
      const { id } = await propose();
      const { merged } = await engine.consolidation.accept(id, 'The board asks the tide service every 30 seconds.');
      await engine.feedback(merged.id, true);
      await engine.consolidation.undo();
      const now = await engine.get(merged.id);
      assert.deepEqual([now.status, now.archiveReason], ['archived', 'forgotten']);
      assert.equal((await engine.list()).length, 2);
    });

    it('finds the merged memory only, and brings no original back', async () => {
      const [a = '', b = ''] = await keepAll(short, long);
      await engine.consolidation.accept((await propose()).id);
      const query = 'how often does the departures board refresh';
      const { hits } = await engine.recall({ query, statuses: ['active', 'archived'] });
      assert.deepEqual(
        hits.map(it => it.memory.id),
        [b],
      );
      await engine.traces(); // Writes what recalls did.
      assert.equal((await engine.get(a)).status, 'archived');
      await engine.consolidation.undo();
      const again = await engine.recall({ query });
      assert.deepEqual(new Set(again.hits.map(it => it.memory.id)), new Set([a, b]));
    });

    it('does not repeat a rejected proposal until a text changes', async () => {
      await keepAll(short, long);
      const { id } = await propose();
      await engine.consolidation.reject(id);
      assert.deepEqual((await engine.consolidation.propose()).proposals, []);
      await engine.close();
      engine = await host.open();
      assert.deepEqual((await engine.consolidation.propose()).proposals, []);
      await keepAll(`${long} Today.`);
      assert.equal((await propose()).originals.length, 3);
      const stored = await sql(host.globalFile, `SELECT body FROM records WHERE kind = 'proposal' AND id = '${id}'`);
      assert.doesNotMatch(String(stored[0]?.body), /departures/u);
    });

    it('refuses a stale proposal, an empty text and a text with a secret', async () => {
      const [a = ''] = await keepAll(short, long);
      const { id } = await propose();
      await assert.rejects(engine.consolidation.accept('12345678'), failsWith('notFound'));
      await assert.rejects(engine.consolidation.accept(id, '  '), failsWith('invalidInput'));
      const secret = `The key is ${['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')}.`;
      await assert.rejects(engine.consolidation.accept(id, secret), failsWith('invalidInput'));
      await engine.pin(a);
      await assert.rejects(engine.consolidation.accept(id), failsWith('notFound'));
      assert.deepEqual(
        Object.values(await everything(engine)).map(it => it.status),
        ['active', 'active'],
      );
    });

    it('is due after ten writes, not while nothing is written', async () => {
      assert.equal(await engine.consolidation.isDue(), false);
      await engine.rememberAll(
        Array.from({ length: 10 }, (_, i) => memoryInput(`Berth ${i} is ${10 + i} metres long.`)),
      );
      assert.equal(await engine.consolidation.isDue(), true);
      await engine.consolidation.propose();
      assert.equal(await engine.consolidation.isDue(), false);
      await keepAll(short);
      assert.equal(await engine.consolidation.isDue(), false);
      await engine.rememberAll(
        Array.from({ length: 80 }, (_, i) => memoryInput(`Buoy ${i} is ${10 + i} metres deep.`)),
      );
      await engine.consolidation.propose();
      await keepAll(long);
      assert.equal(await engine.consolidation.isDue(), true);
    });
  });
}

describe('consolidation', () => {
  it('measures by meaning where that is near enough, and by words otherwise', async () => {
    const engine = await new TestHost().open();
    const facts = [
      'Inger is the harbour master and signs off clearances.',
      'Inger signs off clearances; she is the harbour master.',
      'Tests of the timetable run with mocha.',
      'We run the tests of our timetable using mocha.',
    ];
    for (const it of facts) await storeMemory(engine, it, { kind: 'context', gate: 'epistemic' });
    const { proposals } = await engine.consolidation.propose();
    assert.deepEqual(
      proposals.map(it => it.measured),
      ['meaning', 'words'],
    );
  });

  it('asks a configured model, and keeps the text of the rules when the model loses a fact', async () => {
    const memories = [short, long].map(content => ({ content }) as Memory);
    const by = async (merge: MergeWriter['merge']): Promise<string> =>
      (await writeMergedText(memories, { name: 'scripted', merge })).by;
    assert.deepEqual(
      [
        await by(() => Promise.resolve(`From the harbour: ${long}`)),
        await by(() => Promise.resolve('The departures board refreshes often.')),
        await by(() => Promise.resolve(long.replace('30', '60'))),
        await by(() => Promise.reject(new Error('offline'))),
      ],
      ['scripted', 'rule', 'rule', 'rule'],
    );
    assert.equal((await writeMergedText(memories, undefined)).content, long);
  });

  it('can be cancelled', async () => {
    const engine = await new TestHost().open();
    await storeMemory(engine, short);
    const signal = AbortSignal.abort();
    await assert.rejects(engine.consolidation.propose({ signal }), failsWith('aborted'));
  });

  it('makes one checkpoint for a review, and another when something else was written', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const pair = async (of: string): Promise<void> => {
      for (const it of ['', ' of the harbour']) {
        await storeMemory(engine, `The ${of} board refreshes every 30 seconds from the tide service${it}.`, {
          kind: 'context',
          gate: 'epistemic',
        });
      }
    };
    for (const it of ['departures', 'arrivals', 'weather']) await pair(it);
    const { proposals } = await engine.consolidation.propose();
    assert.equal(proposals.length, 3);
    const made: string[] = [];
    const accept = async (i: number): Promise<void> => {
      host.time += 1_000;
      made.push((await engine.consolidation.accept(proposals[i]!.id)).checkpoint.id);
    };
    await accept(0);
    await accept(1);
    await storeMemory(engine, other);
    await accept(2);
    assert.deepEqual([made[0] === made[1], made[1] === made[2]], [true, false]);
  });

  it('merges completely or not at all when the process is killed', async () => {
    const host = new TestHost();
    let engine = await host.open();
    for (const it of [short, long]) await storeMemory(engine, it, { kind: 'context', gate: 'epistemic' });
    const { id } = (await engine.consolidation.propose()).proposals[0]!;
    const outcomes = new Set<string>();
    const plan: EngineProcessPlan = {
      dataDir: host.dataDir,
      calls: [['list'], ['consolidation.accept', id, 'The board asks every 30 seconds.']],
    };
    const before = await everything(engine);
    await engine.close();
    for await (const { answers } of interruptedRuns(plan, 10)) {
      engine = await host.open();
      const statuses = Object.values(await everything(engine))
        .map(it => it.status)
        .sort();
      const isMerged = statuses.length === 3;
      assert.deepEqual(statuses, isMerged ? ['active', 'archived', 'archived'] : ['active', 'active']);
      assert.ok(isMerged || answers.length < 3, 'an acknowledged merge stays');
      assert.deepEqual(await storeProblems(engine), []);
      outcomes.add(isMerged ? 'merged' : 'as before');
      if (isMerged) {
        await engine.consolidation.undo();
        assert.deepEqual(await everything(engine), before);
        // The engine does not offer an undone merge again.
        await sql(host.globalFile, `DELETE FROM records WHERE kind = 'proposal'`);
        await engine.consolidation.propose();
      }
      await engine.close();
    }
    assert.deepEqual([...outcomes].sort(), ['as before', 'merged']);
  });

  it('compares 50,000 memories without all pairs and yields to other tasks', async () => {
    // Of one template, and every hundredth said twice: the hard case.
    const memories = Array.from({ length: 50_000 }, (_, i) => {
      const n = i % 100 === 1 ? i - 1 : i;
      return {
        group: 'context',
        words: Uint32Array.of(0, 1, 2, 1_000 + n, 100_000 + (n % 700), 200_000 + (n % 5_000)),
      };
    });
    let now = 0;
    // Each look at the clock takes a millisecond.
    const clock = mock.method(performance, 'now', () => ++now);
    let turns = 0;
    let watch = setImmediate(function others() {
      turns++;
      watch = setImmediate(others);
    });
    let turnsOfIndexing: number | undefined;
    const found = await findSimilarPairs(memories, {
      maxPairs: 20_000,
      signal: new AbortController().signal,
      onProgress: () => (turnsOfIndexing ??= turns),
    });
    clearImmediate(watch);
    clock.mock.restore();
    assert.ok(found.length >= 500, `${found.length} pairs`);
    // 50,000 looks in turns of 8 ms; the pairs are enough before all memories are looked at.
    assert.ok(
      turnsOfIndexing! >= 5_000 && turns - turnsOfIndexing! >= 10,
      `${turnsOfIndexing} and ${turns} turns of others`,
    );
  });
});
