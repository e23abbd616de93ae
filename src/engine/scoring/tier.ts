import type { Memory, Tier } from '../model/memory.js';

/** In the order in which quotas are looked at. */
export const tiers: readonly Tier[] = ['short-term', 'long-term', 'permanent'];

/** The quota bucket of a memory: ephemeral and session short-term, durable long-term, permanent and pinned permanent. */
export function tierOf({ decayClass, pinned }: Pick<Memory, 'decayClass' | 'pinned'>): Tier {
  if (pinned || decayClass === 'permanent') return 'permanent';
  return decayClass === 'durable' ? 'long-term' : 'short-term';
}
