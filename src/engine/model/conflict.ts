import type { Edge, EdgeMark } from './edge.js';
import type { Memory } from './memory.js';

/** A memory with its current effective confidence, 0-100. */
export interface MemoryWithConfidence {
  readonly memory: Memory;
  readonly effectiveConfidence: number;
  /** Until when it is kept, ISO-8601 UTC; absent where it lasts, or is not asked for. */
  readonly keptUntil?: string;
}

/**
 * Two active memories of which, by a person's or a model's word, one no longer holds, or of which the encoder takes that to be
 * likely.
 */
export interface Conflict {
  /** Stored later. */
  readonly newer: MemoryWithConfidence;
  readonly older: MemoryWithConfidence;
  /** Certainty of the contradiction, 0-1; the encoder's probability without a statement. */
  readonly certainty: number;
  /** One sentence that names the difference. */
  readonly reason: string;
  /** Time of the first statement, or when the newer one was stored; ISO-8601 UTC. */
  readonly since: string;
  /** Which of the two no longer holds, and whose word that is; absent without a statement. */
  readonly mark?: { readonly outdated: 'newer' | 'older'; readonly by: EdgeMark['by']; readonly at: string };
  /** Whether that word decides; otherwise only a person can (`isDecided`). */
  readonly decided: boolean;
}

/** The memory that replaces one that no longer holds. */
export interface Replacement {
  /** Memory id. */
  readonly id: string;
  readonly by: EdgeMark['by'];
  /** ISO-8601 UTC. */
  readonly at: string;
  /** It says the same and stands for the memory. */
  readonly isSame?: boolean;
}

/** A person's decision between two contradicting memories: one replaces the other, or both hold. */
export const conflictResolutions = ['keepA', 'keepB', 'keepBoth'] as const;
export type ConflictResolution = (typeof conflictResolutions)[number];

/** A resolution, with everything needed to undo it. */
export interface ResolutionResult {
  readonly resolution: ConflictResolution;
  /** `open`: no earlier resolution. */
  readonly previousState: ConflictResolution | 'open';
  /** Previous state of both memories, A first. */
  readonly memories: readonly [Memory, Memory];
  /** Ids of memories that got back the confidence lost by the contradiction. */
  readonly confidenceRestored: readonly string[];
  /** Ids of memories that lost confidence by it. */
  readonly confidenceTaken: readonly string[];
}

/** A plan that a person completes, extends or drops. */
export interface PlanToReview extends MemoryWithConfidence {
  readonly why: 'overdue' | 'faded';
  /** Due date, or for a decayed plan the time it was last confirmed; ISO-8601 UTC. */
  readonly since: string;
}

/** An edge of a memory and the memory at its other end. */
export interface MemoryNeighbor extends MemoryWithConfidence {
  readonly edge: Edge;
}

/** A memory that a walk through the graph reached. */
export interface GraphStep extends MemoryNeighbor {
  /** Edges from the start: 1 or 2. */
  readonly hop: number;
  /** Id of the memory that it was reached from. */
  readonly from: string;
}
