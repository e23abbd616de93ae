import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decayProfiles, defaultConfig } from '../../../src/engine/model/config.js';
import { dayMs } from '../../../src/engine/model/duration.js';
import { decayClasses, kinds, type Memory } from '../../../src/engine/model/memory.js';
import { effectiveConfidence, isBelowArchiveThreshold } from '../../../src/engine/scoring/decay.js';
import {
  ActiveCountHistogram,
  confidenceCurve,
  predictArchiveTime,
  lifetimeOf,
  type PastEvent,
} from '../../../src/engine/scoring/forecast.js';

const start = Date.parse('2026-03-02T09:00:00.000Z');
const after = (days: number): string => new Date(start + days * dayMs).toISOString();

function memory(rest: Partial<Memory> = {}): Memory {
  return {
    confidence: 80,
    pinned: false,
    decayClass: 'durable',
    kind: 'insight',
    status: 'active',
    centrality: 0,
    accessCount: 0,
    createdAt: after(0),
    updatedAt: after(0),
    reinforcedAt: after(0),
    ...rest,
  } as Memory;
}

describe('predictArchiveTime', () => {
  const anyMemory = fc
    .record({
      confidence: fc.double({ min: 0, max: 100, noNaN: true }),
      decayClass: fc.constantFrom(...decayClasses),
      kind: fc.constantFrom(...kinds),
      accessCount: fc.integer({ min: 0, max: 20 }),
      centrality: fc.double({ min: 0, max: 1, noNaN: true }),
      accessedAt: fc.integer({ min: 0, max: 400 }).map(after),
    })
    .map(memory);

  it('returns the time from which the archive rule holds', () => {
    fc.assert(
      fc.property(anyMemory, fc.constantFrom(...decayProfiles), (it, profile) => {
        const rules = { ...defaultConfig.decay, profile };
        const end = predictArchiveTime(it, rules);
        const holds = (at: number): boolean =>
          isBelowArchiveThreshold(it, { rules, centrality: it.centrality, now: new Date(at) });
        if (end === undefined) assert.ok(!holds(start + 100_000 * dayMs));
        else assert.deepEqual([end > start && holds(end - 2_000), holds(end + 2_000)], [false, true]);
      }),
    );
  });

  it('returns an earlier expiry of a note, and undefined for pinned memories', () => {
    assert.equal(predictArchiveTime(memory({ expiresAt: after(10) }), defaultConfig.decay), start + 10 * dayMs);
    assert.equal(
      predictArchiveTime(memory({ expiresAt: after(1_000) }), defaultConfig.decay),
      predictArchiveTime(memory(), defaultConfig.decay),
    );
    assert.equal(predictArchiveTime(memory({ pinned: true, expiresAt: after(10) }), defaultConfig.decay), undefined);
  });
});

describe('confidenceCurve', () => {
  const curve = (it: Memory, events: readonly PastEvent[] = [], nowDays = 40) =>
    confidenceCurve(it, events, { rules: defaultConfig.decay, now: new Date(start + nowDays * dayMs) });
  const event = (days: number, action: string, detail: PastEvent['detail'] = {}): PastEvent => ({
    at: after(days),
    action,
    detail,
  });
  /** Rounded values just before and just after an event. */
  const around = (points: ReturnType<typeof curve>, days: number): readonly number[] =>
    points.filter(it => it.at === after(days)).map(it => Math.round(it.confidence));

  it('equals the effective confidence at every time since the last event', () => {
    const it = memory();
    for (const { at, confidence } of curve(it)) {
      assert.equal(
        confidence,
        effectiveConfidence(it, { rules: defaultConfig.decay, centrality: 0, now: new Date(at) }),
      );
    }
  });

  it('ends a little after the archive time', () => {
    const points = curve(memory());
    assert.ok(points[0]!.at === after(0) && points.at(-1)!.confidence < 20 && points.at(-1)!.confidence > 10);
  });

  it('steps up at a reinforcement, by the logged value or by five points', () => {
    const now = memory({ confidence: 85, reinforcedAt: after(20) });
    assert.deepEqual(around(curve(now, [event(0, 'create'), event(20, 'reinforce')]), 20), [59, 85]);
    const reinforcement = event(20, 'reinforce', { confidence: { from: 60, to: 85 } });
    assert.deepEqual(around(curve(now, [event(0, 'create'), reinforcement]), 20), [44, 85]);
  });

  it('steps down at a contradiction and stays level while pinned', () => {
    const weakened = event(10, 'weaken', { confidence: { from: 80, to: 40 } });
    assert.deepEqual(around(curve(memory({ confidence: 40 }), [weakened]), 10), [69, 34]);
    const pinned = curve(memory({ pinned: true }), [event(10, 'pin')]);
    assert.deepEqual([around(pinned, 10), Math.round(pinned.at(-1)!.confidence)], [[69, 80], 80]);
  });

  it('is ordered by time', () => {
    const days = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 });
    const actions = fc.constantFrom('reinforce', 'weaken', 'pin', 'unpin', 'archive', 'restore');
    fc.assert(
      fc.property(days, actions, (at, action) => {
        const events = at.sort((a, b) => a - b).map(it => event(it, action));
        const times = curve(memory({ updatedAt: after(at.at(-1) ?? 0) }), events).map(it => it.at);
        assert.deepEqual(times, [...times].sort());
      }),
    );
  });
});

describe('ActiveCountHistogram', () => {
  it('counts the memories that are active at each time', () => {
    const census = new ActiveCountHistogram(0, 10, 5);
    for (const [since, until] of [
      [-100, 1_000],
      [5, 25],
      [20, 20],
      [40, Number.POSITIVE_INFINITY],
      [41, 99],
    ] as const)
      census.add({ since, until });
    assert.deepEqual(census.counts(), [1, 2, 2, 1, 2]);
  });

  it('counts overdue memories until maintenance runs', () => {
    const now = new Date(start + 1_000 * dayMs);
    const span = (it: Memory) => lifetimeOf(it, { rules: defaultConfig.decay, now });
    assert.ok(span(memory()).until > now.getTime());
    assert.equal(span(memory({ status: 'archived', archivedAt: after(3) })).until, start + 3 * dayMs);
  });
});
