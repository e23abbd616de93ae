import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import type { EmbeddingProgress } from '../model/storeReport.js';
import { embedMissing, type EmbedMissingOptions } from './embedMissing.js';

export interface EmbeddingBacklogOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: EmbedMissingOptions['onProgress'] | undefined;
  /** Whether to wait for a model that cannot be asked now; true by default. */
  readonly isPatient?: boolean | undefined;
}

/** The memories that have no vector of the model in use. */
export class EmbeddingBacklog {
  private lastOptions: EmbeddingBacklogOptions | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** @throws EngineError embedderUnavailable, and errors of writing a store */
  embed(options: EmbeddingBacklogOptions = {}): Promise<EmbeddingProgress> {
    const { signal, onProgress = () => undefined, isPatient = true } = options;
    if (isPatient) this.lastOptions = options;
    return this.calls.runInBackground(signal, combinedSignal =>
      embedMissing(this.ctx, {
        signal: combinedSignal,
        onProgress,
        isPatient,
        whenIdle: () => this.calls.whenIdle(),
      }),
    );
  }

  /** Embeds what could not be embedded, once the model can be asked again, in a process that embeds in the background. */
  scheduleAfterFailure(): void {
    const { retryDelayMs = 0 } = this.ctx.embedder;
    if (this.lastOptions === undefined || this.timer !== undefined || retryDelayMs === 0) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        // Closed, or failed again, which schedules the next run.
        this.embed(this.lastOptions).catch(() => undefined);
      },
      Math.min(retryDelayMs, maxTimerMs),
    ).unref();
  }

  close(): void {
    clearTimeout(this.timer);
    this.lastOptions = undefined;
  }
}

/** A day, which a timer can take. */
const maxTimerMs = 86_400_000;
