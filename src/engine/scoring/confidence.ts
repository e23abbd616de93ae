import type { Memory, MemorySource } from '../model/memory.js';

/** By what vouches for a memory at first. What was captured is as sure as its wording is clear. */
const sourceConfidence: Readonly<Record<Exclude<MemorySource, 'conversation'>, number>> = {
  explicit: 90,
  mcp: 75,
  http: 75,
  'extension-tool': 75,
  import: 70,
  'code-index': 60,
};

/** @param clarity how clear the statement is, 60-95 */
export function initialConfidence(source: MemorySource, clarity: number): number {
  return source === 'conversation' ? clarity : sourceConfidence[source];
}

/** Confidence points per repetition of a fact (cmk). */
const reinforcementBonus = 5;

type ConfidenceInput = Pick<Memory, 'confidence' | 'reinforcementCount' | 'pinned'>;
type ConfidenceUpdate = Pick<Memory, 'confidence' | 'reinforcementCount'>;

/**
 * Confidence after a repetition: +5, at most 100; reinforcementCount +1. The confidence of a pinned memory is locked.
 */
export function reinforce(memory: ConfidenceInput): ConfidenceUpdate {
  return {
    confidence: memory.pinned ? memory.confidence : Math.min(100, memory.confidence + reinforcementBonus),
    reinforcementCount: memory.reinforcementCount + 1,
  };
}

/**
 * Confidence after a person contradicted it: −20 −30 × certainty, at least 0; reinforcementCount −1, at least 0
 * (cmk, memcone). A pinned memory is unchanged.
 * @param certainty certainty of the contradiction, 0-1
 */
export function penalizeContradiction(memory: ConfidenceInput, certainty: number): ConfidenceUpdate {
  if (memory.pinned) return { confidence: memory.confidence, reinforcementCount: memory.reinforcementCount };
  return {
    confidence: Math.max(0, memory.confidence - contradictionPenalty(certainty)),
    reinforcementCount: Math.max(0, memory.reinforcementCount - 1),
  };
}

/**
 * Confidence after a person decided for the contradicted memory: the penalty of `penalizeContradiction` is returned, up
 * to 100. A pinned memory is unchanged.
 * @param certainty certainty of the contradiction, 0-1
 */
export function restoreConfidence(memory: ConfidenceInput, certainty: number): ConfidenceUpdate {
  if (memory.pinned) return { confidence: memory.confidence, reinforcementCount: memory.reinforcementCount };
  return {
    confidence: Math.min(100, memory.confidence + contradictionPenalty(certainty)),
    reinforcementCount: memory.reinforcementCount + 1,
  };
}

function contradictionPenalty(certainty: number): number {
  return 20 + 30 * Math.min(1, Math.max(0, certainty));
}
