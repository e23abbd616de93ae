import type { IndexedFact } from '../search/neighbors/batchFacts.js';
import type { RelatedMemory } from '../search/neighbors/classifyCandidates.js';
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
   * Finds the relations of facts to active memories of their scopeId and to facts added earlier: a few of each relation,
   * the most informative first. Sees every write acknowledged before the call.
   * @param isLast no more facts follow
   * @throws EngineError internal if facts cannot be compared
   */
  add(facts: readonly IndexedFact[], isLast: boolean): Promise<FactComparison>;
  /** Revision up to which every compared fact was compared with all writes; Infinity before the first comparison. */
  readonly revision: number;
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
