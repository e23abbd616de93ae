import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
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

/** A third of what V8 takes by itself, and keeps; what a search leaves behind is gone by the next one. */
const maxYoungGenerationSizeMb = 16;

/** How long closing waits for what was asked. */
const closeTimeoutMs = 5_000;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/**
 * Where searches run, and the built-in model: a thread of its own, so that neither scanning nor indexing nor embedding
 * blocks the caller's event loop.
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

  /** Closing, which waits until nothing is asked. */
  private onIdle: (() => void) | undefined;

  /** @param bundleDir the folder of the built bundles, where the thread's script lies */
  constructor(
    private readonly bundleDir: string,
    private readonly data: SearchWorkerData,
  ) {}

  /**
   * @param onShortlist is told the rows of the answer, in no particular order, before their order is known
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
   * Compares told facts with what is stored and with what the same call told before them.
   * @returns undefined while the index is being built of many memories; for many facts it is waited for
   * @throws EngineError internal, when the thread fails; the next call starts a new one
   */
  async compare(store: IndexKey, batch: CompareRequest): Promise<CompareResponse | undefined> {
    const reply = await this.send({ kind: 'compare', ...store, batch });
    if ('error' in reply) throw new EngineError('internal', message`The search index failed (${reply.error}).`);
    return 'compared' in reply ? reply.compared : undefined;
  }

  /** Vectors of the built-in model, of all texts one after another. @throws Error saying why it does not run */
  async embed(texts: readonly string[]): Promise<Float32Array> {
    const reply = await this.send({ kind: 'embed', texts });
    if ('vectors' in reply) return reply.vectors;
    throw new Error('error' in reply ? reply.error : 'it gave no answer');
  }

  /** Starts the thread and reads the built-in model, while the caller does something else; what fails shows in `search`. */
  start(): void {
    this.send({ kind: 'embed', texts: [] }).catch(() => undefined);
  }

  /** Lets go of what a call told. */
  endBatch(file: string, batchId: number): void {
    if (this.worker !== undefined) this.send({ kind: 'endCall', file, batchId }).catch(() => undefined);
  }

  /** Lets the thread take in what was just written before it is asked the next time. */
  notifyWritten(file: string, revision: number): void {
    if (this.worker !== undefined) this.send({ kind: 'written', file, revision }).catch(() => undefined);
  }

  /** Makes the thread and one store's index ready while the caller does something else; what fails shows in `search`. */
  prepare(store: IndexKey): void {
    const name = `${store.file}\n${store.model ?? ''}`;
    if (this.worker !== undefined && this.prepared.has(name)) return;
    this.prepared.add(name);
    this.send({ kind: 'prepare', ...store }).catch(() => undefined);
  }

  /** Lets go of one store's file. */
  async closeStore(file: string): Promise<void> {
    this.prepared.clear();
    if (this.worker !== undefined) await this.send({ kind: 'close', file });
  }

  /** Answers first what was asked: a thread that ends in the middle of a statement takes the process with it. */
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
    const worker = new Worker(path.join(this.bundleDir, 'searchWorker.js'), {
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
      // The process may end while nothing is asked.
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
