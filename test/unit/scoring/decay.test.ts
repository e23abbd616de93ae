import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decayProfiles, defaultConfig, type DecayProfile, type DecayRules } from '../../../src/engine/model/config.js';
import { decayClasses, kinds, type DecayClass, type Kind, type Memory } from '../../../src/engine/model/memory.js';
import { dayMs } from '../../../src/engine/model/duration.js';
import { effectiveConfidence, halfLifeDays, isBelowArchiveThreshold } from '../../../src/engine/scoring/decay.js';

const start = Date.parse('2026-03-02T09:00:00.000Z');
const after = (days: number): Date => new Date(start + days * dayMs);

function memory(rest: Partial<Memory> = {}): Memory {
  const createdAt = after(0).toISOString();
  return {
    confidence: 80,
    pinned: false,
    decayClass: 'durable',
    kind: 'insight',
    accessCount: 0,
    updatedAt: createdAt,
    reinforcedAt: createdAt,
    ...rest,
  } as Memory;
}

const rulesOf = (profile: DecayProfile): DecayRules => ({ ...defaultConfig.decay, profile });

const at = (profile: DecayProfile, days: number, centrality = 0): Parameters<typeof effectiveConfidence>[1] => ({
  rules: rulesOf(profile),
  centrality,
  now: after(days),
});

/** Compares the effective confidence of a memory with confidence 80 after each number of days. */
function check(
  name: string,
  profile: DecayProfile,
  rest: Partial<Memory>,
  table: Readonly<Record<number, number>>,
  centrality = 0,
): void {
  it(name, () => {
    const found = Object.keys(table).map(days => [
      days,
      round(effectiveConfidence(memory(rest), at(profile, Number(days), centrality))),
    ]);
    assert.deepEqual(Object.fromEntries(found), table);
  });
}

const round = (it: number): number => Math.round(it * 1000) / 1000;

