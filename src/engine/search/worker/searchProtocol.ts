import type { IndexedFact } from '../neighbors/batchFacts.js';
import type { RelatedMemory } from '../neighbors/classifyCandidates.js';
import type { IndexQuery } from '../query/indexQuery.js';
import type { LexicalScale } from '../query/searchMemories.js';

/** What the index thread is started with. */
export interface SearchWorkerData {
  /** The folder of the built-in model; undefined for none: candidates are then not compared token by token. */
  readonly modelDir: string | undefined;
}

/** Rows that a filter lets pass, as SQL over `memories m`; strings and numbers only. */
export interface RowFilter {
  readonly where: string;
  readonly params: readonly (string | number)[];
}

/** Which store's index, and in which model's space. */
export interface IndexKey {
  readonly file: string;
  readonly model: string | undefined;
  readonly dimensions: number | undefined;
}

/** Some of the facts of one call, in the order told. */
export interface CompareRequest {
  /** Names the call: its facts are compared with each other too. */
  readonly batchId: number;
  readonly facts: readonly IndexedFact[];
  /** Whether the built-in model makes the facts' vectors: then they come without. */
  readonly embeds: boolean;
  /** No more facts of the call follow. */
  readonly isLast: boolean;
  /** Cosine from which on two memories are related. */
  readonly relatedCosine: number;
}

/** What told facts have to do with what is known. */
export interface CompareResponse {
  /** For each fact. */
  readonly relatedMemories: readonly (readonly RelatedMemory[])[];
  /** int8 components of all facts' vectors one after another, where they were made here. */
  readonly vectors: Int8Array | undefined;
  /** How long that took, or why it could not be done; undefined where nothing was to be embedded. */
  readonly embedding: EmbeddingOutcome | undefined;
  /** Every write up to this revision was known. */
  readonly revision: number;
}

/** What is asked of the index thread. */
export type SearchWorkerRequest =
  | (IndexKey & {
      readonly id: number;
      readonly kind: 'search';
      readonly query: Omit<IndexQuery, 'allowed'>;
      /** What the built-in model makes the query's vector of; undefined where that is given, or words alone are asked for. */
      readonly textToEmbed: string | undefined;
      readonly filter: RowFilter | undefined;
      /** The file is asked first what was written lately, whatever is known here. */
      readonly refreshFirst: boolean;
    })
  | (IndexKey & { readonly id: number; readonly kind: 'compare'; readonly batch: CompareRequest })
  | (IndexKey & { readonly id: number; readonly kind: 'prepare' })
  | { readonly id: number; readonly kind: 'embed'; readonly texts: readonly string[] }
  | { readonly id: number; readonly kind: 'endCall'; readonly file: string; readonly batchId: number }
  | { readonly id: number; readonly kind: 'written'; readonly file: string; readonly revision: number }
  | { readonly id: number; readonly kind: 'close'; readonly file: string };

/** How texts were embedded here: the time it took, or why they were not. */
export type EmbeddingOutcome = { readonly ms: number } | { readonly failed: string };

export interface SearchAnswer {
  /** Best first. */
  readonly rows: readonly number[];
  /** Of all hits, one after another. */
  readonly features: Float32Array;
  /** What the relative features were divided by, so that answers of several stores can be compared. */
  readonly maxFeatureValues: { readonly words: number; readonly session: number };
  readonly lexicalScale: LexicalScale;
  /** Searchable memories that have a vector of the model, and searchable memories. */
  readonly embedded: number;
  readonly searchable: number;
  /** Undefined where nothing was to be embedded. */
  readonly embedding: EmbeddingOutcome | undefined;
  /** Every write up to this revision is known. */
  readonly revision: number;
}

/**
 * `shortlist`: the rows of an answer that follows, so that they can be read while it is worked out which is the best.
 * `loading`: the index is being built of many memories; search by words meanwhile.
 */
export type SearchWorkerReply =
  | { readonly id: number; readonly shortlist: readonly number[] }
  | { readonly id: number; readonly answer: SearchAnswer }
  | { readonly id: number; readonly compared: CompareResponse }
  | { readonly id: number; readonly vectors: Float32Array }
  | { readonly id: number; readonly loading: { readonly indexed: number; readonly total: number } }
  | { readonly id: number; readonly done: true }
  | { readonly id: number; readonly error: string };
