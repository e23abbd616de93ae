import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { loadSessionStartContext } from '../../../src/engine/hooks/sessionStartContext.js';
import { memoryInput, storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

const ephemeral = 'The build is broken at the moment.';

/** Engines on one data folder, each opened at a time of the clock. */
class Clock {
  readonly host = new TestHost();
  engine!: MemoryEngine;

  async reopenAfter(days: number): Promise<MemoryEngine> {
    if (days !== 0) await this.engine.close();
    this.host.advanceDays(days);
    this.engine = await this.host.open();
    return this.engine;
  }

  /** What maintenance archives and deletes, and what the memory returns. */
  async outcome(): Promise<unknown> {
    const runs = await this.engine.maintenance.run();
    const counts = runs.map(({ counts: { faded, expired, quota, pruned } }) => faded + expired + quota + pruned);
    const hits = (await this.engine.recall({ query: 'build broken', mode: 'fresh' })).hits.length;
    return { removed: counts.reduce((sum, it) => sum + it, 0), hits };
  }

  async sessionStart(): Promise<string> {
    const { dataDir, modelsDir, settings } = this.host;
    return loadSessionStartContext({
      ...{ dataDir, modelsDir, onlyStore: undefined, program: 'claude-code', client: 'hook', folders: [] },
      ...{ now: this.host.now(), rules: settings.decay, tokenBudget: 500 },
    });
  }
}

async function start(): Promise<Clock> {
  const clock = new Clock();
  const engine = await clock.reopenAfter(0);
  await engine.remember(memoryInput(ephemeral, { decayClass: 'ephemeral' }));
  return clock;
}

describe('the clock', () => {
  it('archives and deletes nothing after a jump of more than a month, until a person confirms the date', async () => {
    const clock = await start();
    await clock.reopenAfter(200);
    assert.deepEqual(await clock.outcome(), { removed: 0, hits: 0 });
    assert.match(clock.engine.notices.join(), /2026-03-02 to 2026-09-18.*--confirm-clock/u);
    // A program that opens later does not take the new time for granted.
    await clock.reopenAfter(1);
    assert.deepEqual(await clock.outcome(), { removed: 0, hits: 0 });
    await clock.engine.maintenance.confirmClock();
    assert.deepEqual(clock.engine.notices, []);
    assert.deepEqual(await clock.outcome(), { removed: 1, hits: 0 });
    await clock.reopenAfter(1);
    assert.equal(clock.engine.maintenance.clockGap, undefined);
    assert.deepEqual(await storeProblems(clock.engine), []);
  });

  it('fades nothing in the briefing of a session, before any other program has seen the jump', async () => {
    const clock = await start();
    await storeMemory(clock.engine, 'The quay is red.');
    await clock.engine.close();
    clock.host.advanceDays(200);
    const briefing = await clock.sessionStart();
    assert.match(briefing, /quay is red/u);
    assert.doesNotMatch(briefing, /build is broken/u);
  });

  it('returns nothing whose time is over by the clock, and returns it again once the clock is put right', async () => {
    const clock = await start();
    await clock.reopenAfter(200);
    assert.equal(((await clock.outcome()) as { hits: number }).hits, 0);
    await clock.reopenAfter(-200);
    assert.deepEqual(await clock.outcome(), { removed: 0, hits: 1 });
  });

  it('counts each day of use as before, where none of the gaps is longer than a month', async () => {
    const clock = await start();
    for (let i = 0; i < 7; i++) await clock.reopenAfter(30);
    assert.equal(clock.engine.maintenance.clockGap, undefined);
    assert.deepEqual(await clock.outcome(), { removed: 1, hits: 0 });
  });

  it('lets maintenance go on a week after a holiday without an answer, and does not count the holiday', async () => {
    const clock = await start();
    await storeMemory(clock.engine, 'We deploy on Fridays.', { lane: 'note', source: 'import' });
    await clock.reopenAfter(45);
    assert.deepEqual(await clock.outcome(), { removed: 0, hits: 0 });
    for (let i = 0; i < 4; i++) await clock.reopenAfter(2);
    assert.deepEqual(clock.engine.notices, []);
    // Eight days old by the time that was used: too old for the one; the other would have expired in the holiday.
    assert.deepEqual(await clock.outcome(), { removed: 1, hits: 0 });
    assert.deepEqual(
      (await clock.engine.list()).map(it => it.content),
      ['We deploy on Fridays.'],
    );
  });

  it('is right again when it returns from a jump', async () => {
    const clock = await start();
    await clock.reopenAfter(400);
    await storeMemory(clock.engine, 'The quay is red.');
    await clock.reopenAfter(-399);
    assert.equal(clock.engine.maintenance.clockGap, undefined);
    assert.deepEqual(clock.engine.notices, []);
    assert.deepEqual(await storeProblems(clock.engine), []);
  });

  it('keeps the latest statement the newer one after a jump backward, and the latest recall the newest trace', async () => {
    const clock = await start();
    await clock.reopenAfter(10);
    const older = await storeMemory(clock.engine, 'The payments service runs on port 8443.');
    await clock.engine.recall({ query: 'payments port' });
    await clock.reopenAfter(-9);
    const newer = await storeMemory(clock.engine, 'The payments service runs on port 9443.', {
      links: { replaces: [older] },
    });
    const [conflict] = await clock.engine.conflicts.list();
    assert.deepEqual(
      [conflict?.newer.memory.id, conflict?.older.memory.id, conflict?.mark?.outdated],
      [newer, older, 'older'],
    );
    const { hits } = await clock.engine.recall({ query: 'Which port do payments use?', mode: 'fresh' });
    assert.equal(hits[0]?.memory.id, newer);
    const traces = await clock.engine.traces();
    assert.deepEqual(
      traces.map(it => it.query.slice(0, 5)),
      ['Which', 'payme'],
    );
  });
});
