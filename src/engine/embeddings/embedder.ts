import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { MessageTemplateName } from '../model/engineMessages.js';

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

/** What runs a static model: the thread that searches (store/index/indexThread.ts). */
export interface StaticModelRunner {
  /** Vectors of all texts one after another. @throws Error saying what does not run */
  embed(texts: readonly string[]): Promise<Float32Array>;
}

/** Why there is no model: the sentence that a trace says. */
export type UnavailableReason = Extract<MessageTemplateName, 'embeddingsOff' | 'modelUnusable'>;

/** Turns texts into vectors. Optional: where there is none, everything is lexical. */
export interface Embedder {
  /** Undefined where there is none. */
  readonly model: EmbeddingModel | undefined;
  /** Undefined where there is one. */
  readonly unavailableReason: UnavailableReason | undefined;
  /** Whether a store can be given the text of a question or a fact in place of its vector, and embeds it where it searches. */
  readonly runsInSearchWorker: boolean;
  /**
   * One unit-length vector of `model.dimensions` per text, in order. A text that holds nothing the model knows gives a
   * zero vector.
   * @throws EngineError embedderUnavailable | aborted
   */
  embed(texts: readonly string[], inputType: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
  /** Frees what was loaded; embedding again loads it again. */
  close(): Promise<void>;
}

/** Stands in where there is no model. */
export function createNullEmbedder(unavailableReason: UnavailableReason): Embedder {
  return {
    model: undefined,
    unavailableReason,
    runsInSearchWorker: false,
    embed: texts => Promise.resolve(texts.map(() => new Float32Array(0))),
    close: () => Promise.resolve(),
  };
}

/** @param problem what keeps the model from running, as a part of a sentence */
export function embedderError({ name }: EmbeddingModel, problem: string): EngineError {
  return new EngineError(
    'embedderUnavailable',
    message`The embedding model ${name} does not run (${problem}). Search goes on by words alone.`,
  );
}
