import { EngineError } from '../base/errors.js';
import type { Embedder, EmbeddingModel } from './embedder.js';

/** How an embedder was used since it was opened. */
export interface EmbeddingCounts {
  readonly calls: number;
  /** Calls that ended with an error; one that was called off is none. */
  readonly failures: number;
  /** Time of all calls, waiting included. */
  readonly totalMs: number;
}

/** Another embedder, with its calls counted. */
export class CountedEmbedder implements Embedder {
  private current: EmbeddingCounts = { calls: 0, failures: 0, totalMs: 0 };

  constructor(private readonly embedder: Embedder) {}

  get counts(): EmbeddingCounts {
    return this.current;
  }

  get model(): EmbeddingModel | undefined {
    return this.embedder.model;
  }

  get embedsInSearch(): boolean {
    return this.embedder.embedsInSearch;
  }

  get missing(): Embedder['missing'] {
    return this.embedder.missing;
  }

  async embed(...args: Parameters<Embedder['embed']>): Promise<Float32Array[]> {
    if (this.embedder.model === undefined) return this.embedder.embed(...args);
    const started = performance.now();
    let failures = 0;
    try {
      return await this.embedder.embed(...args);
    } catch (error) {
      if (!EngineError.is(error, 'aborted')) failures = 1;
      throw error;
    } finally {
      this.count({ ms: performance.now() - started, failures });
    }
  }

  /** Counts a call that a search made by itself. */
  count({ ms, failures }: { readonly ms: number; readonly failures: number }): void {
    const { calls, failures: before, totalMs } = this.current;
    this.current = { calls: calls + 1, failures: before + failures, totalMs: totalMs + ms };
  }

  close(): Promise<void> {
    return this.embedder.close();
  }
}
