import { throwIfAborted } from '../base/cancellation.js';
import { embedderError, type Embedder, type EmbeddingModel, type StaticModelRunner } from './embedder.js';

/** Embeds with the static model of the search worker, which has it loaded to compare single words. */
export class StaticEmbedder implements Embedder {
  readonly unavailableReason = undefined;
  readonly runsInSearchWorker = true;

  constructor(
    readonly model: EmbeddingModel,
    private readonly runner: StaticModelRunner,
  ) {}

  async embed(texts: readonly string[], _: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throwIfAborted(signal);
    const vectors = await this.runner.embed(texts).catch((error: unknown) => {
      throw embedderError(this.model, error instanceof Error ? error.message : String(error));
    });
    throwIfAborted(signal);
    const { dimensions } = this.model;
    return texts.map((_text, i) => vectors.subarray(i * dimensions, (i + 1) * dimensions));
  }

  /** Does nothing: the search worker ends with its stores. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
