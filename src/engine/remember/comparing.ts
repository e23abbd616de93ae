import type { Context } from '../context.js';
import { codeKinds } from '../model/memory.js';
import type { PlacedFact } from '../store/index/callFacts.js';
import type { Relative } from '../store/index/judge.js';
import type { Comparison, NewMemory, Store, StoredVector } from '../store/store.js';

/** A draft as it is compared. */
interface Embedded {
  readonly store: Store;
  readonly memory: Omit<NewMemory, 'sequence'>;
  readonly vector: StoredVector | undefined;
}

/** What came of one draft. */
interface FactCompared {
  readonly relatives: readonly Relative[];
  /** Where the comparison embedded it. */
  readonly vector: Int8Array | undefined;
}

/** The comparing of one call's facts, in each store they go to. */
export class Comparing {
  private readonly byStore = new Map<Store, Comparison>();

  constructor(private readonly ctx: Context) {}

  with(store: Store): Comparison {
    let known = this.byStore.get(store);
    if (known === undefined) {
      const { model, embedsInSearch: embeds } = this.ctx.embedder;
      known = store.beginComparing(model, { relatedCosine: model?.thresholds.related ?? 1, embeds });
      this.byStore.set(store, known);
    }
    return known;
  }

  /**
   * What comes of each memory, by its id. What goes wrong here is logged: a fact that was compared with nothing is better
   * than one that is lost.
   * They are asked for before anything is waited for: drafts are compared in the order of these calls.
   * @param isLast no more drafts of the call follow
   */
  async compare(drafts: readonly Embedded[], isLast: boolean): Promise<ReadonlyMap<string, FactCompared>> {
    const found = new Map<string, FactCompared>();
    const stores = [...new Set(drafts.map(it => it.store))];
    const comparing = stores.map(async store => {
      // Code is not a statement about anything.
      const its = drafts.filter(it => it.store === store && !codeKinds.includes(it.memory.kind));
      if (its.length === 0) return;
      try {
        const { relatives, vectors, embedding } = await this.with(store).add(its.map(placed), isLast);
        if (embedding !== undefined && 'ms' in embedding) this.ctx.embedder.count({ ms: embedding.ms, failures: 0 });
        for (const [i, it] of its.entries()) {
          found.set(it.memory.id, { relatives: relatives[i]!, vector: vectors[i] });
        }
      } catch (error) {
        this.ctx.host.log.error(`New memories of ${store.file} could not be compared with what is known.`, error);
      }
    });
    await Promise.all(comparing);
    return found;
  }

  end(): void {
    for (const it of this.byStore.values()) it.end();
  }
}

function placed({ memory, vector }: Embedded): PlacedFact {
  const { id, contentHash, content, scopeId = '', reinforcedAt: toldAt } = memory;
  return { id, contentHash, content, scopeId, toldAt, vector: vector?.vector };
}
