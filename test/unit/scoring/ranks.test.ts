import assert from 'node:assert/strict';
import fc from 'fast-check';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { gates, lanes, type Memory } from '../../../src/engine/model/memory.js';
import { reinforce, penalizeContradiction } from '../../../src/engine/scoring/confidence.js';
import { recallRank } from '../../../src/engine/scoring/recallRank.js';
import { activation } from '../../../src/engine/scoring/activation.js';

const round = (it: number): number => Math.round(it * 1e6) / 1e6;
const now = new Date('2026-03-02T09:00:00.000Z');
const ago = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString();

describe('confidence', () => {
  const scored = (confidence: number, reinforcementCount: number, pinned = false): Parameters<typeof reinforce>[0] => ({
    confidence,
    reinforcementCount,
    pinned,
  });
  const table: readonly (readonly [string, ReturnType<typeof reinforce>, ReturnType<typeof reinforce>])[] = [
    ['rises by five at a reinforcement', reinforce(scored(80, 1)), { confidence: 85, reinforcementCount: 2 }],
    ['rises to at most 100 at a reinforcement', reinforce(scored(98, 4)), { confidence: 100, reinforcementCount: 5 }],
    [
      'is locked by a pin at a reinforcement',
      reinforce(scored(80, 1, true)),
      { confidence: 80, reinforcementCount: 2 },
    ],
    [
      'falls by 20 at a contradiction of certainty 0',
      penalizeContradiction(scored(80, 2), 0),
      { confidence: 60, reinforcementCount: 1 },
    ],
    [
      'falls by 35 at a contradiction of certainty 0.5',
      penalizeContradiction(scored(80, 2), 0.5),
      { confidence: 45, reinforcementCount: 1 },
    ],
    [
      'falls by 50 at a contradiction of certainty 1',
      penalizeContradiction(scored(80, 2), 1),
      { confidence: 30, reinforcementCount: 1 },
    ],
    [
      'treats a certainty above 1 as 1',
      penalizeContradiction(scored(80, 2), 7),
      { confidence: 30, reinforcementCount: 1 },
    ],
    [
      'treats a negative certainty as 0',
      penalizeContradiction(scored(80, 2), -1),
      { confidence: 60, reinforcementCount: 1 },
    ],
    [
      'falls to at least 0 at a contradiction',
      penalizeContradiction(scored(10, 0), 1),
      { confidence: 0, reinforcementCount: 0 },
    ],
    [
      'is locked by a pin at a contradiction',
      penalizeContradiction(scored(80, 2, true), 1),
      { confidence: 80, reinforcementCount: 2 },
    ],
  ];
  for (const [name, found, expected] of table) {
    it(name, () => {
      assert.deepEqual(found, expected);
    });
  }

  it('stays within 0 and 100 after any sequence of changes', () => {
    const step = fc.oneof(fc.constant('reinforce' as const), fc.double({ noNaN: true, min: -5, max: 5 }));
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.boolean(),
        fc.array(step),
        (confidence, pinned, steps) => {
          const end = steps.reduce<Parameters<typeof reinforce>[0]>(
            (it, what) => ({ pinned, ...(what === 'reinforce' ? reinforce(it) : penalizeContradiction(it, what)) }),
            { confidence, reinforcementCount: 1, pinned },
          );
          assert.ok(end.confidence >= 0 && end.confidence <= 100 && end.reinforcementCount >= 0);
          assert.ok(!pinned || end.confidence === confidence);
        },
      ),
    );
  });
});

describe('activation', () => {
  const table: readonly (readonly [string, number, number, number, number])[] = [
    ['is 1 for a new memory', 1, 0, 0, 1],
    ['is 5 after five reinforcements', 5, 0, 0, 5],
    ['halves after a day', 1, 1, 0, 0.5],
    ['halves after ten writes', 1, 0, 10, 0.5],
    ['combines days, writes and reinforcements', 4, 9, 10, 0.2],
    ['ignores a creation time in the future', 1, -5, 0, 1],
    ['ignores a sequence ahead of the store', 1, 0, -5, 1],
  ];
  for (const [name, reinforcementCount, days, lag, expected] of table) {
    it(name, () => {
      assert.equal(
        round(activation({ reinforcementCount, createdAt: ago(days), sequence: 100 }, 100 + lag, now)),
        expected,
      );
    });
  }
});

