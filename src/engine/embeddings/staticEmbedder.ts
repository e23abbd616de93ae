import { throwIfAborted } from '../base/cancellation.js';
import { embedderError, type Embedder, type EmbeddingModel, type StaticModelRunner } from './embedder.js';

/** A static model that the search thread runs: it has the model at hand anyway, to compare single words. */
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
    const all = await this.runner.embed(texts).catch((error: unknown) => {
      throw embedderError(this.model, error instanceof Error ? error.message : String(error));
    });
    throwIfAborted(signal);
    const { dimensions } = this.model;
    return texts.map((_text, i) => all.subarray(i * dimensions, (i + 1) * dimensions));
  }

  /** The thread ends with the stores that it searches. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
