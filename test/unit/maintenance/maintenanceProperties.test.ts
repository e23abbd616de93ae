import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { decayProfiles, defaultConfig } from '../../../src/engine/model/config.js';
import { decayClasses, gates, lanes, type Memory } from '../../../src/engine/model/memory.js';
import { retentionPresets } from '../../../src/engine/model/retention.js';
import { storeMemory, storeProblems, memoryInput } from '../../support/fixtures.js';
import { storeContents, maintenanceHost } from './maintenanceHost.js';

const subjects = ['crane', 'winch', 'rope', 'anchor', 'harbour', 'tide', 'pilot', 'buoy'];
const quotas = { ...defaultConfig.maintenance.quotas, 'short-term': 60, 'long-term': 120, permanent: 50 };

/** A random operation on a store. `which` selects one of its memories. */
const anyStep = fc.oneof(
  fc.record({
    do: fc.constant('tell' as const),
    words: fc.array(fc.constantFrom(...subjects), { minLength: 1, maxLength: 4 }),
    gate: fc.constantFrom(...gates),
    lane: fc.constantFrom(...lanes),
    decayClass: fc.constantFrom(...decayClasses.filter(it => it !== 'permanent')),
  }),
  fc.record({
    do: fc.constantFrom('forget', 'restore', 'promote', 'markCritical', 'useful', 'notUseful'),
    which: fc.nat(20),
  }),
  fc.record({ do: fc.constant('recall' as const), words: fc.constantFrom(...subjects) }),
  fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('maintain' as const), preset: fc.constantFrom(...retentionPresets) }),
  fc.record({ do: fc.constant('goal' as const), words: fc.constantFrom(...subjects) }),
);

async function change(engine: MemoryEngine, what: string, id: string): Promise<unknown> {
  switch (what) {
    case 'forget':
      return engine.forget(id);
    case 'restore':
      return engine.restore(id);
    case 'promote':
      return engine.promote(id);
    case 'markCritical':
      return engine.markCritical(id);
    default:
      return engine.feedback(id, what === 'useful');
  }
}

/** Fields of a pinned memory that no automatic rule may change. */
function kept({ content, confidence, status, pinned, decayClass, gate, lane }: Memory): unknown {
  return { content, confidence, status, pinned, decayClass, gate, lane };
}

describe('maintenance after any sequence of operations', () => {
  it('keeps pins and quotas, changes nothing in a second run, and leaves the store intact', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 4, maxLength: 14 }),
        fc.constantFrom(...decayProfiles),
        async (steps, profile) => {
          const host = maintenanceHost({ quotas }, { decay: { ...defaultConfig.decay, profile } });
          const engine = await host.open();
          const pinned = await storeMemory(engine, 'the pinned lighthouse', {
            lane: 'note',
            decayClass: 'ephemeral',
            gate: 'epistemic',
          });
          const before = kept(await engine.pin(pinned));
          for (const it of steps) {
            host.time += 1;
            if (it.do === 'tell') {
              const { words, gate, lane, decayClass } = it;
              const [outcome] = await engine.remember(memoryInput(words.join(' '), { gate, lane, decayClass }));
              // A note does not restore a forgotten fact.
              assert.ok(outcome!.outcome !== 'refused' || lane === 'note', JSON.stringify(outcome));
            } else if (it.do === 'recall') await engine.recall({ query: it.words });
            else if (it.do === 'wait') host.advanceDays(it.days);
            else if (it.do === 'goal') await engine.goals.add(it.words);
            else if (it.do === 'maintain') await engine.maintenance.run({ preset: it.preset });
            else {
              const others = (await engine.list({ statuses: ['active', 'archived'] })).filter(its => its.id !== pinned);
              const target = others[it.which % Math.max(1, others.length)];
              if (target !== undefined) await change(engine, it.do, target.id);
            }
          }
          const [first] = await engine.maintenance.run();
          const { stores } = await engine.maintenance.metrics();
          for (const [tier, use] of Object.entries(first!.tiers)) {
            assert.ok(use.after <= Math.max(use.quota, use.protected), `${tier}: ${JSON.stringify(use)}`);
            assert.equal(use.after, stores[0]!.tiers[tier as keyof typeof quotas].bytes);
          }
          const state = await storeContents(host);
          await engine.maintenance.run();
          assert.deepEqual(await storeContents(host), state);
          assert.deepEqual(kept(await engine.get(pinned)), before);
          const all = await engine.list({ statuses: ['active', 'archived', 'superseded'] });
          assert.ok(all.every(({ confidence }) => confidence >= 0 && confidence <= 100));
          assert.deepEqual(await storeProblems(engine), []);
          await engine.close();
        },
      ),
      { numRuns: 25 },
    );
  });
});
