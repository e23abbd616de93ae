import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid } from '../base/uuid.js';
import { toInt8Vector } from '../base/int8Vector.js';
import type { Context } from '../context.js';
import type { EmbeddingModel } from '../embeddings/embedder.js';
import type { EmbeddingProgress } from '../model/storeReport.js';
import { dayMs } from '../scoring/decay.js';
import type { Store, StoredVector } from '../store/store.js';

/** Memories read at once. */
const pageSize = 512;
/** Memories embedded and written at once: what a call that comes meanwhile may have to wait for. */
const batchSize = 32;
const leaseMs = 30_000;
/** A model that nobody used for this long has no vectors any more. */
const modelRetentionDays = 30;

export interface EmbedMissingOptions {
  readonly signal: AbortSignal;
  /** Resolves when nobody waits for an answer. */
  readonly whenIdle: () => Promise<void>;
  readonly onProgress: (progress: EmbeddingProgress) => void;
}

/**
 * Gives a vector to every memory that has none of the model in use, newest first, in small batches: memories that were
 * written while the model did not run, and all of them after a change of model. What is done is kept, so it goes on
 * where it was stopped. A store that another process works on is left to it and looked at again later.
 * Resolves when every store is complete, or soon after `signal`.
 * @throws EngineError embedderUnavailable, and what writing a store throws
 */
export async function embedMissing(ctx: Context, options: EmbedMissingOptions): Promise<EmbeddingProgress> {
  const { model } = ctx.embedder;
  if (model === undefined) return { embedded: 0, total: 0 };
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
  /** The store whose lease this holds, and since when. */
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

  /** False when another process does it. */
  async embedStore(store: Store): Promise<boolean> {
    const { embedded, total } = this.counts.get(store)!;
    if (embedded < total) {
      if (!(await this.acquireLease(store))) return false;
      try {
        if (!(await this.embedAll(store))) return false;
      } finally {
        this.leased = undefined;
        await store.releaseLease('embedding', this.holder);
      }
    }
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
        await this.embedBatch(store, missing.slice(start, start + batchSize));
      }
    }
  }

  private async embedBatch(
    store: Store,
    batch: readonly { readonly id: string; readonly content: string }[],
  ): Promise<void> {
    const vectors = await this.ctx.embedder.embed(
      batch.map(it => it.content),
      'passage',
    );
    const byId = batch.map(({ id }, i): [string, StoredVector] => [
      id,
      { model: this.model.id, vector: toInt8Vector(vectors[i]!) },
    ]);
    await store.saveVectors(new Map(byId));
    const { embedded, total } = this.counts.get(store)!;
    this.counts.set(store, { embedded: Math.min(total, embedded + batch.length), total });
    this.options.onProgress(this.progress);
  }

  /** Renews it when half of its time is over. */
  private async acquireLease(store: Store): Promise<boolean> {
    const now = this.ctx.host.now().getTime();
    if (this.leased === store && Math.abs(now - this.leaseTakenAt) < leaseMs / 2) return true;
    const isAcquired = await store.acquireLease('embedding', this.holder, leaseMs);
    this.leased = isAcquired ? store : undefined;
    this.leaseTakenAt = now;
    return isAcquired;
  }
}
