import type { IndexedFact } from '../search/neighbors/batchFacts.js';
import type { RelatedMemory } from '../search/neighbors/relatedMemories.js';
import type { EmbeddingOutcome } from '../search/worker/searchProtocol.js';

export interface ComparisonOptions {
  /** Minimum cosine of related memories. */
  readonly relatedCosine: number;
  /** Whether facts come without a vector and the comparison embeds them. */
  readonly embeds: boolean;
}

/** Compares the facts of one call with stored memories and with each other, before they are stored. */
export interface ComparisonSession {
  /**
   * Finds active memories of their scopeId, and facts added earlier, that are like the facts: a few of each, the most alike
   * first. Sees every write acknowledged before the call.
   * @param isLast no more facts follow
   * @throws EngineError internal if facts cannot be compared
   */
  add(facts: readonly IndexedFact[], isLast: boolean): Promise<FactComparison>;
  end(): void;
}

/** Values are in the order of the facts. */
export interface FactComparison {
  readonly relatedMemories: readonly (readonly RelatedMemory[])[];
  /** int8 components for facts that the comparison embedded; undefined where it did not. */
  readonly vectors: readonly (Int8Array | undefined)[];
  /** Duration or failure of embedding; undefined if nothing was embedded. */
  readonly embedding: EmbeddingOutcome | undefined;
}
