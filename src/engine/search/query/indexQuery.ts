import type { WeightedTerm } from '../../text/queryTerms.js';

/** A question as an index takes it. */
export interface IndexQuery {
  readonly terms: readonly WeightedTerm[];
  /** int8 components of the embeddings of the question, then of its alternatives; undefined for a search by words. */
  readonly vectors: readonly Int8Array[] | undefined;
  readonly scopeId: string;
  /** Rows that may be returned; undefined for all searchable ones. */
  readonly allowed: ReadonlySet<number> | undefined;
  /** Candidates by words, and as many by meaning. */
  readonly limit: number;
}
