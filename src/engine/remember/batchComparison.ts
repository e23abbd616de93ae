import type { Context } from '../context.js';
import type { RelationPair, RelationProbabilities } from '../embeddings/relation.js';
import { codeKinds } from '../model/memory.js';
import type { IndexedFact } from '../search/neighbors/batchFacts.js';
import type { RelatedMemory } from '../search/neighbors/relatedMemories.js';
import type { ComparisonSession } from '../store/factComparison.js';
import type { NewMemory, Store, StoredVector } from '../store/store.js';

/** Facts of one call whose relatives are read: those of an import are not shown, and would take too long. */
const maxFacts = 8;

/** A draft as it is compared. */
interface EmbeddedFact {
  readonly store: Store;
  readonly memory: Omit<NewMemory, 'sequence'>;
  readonly vector: StoredVector | undefined;
}

/** Result for one draft. */
interface ComparisonOutcome {
  readonly relatedMemories: readonly RelatedMemory[];
  /** Where the comparison embedded it. */
  readonly vector: Int8Array | undefined;
}

/** The comparing of one call's facts, in each store they go to. */
export class BatchComparison {
  private readonly sessionsByStore = new Map<Store, ComparisonSession>();

  constructor(private readonly ctx: Context) {}

  sessionFor(store: Store): ComparisonSession {
    let session = this.sessionsByStore.get(store);
    if (session === undefined) {
      const { model, runsInSearchWorker: embeds } = this.ctx.embedder;
      session = store.openComparison(model, { relatedCosine: model?.thresholds.related ?? 1, embeds });
      this.sessionsByStore.set(store, session);
    }
    return session;
  }

  /**
   * The result for each memory, by its id. An error is logged: a fact that was compared with nothing is better
   * than one that is lost.
   * They are asked for before anything is waited for: drafts are compared in the order of these calls.
   * @param isLast no more drafts of the call follow
   */
  async compare(drafts: readonly EmbeddedFact[], isLast: boolean): Promise<ReadonlyMap<string, ComparisonOutcome>> {
    const outcomes = new Map<string, ComparisonOutcome>();
    const stores = [...new Set(drafts.map(it => it.store))];
    const pending = stores.map(async store => {
      // Code is not a statement about anything.
      const storeFacts = drafts.filter(it => it.store === store && !codeKinds.includes(it.memory.kind));
      if (storeFacts.length === 0) return;
      try {
        const { relatedMemories, vectors, embedding } = await this.sessionFor(store).add(
          storeFacts.map(toIndexedFact),
          isLast,
        );
        if (embedding !== undefined && 'ms' in embedding)
          this.ctx.embedder.recordCall({ ms: embedding.ms, failures: 0 });
        for (const [i, it] of storeFacts.entries()) {
          outcomes.set(it.memory.id, { relatedMemories: relatedMemories[i]!, vector: vectors[i] });
        }
      } catch (error) {
        this.ctx.host.log.error(`New memories of ${store.file} could not be compared with what is known.`, error);
      }
    });
    await Promise.all(pending);
    return outcomes;
  }

  close(): void {
    for (const it of this.sessionsByStore.values()) it.end();
  }
}

function toIndexedFact({ memory, vector }: EmbeddedFact): IndexedFact {
  const { id, contentHash, content, scopeId = '', reinforcedAt: assertedAt } = memory;
  return { id, contentHash, content, scopeId, assertedAt, vector: vector?.vector };
}

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
