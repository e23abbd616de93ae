/** Similarities (cosine, -1 to 1) that mean something in one model's space, measured on pairs; they differ by model. */
export interface SimilarityThresholds {
  /** A memory that shares no word with the question is an answer from here on; Config.recall.meaningFloor if unknown. */
  readonly answer?: number | undefined;
  /** Worth an edge: nine of ten memories whose nearest is this close share their subject with it. */
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
  /** Undefined where there is none. */
  readonly model: EmbeddingModel | undefined;
  /** Why there is no model, as a trace says it; undefined where there is one. */
  readonly missing: string | undefined;
  /**
   * One unit-length vector of `model.dimensions` per text, in order. A text that holds nothing the model knows gives a
   * zero vector.
   * @throws EngineError embedderUnavailable | aborted
   */
  embed(texts: readonly string[], as: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
  /** Frees what was loaded; embedding again loads it again. */
  close(): Promise<void>;
}

/** Stands in where there is no model. @param missing why, as a trace says it */
export function noEmbedder(missing: string): Embedder {
  return {
    model: undefined,
    missing,
    embed: texts => Promise.resolve(texts.map(() => new Float32Array(0))),
    close: () => Promise.resolve(),
  };
}
