import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Conflict } from '../../../src/engine/model/conflict.js';
import { conflictsTool } from '../../../src/operations/conflicts.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';

const old = 'The build machines have 8 cores.';
const now = 'The build machines now have 16 cores.';

describe('likely conflicts', () => {
  waitForEncoder();
  let host: TestHost;
  let engine: MemoryEngine;
  let older: string;
  let newer: string;

  beforeEach(async () => {
    host = encoderHost();
    engine = await host.open();
  });

  const storeBoth = async (first: Partial<RememberInput>, second: Partial<RememberInput> = first): Promise<void> => {
    older = await storeMemory(engine, old, first);
    host.advanceDays(1);
    newer = await storeMemory(engine, now, second);
  };
  const listed = async (): Promise<readonly string[]> => (await engine.conflicts.list()).map(describePair);
  const describePair = ({ newer, older }: Conflict): string => `${older.memory.content} ${newer.memory.content}`;
  const pair = `${old} ${now}`;

  it('ask a person about their own words, and change nothing', async () => {
    await storeBoth({ lane: 'confirmed' }, { lane: 'note', source: 'mcp' });
    const [found, ...rest] = await engine.conflicts.list();
    assert.deepEqual(rest, []);
    assert.deepEqual([found?.newer.memory.id, found?.older.memory.id], [newer, older]);
    assert.deepEqual([found?.mark, found?.decided], [undefined, false]);
    assert.equal(found?.reason, 'The newer one may replace the older one. You say which one holds.');
    assert.ok(found.certainty >= 0.9 && found.certainty <= 1);
    const { hits } = await engine.recall({ query: 'How many cores do the build machines have?', mode: 'fresh' });
    assert.deepEqual(new Set(hits.map(it => it.memory.id)), new Set([older, newer]));
    assert.equal((await engine.conflicts.list({ undecidedOnly: true })).length, 1);
    const { structured } = await conflictsTool.run(engine, {}, { source: 'mcp' });
    assert.deepEqual(structured.conflicts, [], 'no model is asked');
  });

  it('leave out what no person said, and what is only alike', async () => {
    await storeBoth({ lane: 'note', source: 'mcp' });
    await storeMemory(engine, 'The tide gauge is read at noon.', { lane: 'confirmed' });
    await storeMemory(engine, 'Ports below 1024 are blocked on the build machines.', { lane: 'confirmed' });
    assert.deepEqual(await listed(), []);
  });

  it('end with a statement, and with either of the two', async () => {
    await storeBoth({ lane: 'confirmed' });
    assert.deepEqual(await listed(), [pair]);
    await engine.revise({ id: older, replacedBy: newer }, 'person');
    assert.deepEqual(
      (await engine.conflicts.list()).filter(it => it.mark === undefined),
      [],
    );
    await engine.revise({ id: older, stillTrue: true }, 'person');
    assert.deepEqual(await listed(), [], 'both hold');
  });

  it('are gone while one of the two is forgotten', async () => {
    await storeBoth({ lane: 'confirmed' });
    await engine.forget(older);
    assert.deepEqual(await listed(), []);
    await engine.restore(older);
    assert.deepEqual(await listed(), [pair]);
  });

  for (const [resolution, states] of [
    ['keepA', ['superseded', 'active']],
    ['keepB', ['active', 'superseded']],
    ['keepBoth', ['active', 'active']],
  ] as const) {
    it(`settle: ${resolution}, and undo it`, async () => {
      await storeBoth({ lane: 'confirmed' });
      const settled = await engine.conflicts.resolve(newer, older, resolution);
      const stateOf = async (): Promise<readonly string[]> =>
        (await engine.getMany([older, newer])).map(it => it.status);
      assert.deepEqual(await stateOf(), states);
      assert.deepEqual(await listed(), []);
      await engine.conflicts.undo(settled);
      assert.deepEqual([await stateOf(), await listed()], [['active', 'active'], [pair]]);
      await engine.conflicts.resolve(newer, older, resolution);
      assert.deepEqual(await stateOf(), states);
      assert.deepEqual(await storeProblems(engine), []);
    });
  }

  it('are at most five at a time, newest first', async () => {
    for (const [before, after] of [
      ['We deploy on Wednesdays.', 'We deploy on Thursdays now.'],
      ['The standup is at nine.', 'The standup moved to ten.'],
      ['Tests run on Node 20.', 'Tests run on Node 22 now.'],
      ['Radio logs are kept for 30 days.', 'Radio logs are kept for 90 days now.'],
      ['Releases are signed by Inger.', 'Releases are signed by Ola now, not by Inger.'],
      ['The pilot boats are called Ada and Bea.', 'The pilot boats are called Cleo and Dora now.'],
    ] as const) {
      await storeMemory(engine, before, { lane: 'confirmed' });
      host.advanceDays(1);
      await storeMemory(engine, after, { lane: 'confirmed' });
    }
    const pairs = await engine.conflicts.list();
    assert.equal(pairs.length, 5);
    assert.match(pairs[0]!.newer.memory.content, /Cleo/u);
  });
});
