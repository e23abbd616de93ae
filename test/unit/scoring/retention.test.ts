import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DecayClass, Memory } from '../../../src/engine/model/memory.js';
import {
  presetWeights,
  retentionPresets,
  retentionSignals,
  type RetentionWeights,
} from '../../../src/engine/model/retention.js';
import { GoalMatcher } from '../../../src/engine/scoring/goalMatcher.js';
import { isExpired, isProtectedFromQuota, isPurgeable } from '../../../src/engine/scoring/retentionRules.js';
import {
  emotionalWeight,
  predictiveValue,
  recencyFrequency,
  retentionScore,
  type UsageCounts,
} from '../../../src/engine/scoring/retentionScore.js';
import { resolveRetentionWeights } from '../../../src/engine/scoring/retentionWeights.js';
import { tierOf } from '../../../src/engine/scoring/tier.js';
import { scoreEmphasis } from '../../../src/engine/text/textFeatures.js';

const anyShare = fc.double({ min: 0, max: 1, noNaN: true });
const anyWeights = fc.record({
  relevanceToGoals: anyShare,
  emotionalWeight: anyShare,
  predictiveValue: anyShare,
  recencyFrequency: anyShare,
});
const now = new Date('2026-06-01T00:00:00.000Z');
const daysAgo = (days: number): string => new Date(now.getTime() - days * 86_400_000).toISOString();

describe('resolveRetentionWeights', () => {
  const table: Record<string, readonly number[]> = {
    balanced: [0.4, 0.3, 0.2, 0.1],
    'task-focused': [0.55, 0.15, 0.2, 0.1],
    'feedback-driven': [0.25, 0.5, 0.15, 0.1],
    'fresh-context': [0.3, 0.2, 0.15, 0.35],
    archival: [0.45, 0.25, 0.25, 0.05],
  };
  it('returns the weights of the presets', () => {
    const found = retentionPresets.map(it => [it, retentionSignals.map(signal => presetWeights[it][signal])]);
    assert.deepEqual(Object.fromEntries(found), table);
    for (const it of retentionPresets) {
      const { preset, weights, warning } = resolveRetentionWeights(it);
      assert.deepEqual([preset, warning], [it, undefined]);
      for (const [i, signal] of retentionSignals.entries())
        assert.ok(Math.abs(weights[signal] - table[it]![i]!) < 1e-12, `${it} ${signal}`);
    }
  });

  it('normalizes any valid custom weights to the sum 1', () => {
    fc.assert(
      fc.property(anyWeights, weights => {
        const total = retentionSignals.reduce((sum, it) => sum + weights[it], 0);
        const chosen = resolveRetentionWeights('archival', weights);
        const sum = retentionSignals.reduce((all, it) => all + chosen.weights[it], 0);
        assert.ok(Math.abs(sum - 1) < 1e-9);
        assert.equal(chosen.warning === undefined, total > 0);
      }),
    );
  });

  it('keeps the weights of the preset where the custom ones name none', () => {
    const { preset, weights } = resolveRetentionWeights('archival', { emotionalWeight: 0.5 });
    assert.equal(preset, 'custom');
    assert.deepEqual(
      retentionSignals.map(it => Math.round(weights[it] * 1.25 * 100) / 100),
      [0.45, 0.5, 0.25, 0.05],
    );
  });

  const invalid: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ['balanced', { emotionalWeight: 1.2 }, 'The weight emotionalWeight must be a number from 0 to 1; it is "1.2".'],
    ['archival', { recencyFrequency: -0.1 }, 'The weight recencyFrequency must be a number from 0 to 1; it is "-0.1".'],
    [
      'balanced',
      { predictiveValue: Number.NaN },
      'The weight predictiveValue must be a number from 0 to 1; it is "NaN".',
    ],
    ['balanced', { predictiveValue: '1' }, 'The weight predictiveValue must be a number from 0 to 1; it is "1".'],
    [
      'balanced',
      { joy: 1 },
      'There is no weight "joy"; there are relevanceToGoals, emotionalWeight, predictiveValue, recencyFrequency.',
    ],
    [
      'archival',
      { relevanceToGoals: 0, emotionalWeight: 0, predictiveValue: 0, recencyFrequency: 0 },
      'All four weights are 0; at least one must be more.',
    ],
    [
      'fast',
      {},
      'There is no preset "fast"; there are balanced, task-focused, feedback-driven, fresh-context, archival.',
    ],
  ];
  for (const [preset, custom, says] of invalid) {
    it(`falls back to balanced with a warning: ${preset} ${JSON.stringify(custom)}`, () => {
      assert.deepEqual(resolveRetentionWeights(preset, custom), {
        ...resolveRetentionWeights('balanced'),
        warning: `${says} The preset balanced is used.`,
      });
    });
  }
});

