import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { UsageBuffer } from '../../../src/engine/recall/usageBuffer.js';
import type { Store } from '../../../src/engine/store/store.js';
import type { Trace } from '../../../src/engine/model/trace.js';
import { TestHost } from '../../support/fixtures.js';

describe('the usage buffer', () => {
  let time = 0;
  beforeEach(() => {
    time = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => time);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  /** Lets time pass until nothing that was due is left to do. */
  async function pass(ms: number): Promise<void> {
    time += ms;
    mock.timers.tick(ms);
    await new Promise(resolve => setImmediate(resolve));
  }

  /** Asks so often until then, and waits for ten seconds. @returns when something was written, in ms */
  async function writes(everyMs: number, untilMs: number): Promise<number[]> {
    const written: number[] = [];
    const store = {
      kind: 'global',
      flushUsage: () => {
        written.push(time);
        return Promise.resolve([]);
      },
    } as unknown as Store;
    const buffer = new UsageBuffer(new TestHost(), () => undefined);
    while (time <= untilMs) {
      if (time % everyMs === 0) buffer.add(store, { id: String(time), candidates: [] } as unknown as Trace, []);
      await pass(100);
    }
    for (let i = 0; i < 100; i++) await pass(100);
    return written;
  }

  it('is written a second after the last recall', async () => {
    assert.deepEqual(await writes(600, 1_200), [2_200]);
    time = 0;
    assert.deepEqual(await writes(2_000, 4_000), [1_000, 3_000, 5_000]);
  });

  it('is written every ten seconds under constant queries', async () => {
    assert.deepEqual(await writes(100, 25_000), [10_000, 20_000, 26_000]);
  });
});
