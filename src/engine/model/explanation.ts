import type { AuditAction } from './auditAction.js';
import type { DecayProfile } from './config.js';
import type { DecayClass, Gate, Memory } from './memory.js';
import type { RankPart, Trace } from './trace.js';

/** What a person sees who looks closely. Values only; engine/inspect makes them. */

/** A recall, taken apart. */
export interface ExplainedTrace {
  readonly trace: Trace;
  /** Of each candidate, in the order of the trace. */
  readonly parts: readonly (readonly RankPart[])[];
  /** The candidates' memories that still exist, in no particular order. */
  readonly memories: readonly Memory[];
}

/** Confidence at a moment: 0-100; times are ISO-8601 UTC. */
export interface CurvePoint {
  readonly at: string;
  readonly confidence: number;
}

export interface CurveEvent extends CurvePoint {
  /** From the audit log, or a recall that returned the memory. */
  readonly action: AuditAction | 'recall';
  /** The program that did it. */
  readonly actor: string;
  /** Of a recall: its trace. */
  readonly trace?: string;
}

/** One memory's effective confidence under the current profile, from its making to its forecast end. */
export interface ConfidenceCurve {
  readonly memory: Memory;
  readonly profile: DecayProfile;
  /** Oldest first; strictly rising in time, but for a step, which has two points of one time. */
  readonly points: readonly CurvePoint[];
  readonly events: readonly CurveEvent[];
  readonly now: string;
  /** Below this the profile archives. */
  readonly archivedBelow: number;
  /** Never falls below this. */
  readonly floor: number;
  /** Undefined: it does not decay. */
  readonly halfLifeDays?: number;
  /** When it will be archived unless something happens to it; undefined: never, or it is no longer active. */
  readonly fadesAt?: string;
}

/** How many memories of each gate and decay class are, were and will be active, unless something happens to them. */
export interface ActiveCountForecast {
  /** ISO-8601 UTC, oldest first, at equal steps. */
  readonly times: readonly string[];
  readonly now: string;
  /** One count per time. What was pruned is not counted: nothing is known of it. */
  readonly byGate: Readonly<Record<Gate, readonly number[]>>;
  readonly byDecayClass: Readonly<Record<DecayClass, readonly number[]>>;
}
