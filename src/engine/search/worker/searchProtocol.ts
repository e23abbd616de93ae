import type { IndexedFact } from '../neighbors/batchFacts.js';
import type { RelatedMemory } from '../neighbors/relatedMemories.js';
import type { IndexQuery } from '../query/indexQuery.js';
import type { Nearness, WordStatistics } from '../query/searchMemories.js';

/** `workerData` of the search worker. */
export interface SearchWorkerData {
  /** Folder of the built-in model; without it there is no embedding and no reranking. */
  readonly modelDir: string | undefined;
}

/** A filter as an SQL condition over `memories m`. */
export interface RowFilter {
  readonly where: string;
  readonly params: readonly (string | number)[];
}

/** Identifies an index: the store's file and the embedding model. */
export interface IndexKey {
  readonly file: string;
  readonly model: string | undefined;
  readonly dimensions: number | undefined;
}

/** Consecutive facts of one batch. */
export interface CompareRequest {
  /** Facts with the same batch id are compared with each other too. */
  readonly batchId: number;
  readonly facts: readonly IndexedFact[];
  /** Whether the worker embeds the facts with the built-in model; they then come without vectors. */
  readonly embeds: boolean;
  /** Whether no more facts of the batch follow. */
  readonly isLast: boolean;
  /** Cosine from which two memories are related. */
  readonly relatedCosine: number;
}

export interface CompareResponse {
  /** By fact, in the order of the request. */
  readonly relatedMemories: readonly (readonly RelatedMemory[])[];
  /** int8 components of the facts' vectors, concatenated; undefined where the worker did not embed them. */
  readonly vectors: Int8Array | undefined;
  /** Undefined where nothing was to be embedded. */
  readonly embedding: EmbeddingOutcome | undefined;
  /** Every write up to this revision was taken into account. */
  readonly revision: number;
}

export type SearchWorkerRequest =
  | (IndexKey & {
      readonly id: number;
      readonly kind: 'search';
      readonly query: Omit<IndexQuery, 'allowed'>;
      /** Texts for the built-in model to embed; none where the query has its vectors or needs none. */
      readonly textsToEmbed: readonly string[];
      readonly filter: RowFilter | undefined;
      /** Whether to check the file for new writes first. */
      readonly refreshFirst: boolean;
    })
  | (IndexKey & { readonly id: number; readonly kind: 'compare'; readonly batch: CompareRequest })
  | (IndexKey & { readonly id: number; readonly kind: 'prepare' })
  | { readonly id: number; readonly kind: 'embed'; readonly texts: readonly string[] }
  | { readonly id: number; readonly kind: 'endBatch'; readonly file: string; readonly batchId: number }
  | { readonly id: number; readonly kind: 'written'; readonly file: string; readonly revision: number }
  | { readonly id: number; readonly kind: 'close'; readonly file: string };

/** The time that embedding took, or why it failed. */
export type EmbeddingOutcome = { readonly ms: number } | { readonly failed: string };

export interface SearchAnswer {
  readonly rows: readonly number[];
  readonly nearness: readonly (Nearness | undefined)[];
  /** int8 components of the hits' embeddings. */
  readonly vectors: readonly (Int8Array | undefined)[];
  readonly statistics: WordStatistics;
  /** Searchable memories that have a vector of the model. */
  readonly embedded: number;
  readonly searchable: number;
  /** Undefined where nothing was to be embedded. */
  readonly embedding: EmbeddingOutcome | undefined;
  /** Every write up to this revision is taken into account. */
  readonly revision: number;
}

/**
 * `shortlist`: the rows of the answer that follows, so that they can be read while it is on its way.
 * `loading`: a large index is being built; full-text search serves meanwhile.
 */
export type SearchWorkerReply =
  | { readonly id: number; readonly shortlist: readonly number[] }
  | { readonly id: number; readonly answer: SearchAnswer }
  | { readonly id: number; readonly compared: CompareResponse }
  | { readonly id: number; readonly vectors: Float32Array }
  | { readonly id: number; readonly loading: { readonly indexed: number; readonly total: number } }
  | { readonly id: number; readonly done: true }
  | { readonly id: number; readonly error: string };
