import type { Edge } from './edge.js';
import type { Memory } from './memory.js';

/** A memory with what is left of its confidence now, 0-100. */
export interface MemoryWithConfidence {
  readonly memory: Memory;
  readonly effectiveConfidence: number;
}

/** Two active memories that contradict each other, and no person has settled it. */
export interface Conflict {
  /** Stored later. */
  readonly newer: MemoryWithConfidence;
  readonly older: MemoryWithConfidence;
  /** 0-1, how certain it is that they do. */
  readonly certainty: number;
  /** One sentence that names what differs. */
  readonly reason: string;
  /** When it was noticed, ISO-8601 UTC. */
  readonly since: string;
}

/** What a person makes of two memories that contradict each other: one replaces the other, or both hold. */
export const conflictResolutions = ['keepA', 'keepB', 'keepBoth'] as const;
export type ConflictResolution = (typeof conflictResolutions)[number];

/** What was settled, with all that undoing it needs. */
export interface ResolutionResult {
  readonly resolution: ConflictResolution;
  /** `open`: nothing was settled before. */
  readonly previousState: ConflictResolution | 'open';
  /** Both memories as they were before, A first. */
  readonly memories: readonly [Memory, Memory];
  /** Ids of those that got back what the contradiction had taken from their confidence. */
  readonly confidenceRestored: readonly string[];
}

/** A plan that wants a decision: done, extended or dropped. */
export interface PlanToReview extends MemoryWithConfidence {
  readonly why: 'overdue' | 'faded';
  /** The day it was due, or when the faded one was last told; ISO-8601 UTC. */
  readonly since: string;
}

/** One edge of a memory and the memory at its other end. */
export interface MemoryNeighbor extends MemoryWithConfidence {
  readonly edge: Edge;
}
