import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { UsageBuffer } from '../../../src/engine/recall/usage.js';
import type { Store } from '../../../src/engine/store/store.js';
import type { Trace } from '../../../src/engine/model/trace.js';
import { TestHost } from '../../support/memory.js';

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

  /** Asks every tenth of a second. @returns when something was written, in ms */
  async function writesWithin(ms: number, writeMs: number): Promise<number[]> {
    const writes: number[] = [];
    const store = {
      kind: 'global',
      flushUsage: () => {
        writes.push(time);
        time += writeMs;
        return Promise.resolve([]);
      },
    } as unknown as Store;
    const buffer = new UsageBuffer(new TestHost(), () => undefined);
    while (time < ms) {
      buffer.add(store, { id: String(time), candidates: [] } as unknown as Trace, []);
      await pass(100);
    }
    return writes;
  }

  it('is written a second after a recall where that takes no time', async () => {
    assert.deepEqual(await writesWithin(3_500, 0), [1_000, 2_000, 3_000]);
  });

  it('is written so seldom that writing takes a thirtieth of the time', async () => {
    assert.deepEqual(await writesWithin(10_000, 100), [1_000, 4_100, 7_200]);
  });

  it('is written ten seconds after the last time, however long that took', async () => {
    assert.deepEqual(await writesWithin(25_000, 1_000), [1_000, 12_000, 23_000]);
  });
});
