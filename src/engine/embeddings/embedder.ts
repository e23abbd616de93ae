import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { MessageTemplateName } from '../model/engineMessages.js';
import type { GateWeights } from '../model/gateWeights.js';
import type { RelationPair, RelationProbabilities } from './relation.js';

/** Cosine similarities (-1 to 1) above which two texts count as similar; they differ by model. */
export interface SimilarityThresholds {
  /** Minimum for a memory that shares no word with the question; Config.recall.meaningFloor if undefined. */
  readonly answer?: number | undefined;
  /** Minimum for an edge: at this similarity, nine of ten memories share their subject with their nearest one. */
  readonly related: number;
  /** Minimum for a consolidation candidate; no proof that two texts are equal. */
  readonly duplicate: number;
}

/** Metadata of a model, available without loading it. */
export interface EmbeddingModel {
  /** Identifies the vector space: a different model, or different files under the same name, has a different id. */
  readonly id: string;
  readonly name: string;
  readonly dimensions: number;
  readonly thresholds: SimilarityThresholds;
}

/** Runs a static model: the search worker. */
export interface StaticModelRunner {
  /** The concatenated vectors of all texts. @throws Error with the reason why the model does not run */
  embed(texts: readonly string[]): Promise<Float32Array>;
}

/** Why there is no model: the message in a recall's trace. */
export type UnavailableReason = Extract<
  MessageTemplateName,
  'embeddingsOff' | 'modelUnusable' | 'endpointUnasked' | 'endpointFails' | 'endpointBudget'
>;

/** A question, a memory that is being written, or one that was written before, which no call waits for. */
export type EmbeddingInput = 'query' | 'passage' | 'backlog';

/** Reading of a stored text by a model. */
export interface TextReading {
  readonly vector: Float32Array;
  /** In the order of {@link gateClasses}; undefined for a text that it cannot read. */
  readonly gateLogits: Float32Array | undefined;
  /** Probability that it holds in all projects, as a habit of its person does; undefined for a text that it cannot read. */
  readonly globalProbability: number | undefined;
}

/** Turns texts into vectors. Without a model, search is lexical. */
export interface Embedder {
  /** Undefined if no model can be used. */
  readonly model: EmbeddingModel | undefined;
  /** Undefined if there is a model that can be asked now. */
  readonly unavailableReason: UnavailableReason | undefined;
  /** Whether the search worker embeds texts itself: a store then takes a text instead of its vector. */
  readonly runsInSearchWorker: boolean;
  /** Whether the questions that a memory answers are embedded with it: they cost three times its text. */
  readonly embedsQuestions?: boolean;
  /**
   * One unit vector of `model.dimensions` per text, in order; a zero vector for a text without a known token.
   * @throws EngineError embedderUnavailable | embedderLate | aborted
   */
  embed(texts: readonly string[], inputType: EmbeddingInput, signal?: AbortSignal): Promise<Float32Array[]>;
  /**
   * The vectors of `embed`, with the logits of the gates of the texts; undefined for a model that reads none.
   * @throws EngineError embedderUnavailable | embedderLate | aborted
   */
  readonly read?:
    | ((texts: readonly string[], inputType: EmbeddingInput, signal?: AbortSignal) => Promise<readonly TextReading[]>)
    | undefined;
  /** How the logits that it reads and the cues of a text decide on the gate; undefined where it reads none. */
  readonly gateWeights?: GateWeights | undefined;
  /** Finds out what is not known of the model before it is used. A failure leaves it unavailable. @throws EngineError aborted */
  prepare?(inputType: EmbeddingInput, signal?: AbortSignal): Promise<void>;
  /**
   * Relation of each newer text to the older one; undefined for a model that reads none.
   * @throws EngineError embedderUnavailable | embedderLate | aborted
   */
  readonly relate?:
    | ((
        pairs: readonly RelationPair[],
        inputType: EmbeddingInput,
        signal?: AbortSignal,
      ) => Promise<readonly RelationProbabilities[]>)
    | undefined;
  /** Milliseconds until it can be asked again after a failure; undefined or absent if time alone changes nothing. */
  readonly retryDelayMs?: number | undefined;
  /** Begins to load the model, for a program that will ask at once; with `isOneCall` once and no more. */
  prewarm?(isOneCall: boolean): void;
  /** Unloads the model; the next call of `embed` loads it again. */
  close(): Promise<void>;
}

/** An embedder without a model: its vectors are empty. */
export function createNullEmbedder(unavailableReason: UnavailableReason): Embedder {
  return {
    model: undefined,
    unavailableReason,
    runsInSearchWorker: false,
    embed: texts => Promise.resolve(texts.map(() => new Float32Array(0))),
    close: () => Promise.resolve(),
  };
}

/** @param problem the reason, as a part of a sentence */
export function embedderError({ name }: EmbeddingModel, problem: string): EngineError {
  return new EngineError(
    'embedderUnavailable',
    message`The embedding model ${name} does not run (${problem}). Search goes on by words alone.`,
  );
}