describe('signals of the retention score', () => {
  const balanced: RetentionWeights = resolveRetentionWeights('balanced').weights;

  it('give a score of 0 to 1', () => {
    fc.assert(
      fc.property(anyWeights, anyWeights, (signals, weights) => {
        const score = retentionScore(signals, resolveRetentionWeights('balanced', weights).weights);
        assert.ok(score >= 0 && score <= 1);
      }),
    );
    const one = { relevanceToGoals: 1, emotionalWeight: 1, predictiveValue: 1, recencyFrequency: 1 };
    assert.equal(retentionScore(one, balanced), 1);
    assert.equal(retentionScore({ ...one, relevanceToGoals: 0.5 }, balanced), 0.8);
  });

  it('weigh feedback above emphasis', () => {
    const table = [-2, -1, 0, 1, 2].map(feedback => emotionalWeight({ feedback }, 0));
    assert.deepEqual(table, [0.175, 0.2333, 0.35, 0.4667, 0.525]);
    assert.equal(emotionalWeight({ feedback: 0 }, 0.5), 0.5);
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), anyShare, (feedback, it) => {
        const value = emotionalWeight({ feedback }, it);
        assert.ok(value >= 0 && value <= 1 && emotionalWeight({ feedback: feedback + 1 }, it) >= value);
      }),
    );
  });

  const texts: readonly (readonly [string, number])[] = [
    ['The build runs on Node 20.', 0],
    ['The API speaks HTTP and returns JSON.', 0],
    ['Always run the linter.', 1],
    ['NEVER push to main!', 3],
    ['Sarah loves short functions.', 1],
    ['if (a != b) return !c;', 0],
    ['It is critical: no exceptions!!!', 3],
  ];
  for (const [text, signs] of texts) {
    it(`find ${signs} signs of emphasis in: ${text}`, () => {
      assert.equal(scoreEmphasis(text), signs / (signs + 1));
    });
  }

  it('find emphasis in time linear in the length of any text', () => {
    assert.equal(scoreEmphasis(`${'!'.repeat(500_000)}x`), 0);
  });

  const use = (accessCount: number, usefulCount: number): UsageCounts => ({ accessCount, usefulCount });
  it("predict a memory's value from its own usage and that of its neighbors", () => {
    assert.equal(predictiveValue(use(0, 0), []), 0.25);
    assert.equal(predictiveValue(use(8, 0), []), 0.05);
    assert.equal(predictiveValue(use(8, 8), []), 0.85);
    // Positive feedback without a counted recall.
    assert.equal(predictiveValue(use(0, 2), []), 0.625);
    const alone = predictiveValue(use(2, 0), []);
    const closely = predictiveValue(use(2, 0), [{ ...use(10, 10), strength: 1 }]);
    const loosely = predictiveValue(use(2, 0), [{ ...use(10, 10), strength: 0.2 }]);
    assert.ok(alone < loosely && loosely < closely && closely < 1);
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.nat(100),
        fc.array(fc.record({ a: fc.nat(50), u: fc.nat(50), s: anyShare })),
        (a, u, around) => {
          const value = predictiveValue(
            use(a, u),
            around.map(it => ({ ...use(it.a, it.u), strength: it.s })),
          );
          assert.ok(value >= 0 && value <= 1);
        },
      ),
    );
  });

  it('count the last use in whole days, and the number of uses', () => {
    const at = (last: number, accessCount: number): number =>
      recencyFrequency(
        { accessCount, accessedAt: daysAgo(last), updatedAt: daysAgo(100), reinforcedAt: daysAgo(100) },
        now,
      );
    assert.deepEqual([at(0, 0), at(0.9, 0), at(30, 0), at(0, 5), at(90, 5)], [0.5, 0.5, 0.25, 0.75, 0.3125]);
    // Never recalled: counted from the last write or reinforcement.
    const reinforced = { accessCount: 0, updatedAt: daysAgo(60), reinforcedAt: daysAgo(30) };
    assert.equal(recencyFrequency(reinforced, now), 0.25);
  });

  it('match goals by shared words', () => {
    const goals = new GoalMatcher([
      ['ship', 'payment', 'refund', 'api', 'march', 'custom'],
      ['typescript', 'migrat'],
      [],
    ]);
    assert.equal(goals.relevance(['refund', 'job', 'refund']), 0.25);
    assert.equal(goals.relevance(['payment', 'refund', 'api', 'custom', 'ship']), 1);
    assert.equal(goals.relevance(['typescript']), 0.5);
    assert.equal(goals.relevance(['cat']), 0);
    assert.equal(new GoalMatcher([[]]).isEmpty, true);
  });
});

