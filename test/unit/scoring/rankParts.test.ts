import assert from 'node:assert/strict';
import fc from 'fast-check';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { gates, lanes } from '../../../src/engine/model/memory.js';
import { rankPartNames } from '../../../src/engine/model/trace.js';
import { rankParts } from '../../../src/engine/scoring/rankParts.js';
import { recallRank } from '../../../src/engine/scoring/recallRank.js';

const now = new Date('2026-03-02T09:00:00.000Z');
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('rankParts', () => {
  it('adds up to the rank for any memory and weights', () => {
    const any = fc.record({
      gate: fc.constantFrom(...gates),
      lane: fc.constantFrom(...lanes),
      priority: fc.integer({ min: 1, max: 10 }),
      ageDays: fc.double({ min: 0, max: 60, noNaN: true }),
      relevance: share,
      effectiveConfidence: fc.double({ min: 0, max: 100, noNaN: true }),
      activation: fc.double({ min: 0, max: 50, noNaN: true }),
      centrality: share,
      lambda: share,
      freshness: share,
    });
    fc.assert(
      fc.property(any, ({ gate, lane, priority, ageDays, lambda, freshness, ...input }) => {
        const at = new Date(now.getTime() - ageDays * 86_400_000).toISOString();
        const factors = recallRank(
          { gate, lane, priority, createdAt: at, reinforcedAt: at },
          { ...input, features: {}, score: 0, now },
          { ...defaultConfig.recall, lambda, freshness },
        );
        const parts = rankParts(factors);
        assert.deepEqual(
          parts.map(it => it.name),
          [...rankPartNames],
        );
        assert.ok(parts.every(it => it.value >= 0));
        assert.ok(Math.abs(parts.reduce((sum, it) => sum + it.value, 0) - factors.rank) < 1e-9);
      }),
    );
  });
});
