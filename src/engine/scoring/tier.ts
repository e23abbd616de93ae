import type { Memory, Provenance, Tier } from '../model/memory.js';

/** In the order in which quotas are applied. */
export const tiers: readonly Tier[] = ['imported', 'shared', 'short-term', 'long-term', 'permanent'];

/** A memory as far as its tier depends on it. */
export type TieredMemory = Pick<Memory, 'decayClass' | 'pinned' | 'lane'> & {
  readonly provenance: Pick<Provenance, 'source' | 'author'>;
};

/**
 * Quota tier of a memory: permanent for permanent and pinned; of the others shared for a team's, imported for the notes of
 * imports, short-term for ephemeral and session, long-term for durable.
 */
export function tierOf({ decayClass, pinned, lane, provenance: { source, author } }: TieredMemory): Tier {
  if (pinned || decayClass === 'permanent') return 'permanent';
  if (author !== undefined) return 'shared';
  if (source === 'import' && lane === 'note') return 'imported';
  return decayClass === 'durable' ? 'long-term' : 'short-term';
}
