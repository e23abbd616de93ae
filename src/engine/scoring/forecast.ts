import type { Config, DecayProfile } from '../model/config.js';
import type { CurvePoint } from '../model/inspection.js';
import type { Memory } from '../model/memory.js';
import { archiveRules, dayMs, effectiveConfidence, floors, halfLifeDays, type Fading } from './decay.js';

/** What happened to a memory, as its audit log tells it; oldest first. */
export interface PastEvent {
  readonly at: string;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A time in which nothing but decay moves the confidence. Milliseconds since 1970. */
interface Stretch {
  readonly since: number;
  /** From when decay counts. */
  readonly from: number;
  /** Base confidence, 0-100. */
  readonly confidence: number;
  readonly pinned: boolean;
}

/** Before an audit line told the confidence, a repetition was worth this (scoring/confidence.ts). */
const untoldGain = 5;
/** Points of a whole curve: smooth at the width of an editor. */
const curvePoints = 160;
/** What is looked ahead where nothing fades, and at most; days. */
const stableOutlookDays = 180;
const longestOutlookDays = 730;

/** After these the decay begins anew. */
const renewing: readonly string[] = ['reinforce', 'restore'];

export interface ForecastInput {
  readonly profile: DecayProfile;
  readonly now: Date;
}

/**
 * The moment at which the profile's archive rule or a note's expiry will hold unless something happens to the memory;
 * milliseconds since 1970, undefined for never. It may lie in the past: maintenance has not come by since.
 */
export function fadesAt(
  memory: Fading & Pick<Memory, 'centrality' | 'expiresAt'>,
  profile: DecayProfile,
): number | undefined {
  if (memory.pinned || memory.decayClass === 'permanent') return undefined;
  const expires = memory.expiresAt === undefined ? undefined : Date.parse(memory.expiresAt);
  const faded = crossing(memory, profile);
  if (faded === undefined || expires === undefined) return faded ?? expires;
  return Math.min(faded, expires);
}

function crossing(memory: Fading & Pick<Memory, 'centrality'>, profile: DecayProfile): number | undefined {
  const { below, forDays, untouchedDays } = archiveRules[profile];
  const since = lastRenewal(memory);
  const touched = Date.parse(memory.accessedAt ?? memory.updatedAt) + untouchedDays * dayMs;
  if (memory.confidence < below) return Math.max(since, touched);
  const halfLife = halfLifeDays(memory, profile, memory.centrality);
  if (halfLife === undefined || floors[profile] >= below) return undefined;
  const days = halfLife * Math.log2(memory.confidence / below) + forDays;
  return Math.max(since + days * dayMs, touched);
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
  const stretches = stretchesOf(memory, events);
  const first = stretches[0]!.since;
  const end = Math.max(now.getTime(), first) + outlookDays(memory, { profile, now }) * dayMs;
  const stepMs = Math.max(1, (end - first) / curvePoints);
  return stretches.flatMap((stretch, i) => {
    const until = stretches[i + 1]?.since ?? end;
    const from = new Date(stretch.from).toISOString();
    const state = { ...memory, ...stretch, updatedAt: from, reinforcedAt: from };
    const steps = Math.max(1, Math.ceil((until - stretch.since) / stepMs));
    return Array.from({ length: steps + 1 }, (_, step): CurvePoint => {
      const at = new Date(stretch.since + ((until - stretch.since) * step) / steps);
      return {
        at: at.toISOString(),
        confidence: effectiveConfidence(state, { profile, centrality: memory.centrality, now: at }),
      };
    });
  });
}

/** Days from now on that a forecast shows: a little beyond the fading. */
function outlookDays(memory: Memory, { profile, now }: ForecastInput): number {
  const end = memory.status === 'active' ? fadesAt(memory, profile) : now.getTime();
  if (end === undefined) return stableOutlookDays;
  const days = Math.max(0, (end - now.getTime()) / dayMs);
  return Math.min(longestOutlookDays, memory.status === 'active' ? Math.max(1, days * 1.2) : 0);
}

/** From today's memory back to its making: each event says, or implies, what was before it. */
function stretchesOf(memory: Memory, events: readonly PastEvent[]): readonly Stretch[] {
  const made = Date.parse(memory.createdAt);
  const later = events.filter(it => it.action !== 'create' && Date.parse(it.at) > made);
  let { confidence, pinned } = memory;
  const states = [...later].reverse().map(event => {
    const after = { since: Date.parse(event.at), confidence, pinned, renews: renewing.includes(event.action) };
    confidence = confidenceBefore(event, confidence, pinned);
    if (event.action === 'pin') pinned = false;
    if (event.action === 'unpin') pinned = true;
    return after;
  });
  let from = made;
  return [{ since: made, confidence, pinned, renews: true }, ...states.reverse()].map(
    ({ renews, ...it }, i): Stretch => {
      if (renews) from = it.since;
      // Today's memory knows better than its log from when its decay counts.
      return { ...it, from: i === states.length ? lastRenewal(memory) : from };
    },
  );
}

function confidenceBefore(event: PastEvent, after: number, pinned: boolean): number {
  const told = event.detail.confidence;
  if (typeof told === 'object' && told !== null && 'from' in told && typeof told.from === 'number') return told.from;
  return event.action === 'reinforce' && !pinned ? Math.max(0, after - untoldGain) : after;
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
export function lifetime(memory: Memory, { profile, now }: ForecastInput): Lifetime {
  const since = Date.parse(memory.createdAt);
  if (memory.status !== 'active') return { since, until: Date.parse(memory.archivedAt ?? memory.updatedAt) };
  const end = fadesAt(memory, profile) ?? Number.POSITIVE_INFINITY;
  // What should have faded is there until maintenance comes by.
  return { since, until: Math.max(end, now.getTime() + 1) };
}

/** Counts who is active at each of the times, which are in order and equally far apart. Adding is constant work each. */
export class Census {
  private readonly changes: Float64Array;

  constructor(
    private readonly first: number,
    private readonly stepMs: number,
    private readonly size: number,
  ) {
    this.changes = new Float64Array(size + 1);
  }

  add({ since, until }: Lifetime): void {
    const begin = this.place(since);
    const end = this.place(until);
    if (end <= begin) return;
    this.changes[begin]! += 1;
    this.changes[end]! -= 1;
  }

  counts(): readonly number[] {
    let sum = 0;
    return Array.from(this.changes.subarray(0, this.size), it => (sum += it));
  }

  /** The first time that is not before `at`. */
  private place(at: number): number {
    return Math.min(this.size, Math.max(0, Math.ceil((at - this.first) / this.stepMs)));
  }
}

/** What a curve is compared to. */
export function thresholds(profile: Config['decayProfile']): { archivedBelow: number; floor: number } {
  return { archivedBelow: archiveRules[profile].below, floor: floors[profile] };
}
