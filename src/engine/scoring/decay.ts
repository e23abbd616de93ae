import type { DecayProfile, DecayRules } from '../model/config.js';
import { dayMs } from '../model/duration.js';
import type { DecayClass, Memory, Provenance } from '../model/memory.js';

/** Half of the class's lifetime, so that a quarter is left at its end (cmk). Days; undefined = no decay. */
const classHalfLifeDays: Readonly<Record<DecayClass, number | undefined>> = {
  ephemeral: 0.5,
  session: 3.5,
  durable: 45,
  permanent: undefined,
};

const gentleHalfLifeDays = 180;

/** Lower bound of the effective confidence. */
export const minEffectiveConfidence: Readonly<Record<DecayProfile, number>> = { classes: 0, kinds: 0, gentle: 10 };

/** A class ends when this share of the base confidence is left, whatever the base (memory model, "Decay"). */
const shareLeftAtEnd = 0.25;
/** Half-lives until {@link shareLeftAtEnd} is left. */
const halfLivesPerLifetime = 2;
/** Days that a plan lasts beyond its due date at least. */
const planGraceDays = 7;

interface ArchiveRule {
  /** Effective confidence, 0-100; of `classes` a share of the base. */
  readonly below: number | 'endOfLifetime';
  readonly forDays: number;
  readonly untouchedDays: number;
}

/**
 * A memory is archived when its effective confidence has been below `below` for `forDays` and it has not been accessed
 * for `untouchedDays`.
 */
export const archiveRules: Readonly<Record<DecayProfile, ArchiveRule>> = {
  classes: { below: 'endOfLifetime', forDays: 0, untouchedDays: 0 },
  kinds: { below: 30, forDays: 14, untouchedDays: 0 },
  gentle: { below: 20, forDays: 0, untouchedDays: 30 },
};

/** The effective confidence below which a memory with this base confidence is archived, 0-100. */
export function archiveThreshold(confidence: number, profile: DecayProfile): number {
  const { below } = archiveRules[profile];
  return below === 'endOfLifetime' ? confidence * shareLeftAtEnd : below;
}

/** From cortex: each modifier doubles the half-life. */
export const frequentAccessThreshold = 10;
const centralityThreshold = 0.5;

export interface DecayInput {
  readonly rules: DecayRules;
  /** 0-1. */
  readonly centrality: number;
  readonly now: Date;
}

export type Decayable = Pick<
  Memory,
  | 'confidence'
  | 'pinned'
  | 'decayClass'
  | 'kind'
  | 'accessCount'
  | 'updatedAt'
  | 'reinforcedAt'
  | 'accessedAt'
  | 'dueAt'
> & { readonly provenance?: Pick<Provenance, 'source'> };

/**
 * Half-life in days under the rules; undefined if the memory does not decay (pinned, permanent, stable kind, derived
 * from code).
 */
export function halfLifeDays(memory: Decayable, rules: DecayRules, centrality: number): number | undefined {
  if (memory.pinned || memory.decayClass === 'permanent') return undefined;
  // Valid as long as the code exists; derived again when the code changes.
  if (memory.provenance?.source === 'code-index') return undefined;
  const base = baseHalfLifeDays(memory, rules);
  if (base === undefined) return undefined;
  return base * (memory.accessCount > frequentAccessThreshold ? 2 : 1) * (centrality > centralityThreshold ? 2 : 1);
}

/**
 * Confidence left now, 0-100: `max(floor, confidence × 0.5^(days / halfLife))`, days since the latest of updatedAt,
 * reinforcedAt and the day of a plan (memory model, "Decay"). A clock that was set back and damaged dates count as 0 days.
 */
export function effectiveConfidence(memory: Decayable, input: DecayInput): number {
  const halfLife = halfLifeDays(memory, input.rules, input.centrality);
  if (halfLife === undefined) return memory.confidence;
  const since = agingStart(memory);
  const days = Number.isNaN(since) ? 0 : Math.max(0, (input.now.getTime() - since) / dayMs);
  return Math.max(minEffectiveConfidence[input.rules.profile], memory.confidence * 0.5 ** (days / halfLife));
}

