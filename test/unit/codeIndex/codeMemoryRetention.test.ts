import assert from 'node:assert/strict';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

const derived: Partial<RememberInput> = { source: 'code-index', lane: 'note', gate: 'epistemic' };
const description = { ...derived, kind: 'code-description' } as const;

describe('memories of the code index', () => {
  it('are not compared with each other: hundreds of similar ones contradict nothing', async () => {
    const engine = await new TestHost().open();
    const texts = ['The port is 8080.', 'The port is 9090.', 'The port is not 8080.'];
    for (const it of texts) await storeMemory(engine, it, description);
    // In one call as well, and by what was written since.
    const outcomes = await engine.rememberAll(
      ['The cache has 3 levels.', 'The cache has 4 levels.'].map(content => ({
        ...description,
        content,
        source: 'code-index',
        store: 'global',
        whole: true,
      })),
    );
    assert.deepEqual(
      outcomes.flat().map(it => [it.outcome, 'contradicts' in it, 'doubts' in it]),
      [
        ['stored', false, false],
        ['stored', false, false],
      ],
    );
    assert.deepEqual(await engine.conflicts.list(), []);
    assert.equal((await engine.list()).length, 5);
    assert.deepEqual((await engine.consolidation.propose()).proposals, []);
  });

  it('neither fade nor expire, and do not count in quotas', async () => {
    const host = new TestHost();
    const { maintenance } = host.settings;
    const quotas = { ...maintenance.quotas, 'long-term': 1 };
    host.settings = { ...host.settings, maintenance: { ...maintenance, quotas } };
    const engine = await host.open();
    const code = await storeMemory(engine, 'Function `parsePort` in src/net.ts: reads a port.', description);
    assert.equal((await engine.get(code)).expiresAt, undefined);
    host.advanceDays(400);
    const [metrics] = (await engine.maintenance.metrics()).stores;
    assert.equal(metrics!.tiers['long-term'].bytes, 0);
    await engine.maintenance.run();
    const after = await engine.get(code);
    assert.deepEqual([after.status, engine.effectiveConfidence(after)], ['active', after.confidence]);
  });
});
