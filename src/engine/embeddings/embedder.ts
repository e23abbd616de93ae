/** Similarities (cosine, -1 to 1) that mean something in one model's space, measured on pairs; they differ by model. */
export interface SimilarityThresholds {
  /** Above what 99 of 100 unrelated texts reach: worth an edge. */
  readonly related: number;
  /** Near-duplicates reach it: a candidate for consolidation. Never proof of sameness. */
  readonly duplicate: number;
}

/** What is known of a model without loading it. */
export interface EmbeddingModel {
  /** Names the vector space: another model or another file of the same name has another id. */
  readonly id: string;
  readonly name: string;
  readonly dimensions: number;
  readonly thresholds: SimilarityThresholds;
}

/** Turns texts into vectors. Optional: where there is none, everything is lexical. */
export interface Embedder {
  /** Undefined for `noEmbedder`. */
  readonly model: EmbeddingModel | undefined;
  /**
   * One unit-length vector of `model.dimensions` per text, in order. A text that holds nothing the model knows gives a
   * zero vector.
   * @throws EngineError embedderUnavailable | aborted
   */
  embed(texts: readonly string[], as: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
  /** Frees what was loaded; embedding again loads it again. */
  close(): Promise<void>;
}

/** The embedder of `recollect.embeddings: off`. */
export const noEmbedder: Embedder = {
  model: undefined,
  embed: texts => Promise.resolve(texts.map(() => new Float32Array(0))),
  close: () => Promise.resolve(),
};
