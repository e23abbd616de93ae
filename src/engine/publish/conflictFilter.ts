import type { Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';

/** Contradictions of one memory that are looked at: more than anybody leaves unsettled. */
const maxContradictionsPerMemory = 1_000;

/**
 * Ids of those memories that contradict another one of them, which nobody has settled: a reader of one side alone would be
 * misled, and of both left to guess. What only a memory beyond them denies is not among them.
 */
export async function findConflictingIds(store: Store, memories: readonly Memory[]): Promise<ReadonlySet<string>> {
  const ids = new Set(memories.map(it => it.id));
  const conflicting = new Set<string>();
  for (const [id, opposites] of await store.contradictions([...ids], maxContradictionsPerMemory)) {
    if (opposites.some(it => ids.has(it.id))) conflicting.add(id);
  }
  return conflicting;
}
