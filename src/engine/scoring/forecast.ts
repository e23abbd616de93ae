import type { Config, DecayProfile } from '../model/config.js';
import type { CurvePoint } from '../model/explanation.js';
import type { Memory } from '../model/memory.js';
import {
  archiveRules,
  dayMs,
  effectiveConfidence,
  minEffectiveConfidence,
  halfLifeDays,
  type Decayable,
} from './decay.js';

/** What happened to a memory, as its audit log tells it; oldest first. */
export interface PastEvent {
  readonly at: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A time in which nothing but decay moves the confidence. Milliseconds since 1970. */
interface DecaySegment {
  readonly since: number;
  /** From when decay counts. */
  readonly decaySince: number;
  /** Base confidence, 0-100. */
  readonly confidence: number;
  readonly pinned: boolean;
}

/** Before an audit line told the confidence, a repetition was worth this (scoring/confidence.ts). */
const legacyReinforcementBonus = 5;
/** Points of a whole curve: smooth at the width of an editor. */
const curvePointCount = 160;
/** What is looked ahead where nothing fades, and at most; days. */
const stableForecastDays = 180;
const maxForecastDays = 730;

/** After these the decay begins anew. */
const renewingActions: readonly string[] = ['reinforce', 'restore'];

export interface ForecastInput {
  readonly profile: DecayProfile;
  readonly now: Date;
}

/**
 * The moment at which the profile's archive rule or a note's expiry will hold unless something happens to the memory;
 * milliseconds since 1970, undefined for never. It may lie in the past: maintenance has not come by since.
 */
export function predictArchiveTime(
  memory: Decayable & Pick<Memory, 'centrality' | 'expiresAt'>,
  profile: DecayProfile,
): number | undefined {
  if (memory.pinned || memory.decayClass === 'permanent') return undefined;
  const expires = memory.expiresAt === undefined ? undefined : Date.parse(memory.expiresAt);
  const crossingTime = thresholdCrossing(memory, profile);
  if (crossingTime === undefined || expires === undefined) return crossingTime ?? expires;
  return Math.min(crossingTime, expires);
}

function thresholdCrossing(memory: Decayable & Pick<Memory, 'centrality'>, profile: DecayProfile): number | undefined {
  const { below, forDays, untouchedDays } = archiveRules[profile];
  const since = lastRenewal(memory);
  const earliestUntouched = Date.parse(memory.accessedAt ?? memory.updatedAt) + untouchedDays * dayMs;
  if (memory.confidence < below) return Math.max(since, earliestUntouched);
  const halfLife = halfLifeDays(memory, profile, memory.centrality);
  if (halfLife === undefined || minEffectiveConfidence[profile] >= below) return undefined;
  const days = halfLife * Math.log2(memory.confidence / below) + forDays;
  return Math.max(since + days * dayMs, earliestUntouched);
}

/**
 * Effective confidence from the making of a memory until it will have faded; a step is two points of one time. The
 * past is drawn with today's half-life: how often a memory was used, and linked, at each time is not kept.
 */
export function confidenceCurve(
  memory: Memory,
  events: readonly PastEvent[],
  { profile, now }: ForecastInput,
): readonly CurvePoint[] {
  const segments = toDecaySegments(memory, events);
  const first = segments[0]!.since;
  const end = Math.max(now.getTime(), first) + forecastDays(memory, { profile, now }) * dayMs;
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
        confidence: effectiveConfidence(state, { profile, centrality: memory.centrality, now: at }),
      };
    });
  });
}

/** Days from now on that a forecast shows: a little beyond the fading. */
function forecastDays(memory: Memory, { profile, now }: ForecastInput): number {
  const end = memory.status === 'active' ? predictArchiveTime(memory, profile) : now.getTime();
  if (end === undefined) return stableForecastDays;
  const days = Math.max(0, (end - now.getTime()) / dayMs);
  return Math.min(maxForecastDays, memory.status === 'active' ? Math.max(1, days * 1.2) : 0);
}

/** From today's memory back to its making: each event says, or implies, what was before it. */
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
      // Today's memory knows better than its log from when its decay counts.
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

function lastRenewal(memory: Pick<Memory, 'updatedAt' | 'reinforcedAt'>): number {
  return Math.max(Date.parse(memory.updatedAt), Date.parse(memory.reinforcedAt));
}

/** When a memory begins and ends to be active; milliseconds since 1970, `until` exclusive. */
export interface Lifetime {
  readonly since: number;
  readonly until: number;
}

/** The time in which a memory was, is and will be active under a profile unless something happens to it. */
export function lifetimeOf(memory: Memory, { profile, now }: ForecastInput): Lifetime {
  const since = Date.parse(memory.createdAt);
  if (memory.status !== 'active') return { since, until: Date.parse(memory.archivedAt ?? memory.updatedAt) };
  const end = predictArchiveTime(memory, profile) ?? Number.POSITIVE_INFINITY;
  // What should have faded is there until maintenance comes by.
  return { since, until: Math.max(end, now.getTime() + 1) };
}

/** Counts who is active at each of the times, which are in order and equally far apart. Adding is constant work each. */
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

  /** The first time that is not before `at`. */
  private bucketIndex(at: number): number {
    return Math.min(this.bucketCount, Math.max(0, Math.ceil((at - this.first) / this.stepMs)));
  }
}

/** What a curve is compared to. */
export function decayThresholds(profile: Config['decayProfile']): { archivedBelow: number; floor: number } {
  return { archivedBelow: archiveRules[profile].below, floor: minEffectiveConfidence[profile] };
}
