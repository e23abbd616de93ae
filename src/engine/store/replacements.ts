import type { Replacement } from '../model/conflict.js';
import { compareMarks, isDecided } from '../model/edge.js';
import type { Memory } from '../model/memory.js';
import type { Store } from './store.js';

/** Statements looked at per memory. */
const maxReplacements = 10;

/**
 * By memory id: what replaces it or stands for it, by a word that decides (`isDecided`). What a person confirmed or pinned keeps its place
 * against a model's word.
 * @param memories of any store; those of others are passed over
 */
export async function findReplacements(
  store: Store,
  memories: readonly Memory[],
): Promise<ReadonlyMap<string, Replacement>> {
  const own = memories.filter(it => it.status === 'active' && it.store === store.kind);
  if (own.length === 0) return new Map();
  const active = new Map(own.map(it => [it.id, it]));
  const found = await store.contradictions([...active.keys()], maxReplacements);
  return new Map(
    [...found].flatMap(([id, links]) => {
      const [first] = links
        .filter(it => it.mark.outdated === 'this' && isDecided(active.get(id)!, it.mark.by))
        .sort((a, b) => compareMarks(b.mark, a.mark));
      if (first === undefined) return [];
      const { by, at, isSame } = first.mark;
      return [[id, { id: first.id, by, at, ...(isSame === true ? { isSame } : {}) }] as const];
    }),
  );
}
