import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../base/errors.js';
import { newUuid } from '../base/uuid.js';
import { toInt8Vector } from '../base/int8Vector.js';
import type { Context } from '../context.js';
import { embedderError, type EmbeddingModel } from '../embeddings/embedder.js';
import type { EmbeddingProgress } from '../model/storeReport.js';
import { dayMs } from '../model/duration.js';
import { questionsToEmbed, toQuestionVectors } from '../store/questionVectors.js';
import type { Store, StoredVector } from '../store/store.js';

/** Memories read at once. */
const pageSize = 512;
/** Memories embedded and written at once: bounds the wait of a concurrent call. */
const batchSize = 32;
const leaseMs = 30_000;
/** Days without use after which the vectors of a model are deleted. */
const modelRetentionDays = 30;

export interface EmbedMissingOptions {
  readonly signal: AbortSignal;
  /** Resolves when no call is waiting. */
  readonly whenIdle: () => Promise<void>;
  readonly onProgress: (progress: EmbeddingProgress) => void;
  /** Whether to wait for a model that cannot be asked now. */
  readonly isPatient: boolean;
  /** Resolves when the model may be asked again, `ms` later at most, or soon after `signal` is aborted. */
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * Embeds every memory without a vector of the current model, newest first, in small batches: memories written while the
 * model was unavailable, or all after a change of model. Completed batches are kept, so the next call continues there.
 * A store that another process is embedding is skipped and checked again later. Resolves when every store is complete,
 * or soon after `signal` is aborted.
 * @throws EngineError embedderUnavailable where time alone does not help or `isPatient` is false, and errors of writing a
 * store
 */
export async function embedMissing(ctx: Context, options: EmbedMissingOptions): Promise<EmbeddingProgress> {
  const { embedder } = ctx;
  for (;;) {
    let delayMs: number | undefined;
    try {
      await embedder.prepare('backlog', options.signal);
      if (embedder.model !== undefined) return await embedWithModel(ctx, embedder.model, options);
      delayMs = embedder.retryDelayMs;
      if (delayMs === undefined || !options.isPatient) return noProgress;
    } catch (error) {
      if (EngineError.is(error, 'aborted')) return noProgress;
      delayMs = embedder.retryDelayMs;
      if (!EngineError.is(error, 'embedderUnavailable') || delayMs === undefined || !options.isPatient) throw error;
    }
    await options.pause(delayMs);
    if (options.signal.aborted) return noProgress;
  }
}

const noProgress: EmbeddingProgress = { embedded: 0, total: 0 };

async function embedWithModel(
  ctx: Context,
  model: EmbeddingModel,
  options: EmbedMissingOptions,
): Promise<EmbeddingProgress> {
  const run = new EmbeddingRun(ctx, model, options);
  let remainingStores = ctx.stores.map(it => it.store).filter(it => !it.readOnly);
  for (;;) {
    await run.updateProgress(remainingStores);
    const leasedElsewhere: Store[] = [];
    for (const store of remainingStores) if (!(await run.embedStore(store))) leasedElsewhere.push(store);
    remainingStores = leasedElsewhere;
    if (remainingStores.length === 0 || options.signal.aborted) return run.progress;
    await sleep(leaseMs / 2, undefined, { signal: options.signal, ref: false }).catch(() => undefined);
  }
}

/** One run over the stores of this process. */
class EmbeddingRun {
  private readonly holder: string;
  private readonly counts = new Map<Store, EmbeddingProgress>();
  /** The store whose lease this run holds, and the time it was acquired. */
  private leased: Store | undefined;
  private leaseTakenAt = 0;

  constructor(
    private readonly ctx: Context,
    private readonly model: EmbeddingModel,
    private readonly options: EmbedMissingOptions,
  ) {
    this.holder = newUuid(ctx.host.now());
  }

  get progress(): EmbeddingProgress {
    const all = [...this.counts.values()];
    const sum = (of: keyof EmbeddingProgress): number => all.reduce((total, it) => total + it[of], 0);
    return { embedded: sum('embedded'), total: sum('total') };
  }

  async updateProgress(stores: readonly Store[]): Promise<void> {
    for (const it of stores) this.counts.set(it, await it.embeddingProgress(this.model.id));
    this.options.onProgress(this.progress);
  }

