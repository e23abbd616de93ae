import type { GivenMemory } from '../model/access.js';
import { shortId, type Memory } from '../model/memory.js';
import type { Candidate } from './currentMemories.js';

/**
 * An answer without what the asker has been given and nothing has changed since: neither the memory itself nor what stands
 * against it.
 * @param placed with their open contradictions, best first
 * @param memories those that contradictions may name
 */
export function partitionGiven<T extends Candidate>(
  placed: readonly T[],
  given: readonly GivenMemory[],
  memories: readonly Memory[],
): { readonly fresh: readonly T[]; readonly repeated: readonly T[] } {
  if (given.length === 0) return { fresh: placed, repeated: [] };
  const givenAt = new Map(given.map(it => [it.id, it.at]));
  const byId = new Map(memories.map(it => [it.id, it]));
  const isRepeated = ({ hit: { memory, contradicts = [] } }: T): boolean => {
    const at = givenAt.get(shortId(memory));
    if (at === undefined) return false;
    const changes = [memory.updatedAt, ...contradicts.map(it => it.mark?.at ?? byId.get(it.id)?.reinforcedAt ?? '')];
    return changes.every(it => it <= at);
  };
  return { fresh: placed.filter(it => !isRepeated(it)), repeated: placed.filter(isRepeated) };
}
