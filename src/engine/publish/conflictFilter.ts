import { isDecided } from '../model/edge.js';
import type { Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';

const maxContradictionsPerMemory = 1_000;

/**
 * Ids of the memories that another one of `memories` replaces, and of both where that is not settled: publishing one side
 * would mislead the reader, publishing both would confuse them. What is said about other memories does not count.
 */
export async function findConflictingIds(store: Store, memories: readonly Memory[]): Promise<ReadonlySet<string>> {
  const byId = new Map(memories.map(it => [it.id, it]));
  const conflictingIds = new Set<string>();
  for (const [id, contradicting] of await store.contradictions([...byId.keys()], maxContradictionsPerMemory)) {
    for (const { id: otherId, mark } of contradicting) {
      if (mark.outdated !== 'this' || !byId.has(otherId)) continue;
      conflictingIds.add(id);
      if (!isDecided(byId.get(id)!, mark.by)) conflictingIds.add(otherId);
    }
  }
  return conflictingIds;
}
