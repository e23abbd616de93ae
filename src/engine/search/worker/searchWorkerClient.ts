import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { StaticModelRunner } from '../../embeddings/embedder.js';
import type {
  CompareResponse,
  SearchAnswer,
  IndexKey,
  SearchWorkerReply,
  SearchWorkerRequest,
  SearchWorkerData,
  CompareRequest,
} from './searchProtocol.js';

/** A third of the default, which V8 never gives back; what one search allocates is garbage by the next. */
const maxYoungGenerationSizeMb = 16;

/** How long `close` waits for pending requests. */
const closeTimeoutMs = 5_000;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/**
 * Client of the search worker, the thread in which searches, indexing and the built-in model run, so that none of them
 * blocks the caller's event loop. Starts the thread on the first request, and again after it has failed.
 */
export class SearchWorkerClient implements StaticModelRunner {
  private worker: Worker | undefined;
  private lastId = 0;
  private readonly prepared = new Set<string>();
  private readonly pending = new Map<
    number,
    {
      readonly resolve: (reply: SearchWorkerReply) => void;
      readonly reject: (error: Error) => void;
      readonly onShortlist: (rows: readonly number[]) => void;
    }
  >();

  /** Resolves the pending `close` when no request is left. */
  private onIdle: (() => void) | undefined;

  /** @param bundleDir folder of the built bundles, which holds the worker's script */
  constructor(
    private readonly bundleDir: string,
    private readonly data: SearchWorkerData,
  ) {}

  /**
   * @param onShortlist receives the rows of the answer, unordered, before they are ranked
   * @throws EngineError internal, when the thread fails; the next search starts a new one
   */
  async search(
    request: Omit<Extract<SearchWorkerRequest, { kind: 'search' }>, 'id' | 'kind'>,
    onShortlist: (rows: readonly number[]) => void,
  ): Promise<SearchAnswer | { readonly loading: { readonly indexed: number; readonly total: number } }> {
    const reply = await this.send({ kind: 'search', ...request }, onShortlist);
    if ('error' in reply) throw new EngineError('internal', message`The search index failed (${reply.error}).`);
    if ('answer' in reply) return reply.answer;
    return { loading: 'loading' in reply ? reply.loading : { indexed: 0, total: 0 } };
  }

  /**
   * Compares facts with the stored memories and with the earlier facts of their batch.
   * @returns undefined while a large index is being built; a large batch waits for it
   * @throws EngineError internal, when the thread fails; the next call starts a new one
   */
  async compare(store: IndexKey, batch: CompareRequest): Promise<CompareResponse | undefined> {
    const reply = await this.send({ kind: 'compare', ...store, batch });
    if ('error' in reply) throw new EngineError('internal', message`The search index failed (${reply.error}).`);
    return 'compared' in reply ? reply.compared : undefined;
  }

  /** Embeds texts with the built-in model; the vectors are concatenated. @throws Error with the reason why it cannot */
  async embed(texts: readonly string[]): Promise<Float32Array> {
    const reply = await this.send({ kind: 'embed', texts });
    if ('vectors' in reply) return reply.vectors;
    throw new Error('error' in reply ? reply.error : 'it gave no answer');
  }

  /** Starts the thread and loads the built-in model in the background; `search` reports failures. */
  start(): void {
    this.send({ kind: 'embed', texts: [] }).catch(() => undefined);
  }

  /** Discards the facts of a batch. */
  endBatch(file: string, batchId: number): void {
    if (this.worker !== undefined) this.send({ kind: 'endBatch', file, batchId }).catch(() => undefined);
  }

  /** Lets the thread index what was just written ahead of the next request. */
  notifyWritten(file: string, revision: number): void {
    if (this.worker !== undefined) this.send({ kind: 'written', file, revision }).catch(() => undefined);
  }

  /** Starts the thread and opens a store's index in the background; `search` reports failures. */
  prepare(store: IndexKey): void {
    const name = `${store.file}\n${store.model ?? ''}`;
    if (this.worker !== undefined && this.prepared.has(name)) return;
    this.prepared.add(name);
    this.send({ kind: 'prepare', ...store }).catch(() => undefined);
  }

  /** Closes the index of one store. */
  async closeStore(file: string): Promise<void> {
    this.prepared.clear();
    if (this.worker !== undefined) await this.send({ kind: 'close', file });
  }

  /** Waits for pending requests first: terminating a thread inside an SQLite statement crashes the process. */
  async close(): Promise<void> {
    if (this.pending.size > 0) {
      const idle = new Promise<void>(resolve => (this.onIdle = resolve));
      await Promise.race([idle, pause(closeTimeoutMs, undefined, { ref: false })]);
    }
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
    this.rejectPending('it was closed');
  }

  private send(
    request: WithoutId<SearchWorkerRequest>,
    onShortlist: (rows: readonly number[]) => void = () => undefined,
  ): Promise<SearchWorkerReply> {
    const id = ++this.lastId;
    const worker = (this.worker ??= this.spawnWorker());
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, onShortlist });
      worker.ref();
      worker.postMessage({ id, ...request } satisfies SearchWorkerRequest);
    });
  }

  private spawnWorker(): Worker {
    // The command line has this in the program that each hook starts, and most of them search nothing.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const threads = require('node:worker_threads') as typeof import('node:worker_threads');
    const worker = new threads.Worker(path.join(this.bundleDir, 'searchWorker.js'), {
      workerData: this.data,
      resourceLimits: { maxYoungGenerationSizeMb },
    });
    worker.on('message', (reply: SearchWorkerReply) => {
      const request = this.pending.get(reply.id);
      if ('shortlist' in reply) {
        request?.onShortlist(reply.shortlist);
        return;
      }
      request?.resolve(reply);
      this.pending.delete(reply.id);
      if (this.pending.size > 0) return;
      // An idle thread does not keep the process alive.
      worker.unref();
      this.onIdle?.();
    });
    const onEnded = (problem: string): void => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      this.rejectPending(problem);
    };
    worker.on('error', error => {
      onEnded(error.message);
    });
    worker.on('exit', code => {
      onEnded(`its thread ended with code ${code}`);
    });
    return worker;
  }

  private rejectPending(problem: string): void {
    for (const { reject } of this.pending.values()) {
      reject(new EngineError('internal', message`The search index stopped (${problem}).`));
    }
    this.pending.clear();
    this.onIdle?.();
  }
}
