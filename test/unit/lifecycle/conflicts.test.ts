import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { ConflictResolution } from '../../../src/engine/model/conflict.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

describe('conflicts', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let older: string;
  let newer: string;
  /** What the person's word took from the older one's confidence. */
  let loss: number;

  beforeEach(async () => {
    host = new TestHost();
    engine = await host.open();
    older = await storeMemory(engine, 'The build runs on Node 20.');
  });

  const tellNewer = async (rest: Partial<RememberInput> = {}): Promise<void> => {
    host.advanceDays(1);
    newer = await storeMemory(engine, 'The build runs on Node 22.', rest);
    // A model's word about what a person confirmed is an open conflict; a person's costs the older one confidence.
    await engine.revise({ id: older, replacedBy: newer }, rest.lane === 'note' ? 'model' : 'person');
    loss = rest.lane === 'note' ? 0 : 20 + 30 * (await engine.conflicts.list())[0]!.certainty;
  };
  const both = async (): Promise<[Memory, Memory]> => [await engine.get(older), await engine.get(newer)];
  const stateOf = (it: Memory): string => `${it.status} ${it.lane} ${it.confidence} ×${it.reinforcementCount}`;
  const listed = async (): Promise<number> => (await engine.conflicts.list()).length;
  const supersedes = async (): Promise<string[]> =>
    (await engine.graph.neighbors(older, { types: ['supersedes'] })).map(it => it.edge.source);

  it('are listed newest first with the confidence of both memories', async () => {
    const before = (await engine.get(older)).confidence;
    await tellNewer();
    host.advanceDays(45);
    const [pair, ...rest] = await engine.conflicts.list();
    assert.deepEqual(rest, []);
    assert.deepEqual([pair?.newer.memory.id, pair?.older.memory.id], [newer, older]);
    assert.equal(pair?.since, '2026-03-03T09:00:00.000Z');
    assert.deepEqual(
      [pair.reason, pair.mark?.by, pair.decided],
      ['A person said that the newer one replaces it.', 'person', true],
    );
    assert.deepEqual(await engine.conflicts.list({ undecidedOnly: true }), []);
    assert.equal((await engine.get(older)).confidence, before - loss);
    assert.equal(pair.newer.effectiveConfidence, (await engine.get(newer)).confidence / 2);
    const third = await storeMemory(engine, 'The build runs on Node 24.', { lane: 'note' });
    await engine.revise({ id: newer, replacedBy: third }, 'model');
    const undecided = await engine.conflicts.list({ undecidedOnly: true });
    assert.deepEqual(
      [await engine.conflicts.list(), undecided].map(list => list.map(it => it.newer.memory.id)),
      [[third, newer], [third]],
    );
    assert.equal((await engine.conflicts.list({ limit: 1 })).length, 1);
    assert.deepEqual(await engine.conflicts.list({ scopeId: 'elsewhere' }), []);
  });

  function settles(
    verdict: ConflictResolution,
    expected: readonly [string, string],
    replacedBy: 'older' | 'newer' | undefined,
  ): void {
    it(`settles: ${verdict}, and undoes it`, async () => {
      await tellNewer();
      const before = await both();
      const confidence = before[0].confidence;
      host.advanceDays(1);
      const settlement = await engine.conflicts.resolve(older, newer, verdict);
      const after = (await both()).map(stateOf);
      const [one] = await both();
      assert.deepEqual(after, [
        expected[0].replace('C', String(confidence + loss)),
        expected[1].replace('C', String(before[1].confidence - (replacedBy === 'older' ? loss : 0))),
      ]);
      assert.equal(await listed(), 0);
      const [source] = replacedBy === 'older' ? [older] : replacedBy === 'newer' ? [newer] : [];
      assert.deepEqual(await supersedes(), source === undefined ? [] : [source]);
      assert.equal(one.updatedAt, '2026-03-04T09:00:00.000Z');

      await engine.conflicts.undo(settlement);
      const again = await both();
      assert.deepEqual(
        again,
        before.map((it, i) => ({ ...it, centrality: again[i]!.centrality })),
      );
      assert.deepEqual([await listed(), await supersedes()], [1, []]);
      // What was given back and taken again is given back again, and not twice.
      await engine.conflicts.resolve(older, newer, verdict);
      await engine.conflicts.resolve(older, newer, verdict);
      assert.deepEqual((await both()).map(stateOf), after);
      assert.deepEqual(await storeProblems(engine), []);
    });
  }
  settles('keepA', ['active confirmed C ×1', 'superseded confirmed C ×0'], 'older');
  settles('keepBoth', ['active confirmed C ×1', 'active confirmed C ×1'], undefined);

  it('settles for the newer one, and undoes it', async () => {
    await tellNewer();
    const before = await both();
    const settlement = await engine.conflicts.resolve(newer, older, 'keepA');
    assert.deepEqual(
      (await both()).map(it => it.status),
      ['superseded', 'active'],
    );
    assert.equal((await engine.get(older)).confidence, before[0].confidence);
    assert.deepEqual(await supersedes(), [newer]);
    await engine.conflicts.undo(settlement);
    assert.deepEqual((await both()).map(stateOf), before.map(stateOf));
  });

  it('confirms a note when the user prefers it to a confirmed memory', async () => {
    await tellNewer({ lane: 'note' });
    const [confirmed, note] = await both();
    assert.equal(await listed(), 1);
    const settlement = await engine.conflicts.resolve(older, newer, 'keepB');
    assert.deepEqual((await both()).map(stateOf), [
      `superseded confirmed ${confirmed.confidence - 49.4} ×0`,
      `active confirmed ${note.confidence} ×1`,
    ]);
    assert.equal((await engine.get(newer)).expiresAt, undefined);
    await engine.conflicts.undo(settlement);
    assert.equal((await engine.get(newer)).expiresAt, note.expiresAt);
    assert.deepEqual((await both()).map(stateOf), [confirmed, note].map(stateOf));
    // What no contradiction took is not given back.
    await engine.conflicts.resolve(older, newer, 'keepA');
    assert.equal((await engine.get(older)).confidence, confirmed.confidence);
  });

  it('takes another verdict later', async () => {
    await tellNewer();
    await engine.conflicts.resolve(older, newer, 'keepBoth');
    await engine.conflicts.resolve(older, newer, 'keepB');
    const second = await engine.conflicts.resolve(older, newer, 'keepA');
    assert.deepEqual(
      (await both()).map(it => it.status),
      ['active', 'superseded'],
    );
    assert.deepEqual(await supersedes(), [older]);
    await engine.conflicts.undo(second);
    assert.deepEqual(
      (await both()).map(it => it.status),
      ['superseded', 'active'],
    );
    assert.deepEqual(await supersedes(), [newer]);
  });

  it('restoring a superseded memory removes the edge and reopens the conflict', async () => {
    await tellNewer();
    await engine.conflicts.resolve(older, newer, 'keepB');
    assert.deepEqual(
      (await engine.recall({ query: 'Which Node does the build run on?' })).hits.map(it => it.memory.id),
      [newer],
    );
    assert.equal((await engine.restore(older)).status, 'active');
    assert.deepEqual([await supersedes(), await listed()], [[], 1]);
    const [hit, ...others] = (await engine.recall({ query: 'Node 20' })).hits;
    assert.deepEqual([hit?.memory.id, hit?.before?.map(it => it.id), others], [newer, [older], []]);
    assert.deepEqual(
      (await engine.explainer.history(older)).map(it => it.action),
      ['create', 'mark', 'weaken', 'supersede', 'restore'],
    );
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('restoring gives back what settling cost', async () => {
    const note = await storeMemory(engine, 'The build runs on Node 24.', { lane: 'note', source: 'mcp' });
    await engine.revise({ id: older, replacedBy: note }, 'model');
    const before = await engine.get(older);
    await engine.conflicts.resolve(older, note, 'keepB');
    assert.ok((await engine.get(older)).confidence < before.confidence);
    await engine.restore(older);
    assert.equal((await engine.get(older)).confidence, before.confidence);
    await engine.conflicts.resolve(older, note, 'keepB');
    assert.ok((await engine.get(older)).confidence < before.confidence, 'settled again');
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('order the two memories by their dates, not by their insertion', async () => {
    const [late, early] = ['2026-03-09T09:00:00.000Z', '2026-03-05T09:00:00.000Z'];
    const is = await storeMemory(engine, 'The api runs on port 9090.', { at: late, lane: 'note' });
    const was = await storeMemory(engine, 'The api runs on port 8080.', { at: early });
    await engine.revise({ id: was, replacedBy: is }, 'model');
    const [pair] = await engine.conflicts.list();
    assert.deepEqual([pair?.newer.memory.id, pair?.older.memory.id], [is, was]);
    const { hits } = await engine.recall({ query: 'port of the api' });
    const flags = hits.map(({ memory, contradicts = [] }) => [memory.id, ...contradicts.map(it => it.newer)]);
    assert.deepEqual(
      new Map(flags as [string, boolean][]),
      new Map([
        [is, false],
        [was, true],
      ]),
    );
  });

  it('ends when the user repeats the replaced fact', async () => {
    await tellNewer();
    await engine.conflicts.resolve(older, newer, 'keepB');
    host.advanceDays(1);
    assert.equal(await storeMemory(engine, (await engine.get(older)).content, { lane: 'note' }), older);
    assert.deepEqual([(await engine.get(older)).status, await supersedes()], ['superseded', [newer]]);
    host.advanceDays(1);
    assert.equal(await storeMemory(engine, (await engine.get(older)).content), older);
    assert.deepEqual(await engine.conflicts.list(), []);
    assert.deepEqual([(await engine.get(older)).status, await supersedes()], ['active', []]);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('notifies listeners of both memories', async () => {
    await tellNewer();
    const heard: (readonly string[])[] = [];
    engine.onDidChange(it => heard.push(it.ids));
    const settlement = await engine.conflicts.resolve(older, newer, 'keepBoth');
    await engine.conflicts.undo(settlement);
    assert.deepEqual(
      heard.filter(it => it.length > 0),
      [
        [older, newer],
        [older, newer],
      ],
    );
  });

  it('comes of the word of a person alone, who says which one of two holds', async () => {
    await tellNewer();
    const third = await storeMemory(engine, 'Our builds run on Deno.');
    const settlement = await engine.conflicts.resolve(older, third, 'keepA');
    assert.deepEqual([(await engine.get(older)).status, (await engine.get(third)).status], ['active', 'superseded']);
    await engine.conflicts.undo(settlement);
    assert.equal((await engine.get(third)).status, 'active');
    assert.equal(await listed(), 1, 'the other pair');
    assert.deepEqual(await storeProblems(engine), []);
  });

  describe('leave what a chain of notes has replaced replaced', () => {
    const texts = ['The backup server is at bk1.', 'Backups go to bk2.', 'The backups of the harbour go to bk3.'];
    const chain = async (): Promise<[string, string, string]> => {
      const ids: string[] = [];
      for (const it of texts) {
        host.advanceDays(1);
        ids.push(await storeMemory(engine, it, { lane: 'note', source: 'mcp' }));
        const [last, before] = ids.toReversed();
        if (before !== undefined) await engine.revise({ id: before, replacedBy: last! }, 'model');
      }
      return ids as [string, string, string];
    };
    const answered = async (): Promise<string[]> => {
      const { hits } = await engine.recall({ query: 'where do the backups go, to which server?', mode: 'fresh' });
      const texted = hits.map(it => it.memory.content);
      return texts.filter(it => texted.includes(it));
    };
    const fates = {
      'when the newest is settled against the one before': (second: string, third: string) =>
        engine.conflicts.resolve(third, second, 'keepA'),
      'when the one between is forgotten': (second: string) => engine.forget(second),
      'when the one between is deleted for good': (second: string) => engine.deletion.purge([second]),
    };
    for (const [title, act] of Object.entries(fates)) {
      it(title, async () => {
        const [first, second, third] = await chain();
        assert.deepEqual(await answered(), [texts[2]]);
        await act(second, third);
        assert.deepEqual(await answered(), [texts[2]]);
        const replacement = (await engine.conflicts.replacements(await engine.getMany([first]))).get(first);
        assert.deepEqual([replacement?.id, replacement?.by], [third, 'model']);
        assert.deepEqual(await storeProblems(engine), []);
      });
    }

    it('but not when the last of them goes, which nothing replaces', async () => {
      const [first, second, third] = await chain();
      await engine.forget(third);
      await engine.forget(second);
      const replacement = (await engine.conflicts.replacements(await engine.getMany([first]))).get(first);
      assert.equal(replacement, undefined);
      assert.deepEqual(await answered(), [texts[0]]);
    });
  });

  it('refuses one memory, two of different places, and to settle nothing', async () => {
    await tellNewer();
    const third = await storeMemory(engine, 'The harbour is deep.');
    const ofSet = await storeMemory(engine, 'The harbour is shallow.', { scopeId: 'draft' });
    for (const [a, b, keep] of [
      [older, third, 'keepBoth'],
      [older, older, 'keepA'],
      [third, ofSet, 'keepA'],
    ] as const) {
      await assert.rejects(engine.conflicts.resolve(a, b, keep), it => EngineError.is(it, 'invalidInput'));
    }
    await assert.rejects(engine.conflicts.resolve(older, '#00000000', 'keepA'), it => EngineError.is(it, 'notFound'));
    assert.deepEqual(
      (await both()).map(it => it.status),
      ['active', 'active'],
    );
  });
});
