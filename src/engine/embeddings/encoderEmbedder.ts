import { throwIfAborted } from '../base/cancellation.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { GateWeights } from '../model/gateWeights.js';
import {
  embedderError,
  type Embedder,
  type EmbeddingInput,
  type EmbeddingModel,
  type TextReading,
} from './embedder.js';
import type { OnnxWork } from './embeddingWorker.js';
import { leaseEncoderThread, type EncoderLease } from './encoderThread.js';
import type { ModelFolder } from './modelFolder.js';
import { relationClasses, type RelationPair, type RelationProbabilities } from './relation.js';
import { headsWidth, readHeads } from './textHeads.js';

/** Texts or pairs of one turn of the thread: a question waits for those of another call at most. */
const maxBatchSize = 8;
/** Milliseconds that a call waits; nothing waits for what was written before. */
const defaultWaits: EncoderWaits = { query: 150, passage: 300 };
/** Of a program that makes one call, whose every call would be too late for a model that is being loaded. */
const oneCallWaitMs = 2_000;

/** Milliseconds; Infinity waits for as long as it takes. */
export interface EncoderWaits {
  readonly query: number;
  readonly passage: number;
}

export interface EncoderOptions {
  /** Serves where the model does not run on this machine, after it failed in a call. */
  readonly fallback?: Embedder | undefined;
  /** Without them it reads no gates. */
  readonly gateWeights?: GateWeights | undefined;
  /** By default those of {@link readEncoderWaits}. */
  readonly waits?: EncoderWaits;
  /** After which the model is unloaded. */
  readonly idleMs?: number;
}

/** The waits of calls; `RECOLLECT_ENCODER_WAIT`, milliseconds or `forever`, sets them for tests and benches. */
function readEncoderWaits(): EncoderWaits {
  const { RECOLLECT_ENCODER_WAIT: given = '' } = process.env;
  if (given === 'forever') return { query: Infinity, passage: Infinity };
  return /^\d{1,6}$/u.test(given) ? { query: Number(given), passage: Number(given) } : defaultWaits;
}

/**
 * Embeds with the encoder that comes with Recollect, in one worker thread of the process. A call waits for it only for a short
 * time, and then does without; a memory that was written meanwhile is embedded in the background.
 */
export class EncoderEmbedder implements Embedder {
  private waits: EncoderWaits;
  private lease: EncoderLease | undefined;
  /** Kept when the thread is given up. */
  private isUnusable = false;

  constructor(
    private readonly modelFolder: ModelFolder,
    private readonly bundleDir: string,
    private readonly options: EncoderOptions = {},
  ) {
    this.waits = options.waits ?? readEncoderWaits();
  }

  get model(): EmbeddingModel | undefined {
    return this.servingFallback?.model ?? this.modelFolder.model;
  }

  get unavailableReason(): Embedder['unavailableReason'] {
    return this.servingFallback?.unavailableReason;
  }

  get runsInSearchWorker(): boolean {
    return this.servingFallback?.runsInSearchWorker ?? false;
  }

  get embedsQuestions(): boolean {
    return this.servingFallback === undefined;
  }

  /** Whether the worker thread runs. */
  get isLoaded(): boolean {
    return this.lease?.thread.isLoaded === true;
  }

  get relate(): Embedder['relate'] {
    if (this.servingFallback !== undefined) return undefined;
    return (pairs, inputType, signal) => this.relatePairs(pairs, inputType, signal);
  }

  get gateWeights(): Embedder['gateWeights'] {
    return this.servingFallback === undefined ? this.options.gateWeights : undefined;
  }

  get read(): Embedder['read'] {
    if (this.gateWeights === undefined) return undefined;
    return (texts, inputType, signal) => this.readTexts(texts, inputType, signal);
  }

  /** Begins to load the model, for a program that will ask at once, or once and no more. */
  prewarm(isOneCall: boolean): void {
    if (isOneCall) {
      const { query, passage } = this.waits;
      this.waits = { query: Math.max(query, oneCallWaitMs), passage: Math.max(passage, oneCallWaitMs) };
    }
    if (this.servingFallback === undefined) this.thread().load();
  }

