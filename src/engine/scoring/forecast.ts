import type { DecayProfile, DecayRules } from '../model/config.js';
import type { CurvePoint } from '../model/explanation.js';
import type { Memory } from '../model/memory.js';
import { dayMs } from '../model/duration.js';
import {
  archiveRuleStart,
  archiveThreshold,
  effectiveConfidence,
  lastRenewal,
  minEffectiveConfidence,
  type Decayable,
} from './decay.js';
import { expiryTime } from './retentionRules.js';

/** An audit line of a memory. */
export interface PastEvent {
  readonly at: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A period in which only decay changes the confidence. Times in milliseconds since 1970. */
interface DecaySegment {
  readonly since: number;
  /** Start of the decay. */
  readonly decaySince: number;
  /** Base confidence, 0-100. */
  readonly confidence: number;
  readonly pinned: boolean;
}

/** Value of a repetition in audit lines that do not record the confidence yet. */
const legacyReinforcementBonus = 5;
/** Points of a curve: smooth at the width of an editor. */
const curvePointCount = 160;
/** Forecast in days for memories that do not decay, and the maximum. */
const stableForecastDays = 180;
const maxForecastDays = 730;

/** Actions that restart the decay. */
const renewingActions: readonly string[] = ['reinforce', 'restore', 'unpin'];

export interface ForecastInput {
  readonly rules: DecayRules;
  readonly now: Date;
}

/**
 * Time at which the archive rule of the profile or the expiry of a note will apply if nothing else happens to the
 * memory; milliseconds since 1970, undefined for never. It may lie in the past if maintenance has not run since.
 */
export function predictArchiveTime(
  memory: Decayable & Pick<Memory, 'centrality' | 'expiresAt'>,
  rules: DecayRules,
): number | undefined {
  if (memory.pinned || memory.decayClass === 'permanent') return undefined;
  const expires = expiryTime(memory);
  const fades = archiveRuleStart(memory, rules, memory.centrality);
  if (fades === undefined || expires === undefined) return fades ?? expires;
  return Math.min(fades, expires);
}

/**
 * Effective confidence from the creation of a memory to its archiving; a step has two points at the same time. The past
 * is drawn with the current half-life, because past access counts and edges are not recorded.
 */
export function confidenceCurve(
  memory: Memory,
  events: readonly PastEvent[],
  { rules, now }: ForecastInput,
): readonly CurvePoint[] {
  const segments = toDecaySegments(memory, events);
  const first = segments[0]!.since;
  const end = Math.max(now.getTime(), first) + forecastDays(memory, { rules, now }) * dayMs;
  const stepMs = Math.max(1, (end - first) / curvePointCount);
  return segments.flatMap((segment, i) => {
    const until = segments[i + 1]?.since ?? end;
    const from = new Date(segment.decaySince).toISOString();
    const state = { ...memory, ...segment, updatedAt: from, reinforcedAt: from };
    const steps = Math.max(1, Math.ceil((until - segment.since) / stepMs));
    return Array.from({ length: steps + 1 }, (_, step): CurvePoint => {
      const at = new Date(segment.since + ((until - segment.since) * step) / steps);
      return {
        at: at.toISOString(),
        confidence: effectiveConfidence(state, { rules, centrality: memory.centrality, now: at }),
      };
    });
  });
}

/** Days of the forecast: slightly longer than until archiving. */
function forecastDays(memory: Memory, { rules, now }: ForecastInput): number {
  const end = memory.status === 'active' ? predictArchiveTime(memory, rules) : now.getTime();
  if (end === undefined) return stableForecastDays;
  const days = Math.max(0, (end - now.getTime()) / dayMs);
  return Math.min(maxForecastDays, memory.status === 'active' ? Math.max(1, days * 1.2) : 0);
}

/**
 * Segments from creation to now. Goes backwards from the current memory, because each event implies the state before
 * it.
 */
function toDecaySegments(memory: Memory, events: readonly PastEvent[]): readonly DecaySegment[] {
  const createdAt = Date.parse(memory.createdAt);
  const laterEvents = events.filter(it => it.action !== 'create' && Date.parse(it.at) > createdAt);
  let { confidence, pinned } = memory;
  const states = [...laterEvents].reverse().map(event => {
    const after = { since: Date.parse(event.at), confidence, pinned, renews: renewingActions.includes(event.action) };
    confidence = confidenceBefore(event, confidence, pinned);
    if (event.action === 'pin') pinned = false;
    if (event.action === 'unpin') pinned = true;
    return after;
  });
  let decaySince = createdAt;
  return [{ since: createdAt, confidence, pinned, renews: true }, ...states.reverse()].map(
    ({ renews, ...it }, i): DecaySegment => {
      if (renews) decaySince = it.since;
      // The current memory has the exact start of its decay; the log does not.
      return { ...it, decaySince: i === states.length ? lastRenewal(memory) : decaySince };
    },
  );
}

function confidenceBefore(event: PastEvent, after: number, pinned: boolean): number {
  const logged = event.detail.confidence;
  if (typeof logged === 'object' && logged !== null && 'from' in logged && typeof logged.from === 'number')
    return logged.from;
  return event.action === 'reinforce' && !pinned ? Math.max(0, after - legacyReinforcementBonus) : after;
}

/** Active period of a memory; milliseconds since 1970, `until` exclusive. */
export interface Lifetime {
  readonly since: number;
  readonly until: number;
}

/** Past and predicted active period of a memory under a profile. */
export function lifetimeOf(memory: Memory, { rules, now }: ForecastInput): Lifetime {
  const since = Date.parse(memory.createdAt);
  if (memory.status !== 'active') return { since, until: Date.parse(memory.archivedAt ?? memory.updatedAt) };
  const end = predictArchiveTime(memory, rules) ?? Number.POSITIVE_INFINITY;
  // An overdue memory stays active until maintenance runs.
  return { since, until: Math.max(end, now.getTime() + 1) };
}

/** Number of active memories at equally spaced times, as a difference array: `add` takes constant time. */
export class ActiveCountHistogram {
  private readonly deltas: Float64Array;

  constructor(
    private readonly first: number,
    private readonly stepMs: number,
    private readonly bucketCount: number,
  ) {
    this.deltas = new Float64Array(bucketCount + 1);
  }

  add({ since, until }: Lifetime): void {
    const begin = this.bucketIndex(since);
    const end = this.bucketIndex(until);
    if (end <= begin) return;
    this.deltas[begin]! += 1;
    this.deltas[end]! -= 1;
  }

  counts(): readonly number[] {
    let sum = 0;
    return Array.from(this.deltas.subarray(0, this.bucketCount), it => (sum += it));
  }

  /** Index of the first time at or after `at`. */
  private bucketIndex(at: number): number {
    return Math.min(this.bucketCount, Math.max(0, Math.ceil((at - this.first) / this.stepMs)));
  }
}

/** The horizontal lines of a confidence chart. */
export function decayThresholds(
  { confidence }: Pick<Memory, 'confidence'>,
  profile: DecayProfile,
): { archivedBelow: number; floor: number } {
  return { archivedBelow: archiveThreshold(confidence, profile), floor: minEffectiveConfidence[profile] };
}
