import type { Memory } from '../model/memory.js';

/** Confidence gained each time the same fact is remembered (cmk). */
const reinforcementBonus = 5;

type ConfidenceInput = Pick<Memory, 'confidence' | 'reinforcementCount' | 'pinned'>;
type ConfidenceUpdate = Pick<Memory, 'confidence' | 'reinforcementCount'>;

/** The same fact again: +5, at most 100; reinforcementCount +1. A pinned memory's confidence is locked. */
export function reinforce(memory: ConfidenceInput): ConfidenceUpdate {
  return {
    confidence: memory.pinned ? memory.confidence : Math.min(100, memory.confidence + reinforcementBonus),
    reinforcementCount: memory.reinforcementCount + 1,
  };
}

/**
 * Contradicted by a newer fact: −20 −30 × certainty, at least 0; reinforcementCount −1, at least 0 (cmk, memcone).
 * @param certainty 0-1, how certain the contradiction is. A pinned memory is untouched.
 */
export function penalizeContradiction(memory: ConfidenceInput, certainty: number): ConfidenceUpdate {
  if (memory.pinned) return { confidence: memory.confidence, reinforcementCount: memory.reinforcementCount };
  return {
    confidence: Math.max(0, memory.confidence - contradictionPenalty(certainty)),
    reinforcementCount: Math.max(0, memory.reinforcementCount - 1),
  };
}

/** Whether nothing a newer memory says may weaken this one: it is pinned, or a person said it and the newer is a note. */
export function isProtectedFromContradiction(
  older: Pick<Memory, 'pinned' | 'lane'>,
  newer: Pick<Memory, 'lane'>,
): boolean {
  return older.pinned || (older.lane === 'confirmed' && newer.lane === 'note');
}

/**
 * A person finds that what was contradicted holds: what `weakened` took is given back, up to 100.
 * @param certainty 0-1, of the contradiction. A pinned memory is untouched.
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
