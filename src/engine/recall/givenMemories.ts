import type { GivenMemory } from '../model/access.js';
import { shortId } from '../model/memory.js';
import type { Candidate } from './currentMemories.js';

/**
 * An answer without what the asker has been given and nothing has changed since: neither the memory itself nor what stands
 * against it.
 * @param placed with their open contradictions, best first
 */
export function partitionGiven<T extends Candidate>(
  placed: readonly T[],
  given: readonly GivenMemory[],
): { readonly fresh: readonly T[]; readonly repeated: readonly T[] } {
  if (given.length === 0) return { fresh: placed, repeated: [] };
  const givenAt = new Map(given.map(it => [it.id, it.at]));
  const isRepeated = ({ hit: { memory, contradicts = [] } }: T): boolean => {
    const at = givenAt.get(shortId(memory));
    if (at === undefined) return false;
    const changes = [memory.updatedAt, ...contradicts.map(it => it.mark.at)];
    return changes.every(it => it <= at);
  };
  return { fresh: placed.filter(it => !isRepeated(it)), repeated: placed.filter(isRepeated) };
}