  /** @returns false if another process is embedding the store */
  async embedStore(store: Store): Promise<boolean> {
    const { embedded, total } = this.counts.get(store)!;
    if (embedded < total) {
      if (!(await this.acquireLease(store))) return false;
      try {
        if (!(await this.embedAll(store))) return false;
      } finally {
        await this.releaseLease(store);
      }
    }
    if (this.ctx.embedder.embedsQuestions) await this.embedQuestions(store);
    if (this.options.signal.aborted) return true;
    const now = this.ctx.host.now();
    const unusedSince = new Date(now.getTime() - modelRetentionDays * dayMs).toISOString();
    await store.pruneUnusedModels(this.model.id, { at: now.toISOString(), unusedSince });
    return true;
  }

  private async embedAll(store: Store): Promise<boolean> {
    for (;;) {
      const missing = await store.missingVectors(this.model.id, pageSize);
      if (missing.length === 0) return true;
      for (let start = 0; start < missing.length; start += batchSize) {
        await this.options.whenIdle();
        if (this.options.signal.aborted) return true;
        if (!(await this.acquireLease(store))) return false;
        try {
          await this.embedBatch(store, missing.slice(start, start + batchSize));
        } catch (error) {
          if (EngineError.is(error, 'aborted')) return true;
          throw error;
        }
      }
    }
  }

  /** Questions that got no vector with their memory, or came later. Where another process does it, nothing is to do. */
  private async embedQuestions(store: Store): Promise<void> {
    try {
      for (;;) {
        await this.options.whenIdle();
        if (this.options.signal.aborted) return;
        const missing = await store.missingQuestionVectors(this.model.id, batchSize / 4);
        if (missing.length === 0 || !(await this.acquireLease(store))) return;
        await this.saveVectors(store, missing);
      }
    } catch (error) {
      if (!EngineError.is(error, 'aborted')) throw error;
    } finally {
      if (this.leased === store) await this.releaseLease(store);
    }
  }

  private async embedBatch(
    store: Store,
    batch: readonly { readonly id: string; readonly content: string }[],
  ): Promise<void> {
    await this.saveVectors(
      store,
      batch.map(it => ({ ...it, questions: [] })),
    );
    const { embedded, total } = this.counts.get(store)!;
    this.counts.set(store, { embedded: Math.min(total, embedded + batch.length), total });
    this.options.onProgress(this.progress);
  }

  /** Embeds texts with their questions. */
  private async saveVectors(
    store: Store,
    batch: readonly { readonly id: string; readonly content: string; readonly questions: readonly string[] }[],
  ): Promise<void> {
    const { embedder } = this.ctx;
    const questions = batch.map(it => questionsToEmbed(embedder, it));
    const texts = batch.flatMap((it, i) => [it.content, ...questions[i]!]);
    const vectors = (await embedder.embed(texts, 'backlog', this.options.signal)).map(toInt8Vector);
    // Another one serves since, whose vectors lie in another space: the next run embeds with it.
    if (embedder.model?.id !== this.model.id) throw embedderError(this.model, 'another one serves since');
    let next = 0;
    const byId = batch.map(({ id }, i): [string, StoredVector] => {
      const [vector, ...ofQuestions] = vectors.slice(next, (next += 1 + questions[i]!.length));
      const stored = { model: this.model.id, vector: vector! };
      return [id, { ...stored, questions: toQuestionVectors(questions[i]!, ofQuestions) }];
    });
    await store.saveVectors(new Map(byId));
  }

  private async releaseLease(store: Store): Promise<void> {
    this.leased = undefined;
    await store.releaseLease('embedding', this.holder);
  }

  /** Acquires the lease, or renews it at half of its duration. */
  private async acquireLease(store: Store): Promise<boolean> {
    const now = this.ctx.host.now().getTime();
    if (this.leased === store && Math.abs(now - this.leaseTakenAt) < leaseMs / 2) return true;
    const isAcquired = await store.acquireLease('embedding', this.holder, leaseMs);
    this.leased = isAcquired ? store : undefined;
    this.leaseTakenAt = now;
    return isAcquired;
  }
}
