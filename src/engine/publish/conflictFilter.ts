import type { Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';

const maxContradictionsPerMemory = 1_000;

/**
 * Ids of the memories with an open contradiction to another one of `memories`. Publishing one side would mislead the
 * reader, publishing both would confuse them. Contradictions to other memories do not count.
 */
export async function findConflictingIds(store: Store, memories: readonly Memory[]): Promise<ReadonlySet<string>> {
  const ids = new Set(memories.map(it => it.id));
  const conflictingIds = new Set<string>();
  for (const [id, contradicting] of await store.contradictions([...ids], maxContradictionsPerMemory)) {
    if (contradicting.some(it => ids.has(it.id))) conflictingIds.add(id);
  }
  return conflictingIds;
}
