import type { AuditAction } from './auditAction.js';
import type { DecayProfile } from './config.js';
import type { DecayClass, Gate, Memory } from './memory.js';
import type { RankPart, Trace } from './trace.js';

/** A recall with the parts of its ranks. */
export interface ExplainedTrace {
  readonly trace: Trace;
  /** Per candidate, in the order of the trace. */
  readonly parts: readonly (readonly RankPart[])[];
  /** Memories of the candidates that still exist, in no particular order. */
  readonly memories: readonly Memory[];
}

/** Confidence 0-100 at a time, ISO-8601 UTC. */
export interface CurvePoint {
  readonly at: string;
  readonly confidence: number;
}

export interface CurveEvent extends CurvePoint {
  /** An audit action, or a recall that returned the memory. */
  readonly action: AuditAction | 'recall';
  /** The client. */
  readonly actor: string;
  /** Trace id of a recall. */
  readonly trace?: string;
}

/** Strength of a memory now, and what it follows from (scoring/activation.ts). */
export interface MemoryStrength {
  /** ≥ 0, unbounded. */
  readonly value: number;
  readonly reinforcementCount: number;
  /** Days since it was created. */
  readonly ageDays: number;
  /** Writes of its store and set since its own last one. */
  readonly sequenceLag: number;
  /** From its creation to the end of the forecast, as often said and as far behind as it is now; oldest first. */
  readonly curve: readonly { readonly at: string; readonly value: number }[];
}

/** Effective confidence of one memory under the current profile, from its creation to the end of the forecast. */
export interface ConfidenceCurve {
  readonly memory: Memory;
  readonly strength: MemoryStrength;
  readonly profile: DecayProfile;
  /** Oldest first. Times are strictly increasing, except at a step, which has two points at the same time. */
  readonly points: readonly CurvePoint[];
  readonly events: readonly CurveEvent[];
  readonly now: string;
  /** Archive threshold of the profile. */
  readonly archivedBelow: number;
  /** Lower bound. */
  readonly floor: number;
  /** Undefined: no decay. */
  readonly halfLifeDays?: number;
  /** Predicted archive time; undefined: never, or no longer active. */
  readonly fadesAt?: string;
}

/** Number of active memories per gate and decay class in the past and, if nothing else happens, in the future. */
export interface ActiveCountForecast {
  /** ISO-8601 UTC, oldest first, equally spaced. */
  readonly times: readonly string[];
  readonly now: string;
  /** One count per time. Pruned memories are unknown and not counted. */
  readonly byGate: Readonly<Record<Gate, readonly number[]>>;
  readonly byDecayClass: Readonly<Record<DecayClass, readonly number[]>>;
}