/** Start of the decay: the later of updatedAt and reinforcedAt; milliseconds since 1970, NaN if both are damaged. */
export function lastRenewal({ updatedAt, reinforcedAt }: Pick<Memory, 'updatedAt' | 'reinforcedAt'>): number {
  const [updated, reinforced] = [Date.parse(updatedAt), Date.parse(reinforcedAt)];
  return Number.isNaN(updated) ? reinforced : Number.isNaN(reinforced) ? updated : Math.max(updated, reinforced);
}

/** When the memory begins to age: a plan from its day, not toward it. Milliseconds since 1970, NaN if the dates are damaged. */
function agingStart(memory: Pick<Memory, 'updatedAt' | 'reinforcedAt' | 'dueAt'>): number {
  const due = Date.parse(memory.dueAt ?? '');
  return Number.isNaN(due) ? lastRenewal(memory) : Math.max(lastRenewal(memory), due);
}

/**
 * The time at which a quarter of the base confidence is left, which is the end of a memory's lifetime; of a plan at the
 * earliest a week after its due date. Milliseconds since 1970; undefined if the memory does not decay.
 */
export function lifetimeEnd(memory: Decayable, rules: DecayRules, centrality: number): number | undefined {
  const halfLife = halfLifeDays(memory, rules, centrality);
  const since = agingStart(memory);
  if (halfLife === undefined || Number.isNaN(since)) return undefined;
  return Math.max(since + halfLivesPerLifetime * halfLife * dayMs, planGraceEnd(memory) ?? 0);
}

/** A week after the due date of a plan; milliseconds since 1970, undefined without one. */
export function planGraceEnd({ dueAt }: Pick<Memory, 'dueAt'>): number | undefined {
  const due = Date.parse(dueAt ?? '');
  return Number.isNaN(due) ? undefined : due + planGraceDays * dayMs;
}

/** Whether the archive rule of the profile holds now. Never for pinned and permanent memories. */
export function isBelowArchiveThreshold(memory: Decayable, input: DecayInput): boolean {
  const end = archiveRuleStart(memory, input.rules, input.centrality);
  return end !== undefined && input.now.getTime() > end;
}

/**
 * The time after which the archive rule of the profile holds if nothing else happens to the memory; milliseconds since
 * 1970, undefined for never.
 */
export function archiveRuleStart(memory: Decayable, rules: DecayRules, centrality: number): number | undefined {
  if (memory.pinned || memory.decayClass === 'permanent') return undefined;
  const { below, forDays, untouchedDays } = archiveRules[rules.profile];
  if (below === 'endOfLifetime') return lifetimeEnd(memory, rules, centrality);
  const since = agingStart(memory);
  const lastAccess = Date.parse(memory.accessedAt ?? memory.updatedAt);
  const earliest = Math.max(lastAccess + untouchedDays * dayMs, planGraceEnd(memory) ?? 0);
  if (Number.isNaN(since)) return undefined;
  if (memory.confidence < below) return Math.max(since, earliest);
  const halfLife = halfLifeDays(memory, rules, centrality);
  if (halfLife === undefined || minEffectiveConfidence[rules.profile] >= below) return undefined;
  return Math.max(since + (halfLife * Math.log2(memory.confidence / below) + forDays) * dayMs, earliest);
}

function baseHalfLifeDays(memory: Decayable, { profile, kindHalfLives }: DecayRules): number | undefined {
  if (profile === 'gentle') return gentleHalfLifeDays;
  const byKind = profile === 'kinds' ? kindHalfLives[memory.kind] : undefined;
  return byKind === 0 ? undefined : (byKind ?? classHalfLifeDays[memory.decayClass]);
}
