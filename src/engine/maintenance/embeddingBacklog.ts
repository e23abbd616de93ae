import { setTimeout as sleep } from 'node:timers/promises';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { EmbeddingProgress } from '../model/storeReport.js';
import { embedMissing, type EmbedMissingOptions } from './embedMissing.js';

/** Longest delay of a timer, in milliseconds: about 24 days. */
const maxTimerMs = 2 ** 31 - 1;

export interface EmbeddingBacklogOptions {
  /** Of a call that joins a patient run, it changes nothing: that run ends by the signal it began with. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: EmbedMissingOptions['onProgress'] | undefined;
  /** Whether to wait for a model that cannot be asked now; true by default. */
  readonly isPatient?: boolean | undefined;
}

/** Until what was written without a vector, because the model was late, is embedded. */
const missDelayMs = 2_000;
/** How long closing waits for it: a program ends its server after two seconds. */
const closingMs = 1_000;

/** The memories that have no vector of the model in use. One patient run at most: it waits, and further calls join it. */
export class EmbeddingBacklog {
  private lastOptions: EmbeddingBacklogOptions | undefined;
  private timer: NodeJS.Timeout | undefined;
  private patientRun: Promise<EmbeddingProgress> | undefined;
  /** Whether the model failed while the patient run went on: a memory may have come without a vector after its last look. */
  private hasFailedMeanwhile = false;
  /** Whether something was written without a vector since the last run began. */
  private hasMissed = false;
  /** Ends the pauses of the patient run. */
  private waking = new AbortController();

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {
    ctx.embedder.onDidMiss = () => {
      this.scheduleAfterMiss();
    };
  }

  /** @throws EngineError embedderUnavailable, and errors of writing a store */
  embed(options: EmbeddingBacklogOptions = {}): Promise<EmbeddingProgress> {
    if (options.isPatient === false) return this.run(options);
    this.lastOptions = options;
    if (this.patientRun !== undefined) {
      // The model may be one that can be asked again.
      this.waking.abort();
      this.waking = new AbortController();
      return this.patientRun;
    }
    this.hasFailedMeanwhile = false;
    this.patientRun = this.run(options).finally(() => {
      this.patientRun = undefined;
      if (this.hasFailedMeanwhile) this.schedule();
      if (this.hasMissed) this.schedule(missDelayMs);
    });
    return this.patientRun;
  }

  /** Embeds what could not be embedded, once the model can be asked again, in a process that embeds in the background. */
  scheduleAfterFailure(): void {
    const { retryDelayMs = 0 } = this.ctx.embedder;
    if (retryDelayMs === 0) return;
    if (this.patientRun === undefined) this.schedule();
    else this.hasFailedMeanwhile = true;
  }

  /**
   * Ends what is embedded in the background, after what calls did not wait for: this process may be the last one for days.
   * Takes a second at most.
   */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.lastOptions = undefined;
    if (!this.hasMissed) return;
    await this.run({ signal: AbortSignal.timeout(closingMs), isPatient: false }).catch(() => undefined);
  }

  private run({ signal, onProgress = () => undefined, isPatient = true }: EmbeddingBacklogOptions) {
    this.hasMissed = false;
    return this.calls.runInBackground(signal, combinedSignal =>
      embedMissing(this.ctx, {
        signal: combinedSignal,
        onProgress: it => {
          if (isPatient) this.lastOptions?.onProgress?.(it);
          else onProgress(it);
        },
        isPatient,
        whenIdle: () => this.calls.whenIdle(),
        pause: ms => this.pause(ms, combinedSignal),
      }),
    );
  }

  /** Until `ms` have passed, a call joins the run, or `signal` aborts. */
  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    const endsEarly = AbortSignal.any([signal, this.waking.signal]);
    await sleep(Math.min(ms, maxTimerMs), undefined, { signal: endsEarly, ref: false }).catch(() => undefined);
  }

  /** Embeds what a call did not wait for, in a process that embeds in the background. */
  private scheduleAfterMiss(): void {
    this.hasMissed = true;
    if (this.patientRun === undefined) this.schedule(missDelayMs);
  }

  private schedule(delayMs = this.ctx.embedder.retryDelayMs): void {
    if (this.lastOptions === undefined || this.timer !== undefined || delayMs === undefined) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        // Closed, or failed again, which schedules the next run.
        this.embed(this.lastOptions).catch(() => undefined);
      },
      Math.min(delayMs, maxTimerMs),
    ).unref();
  }
}
