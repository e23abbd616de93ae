import type { Memory } from '../model/memory.js';
import { dayMs } from '../model/duration.js';

/**
 * Activation of a memory: `reinforcementCount / ((1 + days) × (1 + 0.1 × sequenceLag))`, days since createdAt, at least
 * 0 (memcone). Traces call it strength.
 * @param sequenceNow write counter of the memory's store and scopeId; the lag is the number of writes since the
 * memory's own
 */
export function activation(
  memory: Pick<Memory, 'reinforcementCount' | 'createdAt' | 'sequence'>,
  sequenceNow: number,
  now: Date,
): number {
  const days = Math.max(0, (now.getTime() - Date.parse(memory.createdAt)) / dayMs);
  const sequenceLag = Math.max(0, sequenceNow - memory.sequence);
  return memory.reinforcementCount / ((1 + days) * (1 + 0.1 * sequenceLag));
}
