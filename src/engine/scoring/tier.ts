import type { Memory, Tier } from '../model/memory.js';

/** In the order in which quotas are applied. */
export const tiers: readonly Tier[] = ['short-term', 'long-term', 'permanent'];

/**
 * Quota tier of a memory: short-term for ephemeral and session, long-term for durable, permanent for permanent and
 * pinned.
 */
export function tierOf({ decayClass, pinned }: Pick<Memory, 'decayClass' | 'pinned'>): Tier {
  if (pinned || decayClass === 'permanent') return 'permanent';
  return decayClass === 'durable' ? 'long-term' : 'short-term';
}
