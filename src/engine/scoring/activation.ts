import type { Memory } from '../model/memory.js';
import { dayMs } from './decay.js';

/**
 * Reinforcement weighed against time and sequence (memcone):
 * `reinforcementCount / ((1 + days) × (1 + 0.1 × seqLag))`, days since createdAt, at least 0.
 * @param sequenceNow the write counter of the memory's store and scopeId; seqLag is how far it has moved on.
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
