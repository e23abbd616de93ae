import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';
import { runMaintenance } from '../maintenance/maintenanceHost.js';

const lighthouse = 'The lighthouse blinks every nine seconds.';
const asked = { query: 'how often does the lighthouse blink' };

const recalled = async (engine: MemoryEngine): Promise<string[]> =>
  (await engine.recall(asked)).hits.map(it => it.memory.content);

/** Whether a recall finds the memory just before and just after a number of days, without and with maintenance. */
function foundUntil(name: string, days: number, input: Partial<RememberInput>): void {
  it(`finds ${name} for ${days} days, whether or not maintenance runs`, async () => {
    for (const isMaintained of [false, true]) {
      const host = new TestHost();
      const engine = await host.open();
      await storeMemory(engine, lighthouse, { gate: 'epistemic', ...input });
      host.advanceDays(days - 0.01);
      const before = await engine.recall({ ...asked, isUntracked: true });
      host.advanceDays(0.02);
      if (isMaintained) await runMaintenance(engine);
      assert.deepEqual([before.hits.length, await recalled(engine)], [1, []]);
      assert.deepEqual((await engine.recall({ ...asked, statuses: ['archived'] })).hits, []);
    }
  });
}

describe('memories whose time is over', () => {
  foundUntil('an ephemeral memory', 1, { decayClass: 'ephemeral' });
  foundUntil('a session memory', 7, { decayClass: 'session' });
  foundUntil('a note of a captured session', 60, { lane: 'note', source: 'conversation' });

  it('still finds a durable memory that maintenance archived, and restores it', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, lighthouse, { gate: 'epistemic' });
    host.advanceDays(91);
    await runMaintenance(engine);
    assert.equal((await engine.get(id)).status, 'archived');
    assert.deepEqual(await recalled(engine), [lighthouse]);
    await engine.traces();
    assert.equal((await engine.get(id)).status, 'active');
  });

  it('finds what a person pinned or marked critical however old it is', async () => {
    for (const keep of ['pin', 'markCritical'] as const) {
      const host = new TestHost();
      const engine = await host.open();
      await engine[keep](await storeMemory(engine, lighthouse, { gate: 'epistemic', decayClass: 'ephemeral' }));
      host.advanceDays(400);
      assert.deepEqual(await recalled(engine), [lighthouse]);
    }
  });

  it('returns none from the answer cache either', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, lighthouse, { gate: 'epistemic', decayClass: 'ephemeral' });
    host.time += 86_400_000 - 1000;
    assert.deepEqual(await recalled(engine), [lighthouse]);
    host.time += 2000;
    assert.deepEqual(await recalled(engine), []);
  });

  it('finds what still counts among many whose time is over', async () => {
    const host = new TestHost();
    host.settings = { ...host.settings, recall: { ...host.settings.recall, candidates: 5, limit: 5 } };
    const engine = await host.open();
    for (let i = 0; i < 12; i++) {
      const content = `How often does the lighthouse blink? Log ${String(i)}: the lighthouse does blink often.`;
      await storeMemory(engine, content, { gate: 'epistemic', decayClass: 'ephemeral', kind: 'code' });
    }
    await storeMemory(engine, lighthouse, { gate: 'epistemic' });
    host.advanceDays(2);
    assert.deepEqual(await recalled(engine), [lighthouse]);
  });
});