  async embed(texts: readonly string[], inputType: EmbeddingInput, signal?: AbortSignal): Promise<Float32Array[]> {
    if (this.servingFallback !== undefined) return this.servingFallback.embed(texts, inputType, signal);
    const { dimensions } = this.modelFolder.model;
    const batches = inBatches(texts);
    const numbers = await this.run(
      batches.map(it => ({ texts: it })),
      inputType,
      signal,
    );
    return batches.flatMap((batch, k) =>
      batch.map((_, row) => numbers[k]!.subarray(row * dimensions, (row + 1) * dimensions)),
    );
  }

  async close(): Promise<void> {
    const { lease } = this;
    this.lease = undefined;
    await lease?.release();
    await this.options.fallback?.close();
  }

  private async readTexts(
    texts: readonly string[],
    inputType: EmbeddingInput,
    signal: AbortSignal | undefined,
  ): Promise<readonly TextReading[]> {
    const { dimensions } = this.modelFolder.model;
    const width = dimensions + headsWidth;
    const batches = inBatches(texts);
    const numbers = await this.run(
      batches.map(it => ({ texts: it, withHeads: true })),
      inputType,
      signal,
    );
    return batches.flatMap((batch, k) =>
      batch.map((_, row) => {
        const ofText = numbers[k]!.subarray(row * width, (row + 1) * width);
        return { vector: ofText.subarray(0, dimensions), ...readHeads(ofText.subarray(dimensions)) };
      }),
    );
  }

  private async relatePairs(
    pairs: readonly RelationPair[],
    inputType: EmbeddingInput,
    signal: AbortSignal | undefined,
  ): Promise<readonly RelationProbabilities[]> {
    const batches = inBatches(pairs);
    const numbers = await this.run(
      batches.map(it => ({ pairs: it })),
      inputType,
      signal,
    );
    return batches.flatMap((batch, k) =>
      batch.map((_, row) => {
        const start = row * relationClasses.length;
        return Object.fromEntries(
          relationClasses.map((it, i) => [it, numbers[k]![start + i]!]),
        ) as unknown as RelationProbabilities;
      }),
    );
  }

  /** @throws EngineError embedderUnavailable | embedderLate | aborted */
  private async run(
    batches: readonly OnnxWork[],
    inputType: EmbeddingInput,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    if (batches.length === 0) return [];
    throwIfAborted(signal);
    const thread = this.thread();
    let isLate = false;
    const work = thread.run(batches, inputType, () => isLate || signal?.aborted === true);
    // It may fail after the wait, when no call hears of it.
    work.catch(() => {
      this.isUnusable ||= thread.isUnusable;
    });
    const waitMs = inputType === 'backlog' ? Infinity : this.waits[inputType];
    const results = await withinTime(work, waitMs);
    if (results === undefined) {
      isLate = true;
      throw new EngineError(
        'embedderLate',
        message`The embedding model ${this.modelFolder.model.name} did not answer within ${waitMs} ms. Search goes on by words alone.`,
      );
    }
    throwIfAborted(signal);
    return results;
  }

  private get servingFallback(): Embedder | undefined {
    return this.isUnusable ? this.options.fallback : undefined;
  }

  private thread(): EncoderLease['thread'] {
    this.lease ??= leaseEncoderThread(this.modelFolder, this.bundleDir, {
      toError: problem => embedderError(this.modelFolder.model, problem),
      idleMs: this.options.idleMs,
    });
    return this.lease.thread;
  }
}

function inBatches<T>(items: readonly T[]): T[][] {
  const batches: T[][] = [];
  for (let start = 0; start < items.length; start += maxBatchSize)
    batches.push(items.slice(start, start + maxBatchSize));
  return batches;
}

/** The result of `work`, or undefined where it takes longer than `ms`. @throws what `work` throws in time */
async function withinTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  if (ms === Infinity) return work;
  if (ms === 0) return undefined;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
