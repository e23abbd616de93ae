import type { Context } from '../context.js';
import type { RelationPair, RelationProbabilities } from '../embeddings/relation.js';
import type { RelatedMemory } from '../search/neighbors/relatedMemories.js';

/** Facts of one call whose relatives are read: those of an import are not shown, and would take too long. */
const maxFacts = 8;

interface ComparedFact {
  readonly memory: { readonly content: string };
  readonly relatedMemories: readonly RelatedMemory[];
}

/**
 * Relation of each fact to the memories that are like it, by id, as the embedder reads it; in the order of the facts. Without any where
 * it is late, and for many facts. Undefined without one that reads pairs: then the likeness has to do.
 */
export async function readRelations(
  { embedder, host }: Pick<Context, 'embedder' | 'host'>,
  facts: readonly ComparedFact[],
): Promise<readonly ReadonlyMap<string, RelationProbabilities>[] | undefined> {
  const { relate } = embedder;
  if (relate === undefined) return undefined;
  const unread = facts.map(() => new Map<string, RelationProbabilities>());
  if (facts.length > maxFacts) return unread;
  const pairs = facts.flatMap(({ memory, relatedMemories }) =>
    relatedMemories.map((it): RelationPair => [it.content, memory.content]),
  );
  try {
    const relations = await relate(pairs, 'passage');
    let next = 0;
    return facts.map(it => new Map(it.relatedMemories.map(({ id }) => [id, relations[next++]!])));
  } catch (error) {
    host.log.warn(error instanceof Error ? error.message : String(error));
    return unread;
  }
}
