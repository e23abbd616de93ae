import type { DecayProfile } from '../model/config.js';
import type { DecayClass, Kind, Memory, Provenance } from '../model/memory.js';

export const dayMs = 86_400_000;

/** Half of the class's lifetime, so that a quarter is left at its end (cmk). Days; undefined = no decay. */
const classHalfLifeDays: Readonly<Record<DecayClass, number | undefined>> = {
  ephemeral: 0.5,
  session: 3.5,
  durable: 45,
  permanent: undefined,
};

/** From cortex. `null` = stable; other kinds decay by their class. */
const kindHalfLifeDays: Readonly<Partial<Record<Kind, number | null>>> = {
  pattern: 60,
  gotcha: 45,
  progress: 7,
  context: 30,
  architecture: null,
  decision: null,
  'code-description': null,
};

const gentleHalfLifeDays = 180;

/** Lower bound of the effective confidence. */
export const minEffectiveConfidence: Readonly<Record<DecayProfile, number>> = { classes: 0, kinds: 0, gentle: 10 };

/**
 * A memory is archived when its effective confidence has been below `below` for `forDays` and it has not been accessed
 * for `untouchedDays`.
 */
export const archiveRules: Readonly<Record<DecayProfile, { below: number; forDays: number; untouchedDays: number }>> = {
  classes: { below: 25, forDays: 0, untouchedDays: 0 },
  kinds: { below: 30, forDays: 14, untouchedDays: 0 },
  gentle: { below: 20, forDays: 0, untouchedDays: 30 },
};

/** From cortex: each modifier doubles the half-life. */
const frequentAccessThreshold = 10;
const centralityThreshold = 0.5;

export interface DecayInput {
  readonly profile: DecayProfile;
  /** 0-1. */
  readonly centrality: number;
  readonly now: Date;
}

export type Decayable = Pick<
  Memory,
  'confidence' | 'pinned' | 'decayClass' | 'kind' | 'accessCount' | 'updatedAt' | 'reinforcedAt' | 'accessedAt'
> & { readonly provenance?: Pick<Provenance, 'source'> };

/**
 * Half-life in days under a profile; undefined if the memory does not decay (pinned, permanent, stable kind, derived
 * from code).
 */
export function halfLifeDays(memory: Decayable, profile: DecayProfile, centrality: number): number | undefined {
  if (memory.pinned || memory.decayClass === 'permanent') return undefined;
  // Valid as long as the code exists; derived again when the code changes.
  if (memory.provenance?.source === 'code-index') return undefined;
  const base = baseHalfLifeDays(memory, profile);
  if (base === undefined) return undefined;
  return base * (memory.accessCount > frequentAccessThreshold ? 2 : 1) * (centrality > centralityThreshold ? 2 : 1);
}

/**
 * Confidence left now, 0-100: `max(floor, confidence × 0.5^(days / halfLife))`, days since the later of updatedAt and
 * reinforcedAt (memory model, "Decay"). A clock that was set back and damaged dates count as 0 days.
 */
export function effectiveConfidence(memory: Decayable, input: DecayInput): number {
  const halfLife = halfLifeDays(memory, input.profile, input.centrality);
  if (halfLife === undefined) return memory.confidence;
  const [updated, reinforced] = [Date.parse(memory.updatedAt), Date.parse(memory.reinforcedAt)];
  const since = Number.isNaN(updated) ? reinforced : Number.isNaN(reinforced) ? updated : Math.max(updated, reinforced);
  const days = Number.isNaN(since) ? 0 : Math.max(0, (input.now.getTime() - since) / dayMs);
  return Math.max(minEffectiveConfidence[input.profile], memory.confidence * 0.5 ** (days / halfLife));
}

/** Whether the archive rule of the profile holds now. Never for pinned and permanent memories. */
export function isBelowArchiveThreshold(memory: Decayable, input: DecayInput): boolean {
  if (memory.pinned || memory.decayClass === 'permanent') return false;
  const rule = archiveRules[input.profile];
  const windowStart = new Date(input.now.getTime() - rule.forDays * dayMs);
  if (effectiveConfidence(memory, { ...input, now: windowStart }) >= rule.below) return false;
  if (effectiveConfidence(memory, input) >= rule.below) return false;
  const lastAccess = Date.parse(memory.accessedAt ?? memory.updatedAt);
  return input.now.getTime() - lastAccess >= rule.untouchedDays * dayMs;
}

function baseHalfLifeDays(memory: Decayable, profile: DecayProfile): number | undefined {
  if (profile === 'gentle') return gentleHalfLifeDays;
  const byKind = profile === 'kinds' ? kindHalfLifeDays[memory.kind] : undefined;
  return byKind === null ? undefined : (byKind ?? classHalfLifeDays[memory.decayClass]);
}
