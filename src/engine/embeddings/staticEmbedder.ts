import { throwIfCalledOff } from '../base/calledOff.js';
import { doesNotRun, type Embedder, type EmbeddingModel, type StaticModelThread } from './embedder.js';

/** A static model that the search thread runs: it has the model at hand anyway, to compare single words. */
export class StaticEmbedder implements Embedder {
  readonly missing = undefined;
  readonly embedsInSearch = true;

  constructor(
    readonly model: EmbeddingModel,
    private readonly thread: StaticModelThread,
  ) {}

  async embed(texts: readonly string[], _: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throwIfCalledOff(signal);
    const all = await this.thread.embed(texts).catch((error: unknown) => {
      throw doesNotRun(this.model, error instanceof Error ? error.message : String(error));
    });
    throwIfCalledOff(signal);
    const { dimensions } = this.model;
    return texts.map((_text, i) => all.subarray(i * dimensions, (i + 1) * dimensions));
  }

  /** The thread ends with the stores that it searches. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
