import { EngineError } from '../base/errors.js';
import type { Embedder, EmbeddingInput, EmbeddingModel } from './embedder.js';

/** Usage of an embedder since it was opened. */
export interface EmbeddingCounts {
  readonly calls: number;
  /** Calls that failed; canceled calls are not counted. */
  readonly failures: number;
  /** Whether the last call failed. */
  readonly isFailing: boolean;
  /** Duration of all calls, including time in queues. */
  readonly totalMs: number;
}

/** Decorates an embedder with counters. */
export class InstrumentedEmbedder implements Embedder {
  /** Called when something was written without its vectors: of a memory, as the model was late, or of its questions. */
  onDidMiss: () => void = () => undefined;
  private totals: EmbeddingCounts = { calls: 0, failures: 0, isFailing: false, totalMs: 0 };

  constructor(private readonly inner: Embedder) {}

  get counts(): EmbeddingCounts {
    return this.totals;
  }

  get model(): EmbeddingModel | undefined {
    return this.inner.model;
  }

  get runsInSearchWorker(): boolean {
    return this.inner.runsInSearchWorker;
  }

  get embedsQuestions(): boolean {
    return this.inner.embedsQuestions === true;
  }

  get unavailableReason(): Embedder['unavailableReason'] {
    return this.inner.unavailableReason;
  }

  get retryDelayMs(): number | undefined {
    return this.inner.retryDelayMs;
  }

  get relate(): Embedder['relate'] {
    return this.inner.relate;
  }

  async prepare(...args: Parameters<NonNullable<Embedder['prepare']>>): Promise<void> {
    await this.inner.prepare?.(...args);
  }

  get gateWeights(): Embedder['gateWeights'] {
    return this.inner.gateWeights;
  }

  get read(): Embedder['read'] {
    const { read } = this.inner;
    return read && ((...args) => this.counted(() => read(...args), args[1]));
  }

  async embed(...args: Parameters<Embedder['embed']>): Promise<Float32Array[]> {
    if (this.inner.model === undefined) return this.inner.embed(...args);
    return this.counted(() => this.inner.embed(...args), args[1]);
  }

  private async counted<T>(work: () => Promise<T>, inputType: EmbeddingInput): Promise<T> {
    const started = performance.now();
    let failures = 0;
    try {
      return await work();
    } catch (error) {
      // A model that is late runs.
      if (EngineError.is(error, 'embedderLate')) {
        if (inputType === 'passage') this.onDidMiss();
      } else if (!EngineError.is(error, 'aborted')) failures = 1;
      throw error;
    } finally {
      this.recordCall({ ms: performance.now() - started, failures });
    }
  }

  /** Counts a call that the search worker made itself. */
  recordCall({ ms, failures }: { readonly ms: number; readonly failures: number }): void {
    const { calls, failures: before, totalMs } = this.totals;
    this.totals = {
      calls: calls + 1,
      failures: before + failures,
      isFailing: failures > 0,
      totalMs: totalMs + ms,
    };
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