describe('recall rank', () => {
  // The numbers of the memory model; the default configuration has measured ones.
  const config = { ...defaultConfig.recall, lambda: 0.7, freshness: 0.1 };
  const memory = {
    gate: 'epistemic',
    lane: 'confirmed',
    priority: 5,
    createdAt: ago(60),
    reinforcedAt: ago(60),
  } as const;
  const input = { features: {}, score: 0, relevance: 0.5, effectiveConfidence: 80, activation: 1, centrality: 0, now };
  // Prior of these: 0.5 × 0.8 + 0.15 × 0.5 + 0.2 × 0.5 = 0.575; 0.7 × 0.5 + 0.3 × 0.575 = 0.5225
  const table: readonly (readonly [string, Partial<Memory>, Partial<typeof input>, number])[] = [
    ['an ordinary memory', {}, {}, 0.5225],
    ['a note', { lane: 'note' }, {}, 0.5225 * 0.9],
    ['a correction', { gate: 'correction' }, {}, 0.5225 * 1.25],
    ['a preference', { gate: 'behavioral' }, {}, 0.5225 * 1.1],
    ['a person', { gate: 'relational' }, {}, 0.5225],
    ['a plan', { gate: 'promissory' }, {}, 0.5225 * 0.95],
    ['made just now', { createdAt: ago(0) }, {}, 0.6225],
    ['is fresher after a reinforcement half a month ago', { reinforcedAt: ago(15) }, {}, 0.5725],
    ['30 days old', { createdAt: ago(30) }, {}, 0.5225],
    ['made by a clock ahead of ours', { createdAt: ago(-3) }, {}, 0.6225],
    ['exactly what was asked', {}, { relevance: 1 }, 0.8725],
    ['well connected', {}, { centrality: 1 }, 0.5225 + 0.3 * 0.15],
    ['without reinforcements', {}, { activation: 0 }, 0.5225 - 0.3 * 0.075],
  ];
  for (const [name, rest, more, expected] of table) {
    it(name, () => {
      assert.equal(round(recallRank({ ...memory, ...rest }, { ...input, ...more }, config).rank), round(expected));
    });
  }

  it('follows from the traced factors, and never falls with more relevance', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const any = fc.record({
      gate: fc.constantFrom(...gates),
      lane: fc.constantFrom(...lanes),
      priority: fc.integer({ min: 1, max: 10 }),
      createdAt: fc.nat(90).map(ago),
      reinforcedAt: fc.nat(90).map(ago),
    });
    const anyInput = fc.record({
      features: fc.constant({}),
      score: fc.constant(0),
      relevance: share,
      effectiveConfidence: fc.double({ min: 0, max: 100, noNaN: true }),
      activation: fc.double({ min: 0, max: 1e9, noNaN: true }),
      centrality: share,
    });
    fc.assert(
      fc.property(any, anyInput, share, (it, rankInput, lambda) => {
        const factors = recallRank(it, { ...rankInput, now }, { ...config, lambda });
        const { gateWeight, laneWeight, relevance, standing, freshness, rank } = factors;
        assert.ok(
          Math.abs(rank - (gateWeight * laneWeight * (lambda * relevance + (1 - lambda) * standing) + freshness)) <
            1e-12,
        );
        assert.ok(standing >= 0 && standing <= 1 && freshness >= 0 && freshness <= 0.1 && factors.strength <= 1);
        assert.ok(recallRank(it, { ...rankInput, relevance: 1, now }, { ...config, lambda }).rank >= rank);
      }),
    );
  });
});