describe('retention rules', () => {
  const memory = (rest: Partial<Memory>): Memory => ({
    ...({ gate: 'epistemic', lane: 'note', status: 'active', pinned: false, decayClass: 'durable' } as Memory),
    updatedAt: daysAgo(100),
    ...rest,
  });
  const tiers: readonly (readonly [DecayClass, boolean, string])[] = [
    ['ephemeral', false, 'short-term'],
    ['session', false, 'short-term'],
    ['durable', false, 'long-term'],
    ['permanent', false, 'permanent'],
    ['ephemeral', true, 'permanent'],
  ];
  for (const [decayClass, pinned, tier] of tiers) {
    it(`assign ${pinned ? 'pinned ' : ''}${decayClass} to the tier ${tier}`, () => {
      assert.equal(tierOf({ decayClass, pinned, lane: 'note', provenance: { source: 'mcp' } }), tier);
    });
  }
  it('assign what others brought to tiers of their own, unless a person vouches for it', () => {
    const tier = (rest: Partial<Parameters<typeof tierOf>[0]>): string =>
      tierOf({ decayClass: 'durable', pinned: false, lane: 'note', provenance: { source: 'import' }, ...rest });
    assert.deepEqual(
      [tier({}), tier({ lane: 'confirmed' }), tier({ pinned: true }), tier({ decayClass: 'session' })],
      ['imported', 'long-term', 'permanent', 'imported'],
    );
    assert.equal(tier({ lane: 'confirmed', provenance: { source: 'import', author: 'Bea' } }), 'shared');
  });

  it('protect kept memories and open promises from quotas', () => {
    const memories: readonly Partial<Memory>[] = [
      {},
      { pinned: true },
      { decayClass: 'permanent' },
      { gate: 'promissory' },
      { gate: 'promissory', status: 'archived' },
    ];
    assert.deepEqual(
      memories.map(it => isProtectedFromQuota(memory(it))),
      [false, true, true, true, false],
    );
  });

  it('expire notes at their time, unless a person keeps them', () => {
    const expiresAt = daysAgo(0);
    const memories: readonly Partial<Memory>[] = [
      { expiresAt },
      { expiresAt: daysAgo(-0.001) },
      { expiresAt, lane: 'confirmed' },
      { expiresAt, pinned: true },
      { expiresAt, gate: 'promissory' },
      { expiresAt, status: 'archived' },
      { expiresAt: daysAgo(3), updatedAt: daysAgo(1) },
      {},
    ];
    assert.deepEqual(
      memories.map(it => isExpired(memory(it), now)),
      [true, false, false, false, true, false, false, false],
    );
  });

  it('purge untouched archived memories, except ones that a person keeps and merged ones', () => {
    const archived: Partial<Memory> = {
      lane: 'note',
      status: 'archived',
      archiveReason: 'faded',
      archivedAt: daysAgo(30),
      provenance: { source: 'conversation' },
    };
    const asked = { source: 'mcp' } as const;
    const memories: readonly Partial<Memory>[] = [
      archived,
      { ...archived, archivedAt: daysAgo(29.9) },
      { ...archived, archiveReason: 'forgotten' },
      { ...archived, archiveReason: 'forgotten', archivedAt: daysAgo(10) },
      { ...archived, accessedAt: daysAgo(3) },
      { ...archived, updatedAt: daysAgo(3) },
      { ...archived, archiveReason: 'merged' },
      { ...archived, pinned: true },
      { ...archived, decayClass: 'permanent' },
      { ...archived, status: 'active' },
      { ...archived, status: 'superseded' },
      { ...archived, lane: 'confirmed' },
      { ...archived, lane: 'confirmed', archiveReason: 'quota' },
      { ...archived, lane: 'confirmed', archiveReason: 'forgotten' },
      { ...archived, lane: 'confirmed', archiveReason: 'done' },
      { ...archived, provenance: asked },
      { ...archived, provenance: asked, archiveReason: 'forgotten' },
      { ...archived, provenance: asked, decayClass: 'session' },
      { ...archived, provenance: asked, kind: 'summary' },
      { ...archived, provenance: { source: 'code-index' } },
    ];
    assert.deepEqual(
      memories.map(it => isPurgeable(memory(it), now, 30)),
      [
        ...[true, false, true, false, false, false, false, false, false, false, false, false, false, true, true],
        ...[false, true, true, true, true],
      ],
    );
    assert.equal(isPurgeable(memory(archived), now, 0), false);
  });
});