describe('decay', () => {
  const whole: readonly (readonly [DecayClass, number])[] = [
    ['ephemeral', 1],
    ['session', 7],
    ['durable', 90],
  ];
  for (const [decayClass, lifetime] of whole) {
    check(
      `halves ${decayClass} at half its lifetime and leaves a quarter at its end under the classes profile`,
      'classes',
      { decayClass },
      { 0: 80, [lifetime / 2]: 40, [lifetime]: 20, [lifetime * 2]: 5 },
    );
  }
  check(
    'keeps permanent memories under the classes profile',
    'classes',
    { decayClass: 'permanent' },
    { 0: 80, 1000: 80 },
  );
  check(
    'keeps pinned memories under the classes profile',
    'classes',
    { pinned: true, decayClass: 'ephemeral' },
    { 0: 80, 1000: 80 },
  );
  check('ends at 0 under the classes profile', 'classes', { decayClass: 'ephemeral' }, { 100: 0 });
  check('counts a clock that was set back as no time under the classes profile', 'classes', {}, { [-10]: 80 });
  check(
    'counts from the last reinforcement under the classes profile',
    'classes',
    { reinforcedAt: after(45).toISOString() },
    { 45: 80, 90: 40 },
  );
  check(
    'counts from the last change under the classes profile',
    'classes',
    { updatedAt: after(45).toISOString() },
    { 45: 80, 90: 40 },
  );
  check('ignores the kind under the classes profile', 'classes', { kind: 'architecture' }, { 45: 40 });

  const byKind: readonly (readonly [Kind, number])[] = [
    ['pattern', 60],
    ['gotcha', 45],
    ['progress', 7],
    ['context', 30],
  ];
  for (const [kind, halfLife] of byKind)
    check(
      `halves ${kind} in ${halfLife} days under the kinds profile`,
      'kinds',
      { kind, decayClass: 'session' },
      { 0: 80, [halfLife]: 40, [2 * halfLife]: 20 },
    );
  for (const kind of ['architecture', 'decision', 'code-description'] as const)
    check(`keeps ${kind} under the kinds profile`, 'kinds', { kind, decayClass: 'ephemeral' }, { 0: 80, 1000: 80 });
  for (const kind of kinds.filter(
    it => !['pattern', 'gotcha', 'progress', 'context', 'architecture', 'decision', 'code-description'].includes(it),
  )) {
    check(`decays ${kind} by its class under the kinds profile`, 'kinds', { kind, decayClass: 'session' }, { 3.5: 40 });
  }
  check(
    'halves everything in 180 days and stops at 10 under the gentle profile',
    'gentle',
    { kind: 'decision', decayClass: 'ephemeral' },
    { 0: 80, 180: 40, 360: 20, 540: 10, 5400: 10 },
  );

  it('takes the half-lives of kinds from the rules under the kinds profile', () => {
    const rules: DecayRules = { profile: 'kinds', kindHalfLives: { insight: 20, gotcha: 0 } };
    const halfLives = (['insight', 'gotcha', 'pattern'] as const).map(kind => halfLifeDays(memory({ kind }), rules, 0));
    assert.deepEqual(halfLives, [20, undefined, 45]);
  });

  check('keeps the half-life at ten accesses', 'classes', { accessCount: 10 }, { 45: 40 });
  check('doubles the half-life above ten accesses', 'classes', { accessCount: 11 }, { 90: 40 });
  check('keeps the half-life at centrality 0.5', 'classes', {}, { 45: 40 }, 0.5);
  check('doubles the half-life above centrality 0.5', 'classes', {}, { 90: 40 }, 0.51);
  check(
    'quadruples the half-life for frequent access and high centrality',
    'classes',
    { accessCount: 11 },
    { 180: 40 },
    0.9,
  );
  check(
    'keeps stable kinds whatever their access count and centrality',
    'kinds',
    { kind: 'decision', accessCount: 11 },
    { 999: 80 },
    0.9,
  );

  const fades: readonly (readonly [
    string,
    DecayProfile,
    Partial<Memory>,
    readonly [staysAt: number, goesAt: number],
  ])[] = [
    ['an ephemeral memory after a day', 'classes', { decayClass: 'ephemeral' }, [1, 1.01]],
    ['a session memory of low confidence after a week', 'classes', { decayClass: 'session', confidence: 7 }, [7, 7.01]],
    ['a durable memory after 90 days', 'classes', { confidence: 60 }, [90, 90.01]],
    ['a durable memory of full confidence after 90 days', 'classes', { confidence: 100 }, [90, 90.01]],
    [
      'a plan a week after its due date',
      'classes',
      { decayClass: 'session', dueAt: after(30).toISOString() },
      [37, 37.01],
    ],
    ['a plan that lasts, counted from its day', 'classes', { dueAt: after(30).toISOString() }, [120, 120.01]],
    // Halved in 30 days: below 30 from 42.45 days on, and for 14 days after 56.45.
    ['kinds: below 30 for 14 days', 'kinds', { kind: 'context' }, [56.4, 56.5]],
    // Below 20 from 360 days on; not accessed since its creation.
    ['gentle: below 20, never accessed', 'gentle', {}, [360, 360.1]],
    ['gentle: below 20, accessed lately', 'gentle', { accessedAt: after(350).toISOString() }, [379.9, 380.1]],
  ];
  for (const [name, profile, rest, [stays, goes]] of fades) {
    it(`archives ${name}`, () => {
      assert.deepEqual(
        [stays, goes].map(it => isBelowArchiveThreshold(memory(rest), at(profile, it))),
        [false, true],
      );
    });
  }
  it('never archives pinned and permanent memories, however low their confidence', () => {
    const kept = decayProfiles.flatMap(profile =>
      [{ pinned: true }, { decayClass: 'permanent' as const }].map(it =>
        isBelowArchiveThreshold(memory({ ...it, confidence: 1 }), at(profile, 9999)),
      ),
    );
    assert.deepEqual(
      kept,
      kept.map(() => false),
    );
  });

  const anyMemory = fc.record({
    confidence: fc.double({ min: 0, max: 100, noNaN: true }),
    pinned: fc.boolean(),
    decayClass: fc.constantFrom(...decayClasses),
    kind: fc.constantFrom(...kinds),
    accessCount: fc.nat(30),
    updatedAt: fc.nat(400).map(it => after(it).toISOString()),
    reinforcedAt: fc.nat(400).map(it => after(it).toISOString()),
  });
  const anyProfile = fc.constantFrom(...decayProfiles);
  const anyDays = fc.double({ min: -1000, max: 10_000, noNaN: true });
  const anyShare = fc.double({ min: 0, max: 1, noNaN: true });

  it('never rises with time, and stays within 0 and 100', () => {
    fc.assert(
      fc.property(anyMemory, anyProfile, anyDays, anyDays, anyShare, (it, profile, one, two, centrality) => {
        const [early, late] = [Math.min(one, two), Math.max(one, two)].map(days =>
          effectiveConfidence(memory(it), at(profile, days, centrality)),
        );
        assert.ok(late! <= early! && late! >= 0 && early! <= 100);
      }),
    );
  });

  it('never exceeds the base confidence, except for the floor', () => {
    fc.assert(
      fc.property(anyMemory, anyProfile, anyDays, anyShare, (it, profile, days, centrality) => {
        const floor = profile === 'gentle' ? 10 : 0;
        assert.ok(effectiveConfidence(memory(it), at(profile, days, centrality)) <= Math.max(floor, it.confidence));
      }),
    );
  });

  it('leaves half after one half-life of any decaying memory', () => {
    fc.assert(
      fc.property(anyMemory, fc.constantFrom<DecayProfile>('classes', 'kinds'), anyShare, (it, profile, centrality) => {
        const halfLife = halfLifeDays(memory(it), rulesOf(profile), centrality);
        const last = Math.max(Date.parse(it.updatedAt), Date.parse(it.reinforcedAt));
        const now = new Date(last + (halfLife ?? 100) * dayMs);
        const left = effectiveConfidence(memory(it), { rules: rulesOf(profile), centrality, now });
        assert.ok(Math.abs(left - it.confidence * (halfLife === undefined ? 1 : 0.5)) < 1e-6);
      }),
    );
  });
});
