import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/message.js';
import type { StaticModelThread } from '../../embeddings/embedder.js';
import type {
  Compared,
  IndexAnswer,
  IndexOf,
  IndexReply,
  IndexRequest,
  IndexThreadData,
  Told,
} from './indexProtocol.js';

/** A third of what V8 takes by itself, and keeps; what a search leaves behind is gone by the next one. */
const maxYoungGenerationSizeMb = 16;

/** How long closing waits for what was asked. */
const answersWithinMs = 5_000;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/**
 * Where searches run, and the built-in model: a thread of its own, so that neither scanning nor indexing nor embedding
 * blocks the caller's event loop.
 */
export class IndexThread implements StaticModelThread {
  private worker: Worker | undefined;
  private lastId = 0;
  private readonly prepared = new Set<string>();
  private readonly pending = new Map<
    number,
    {
      readonly resolve: (reply: IndexReply) => void;
      readonly reject: (error: Error) => void;
      readonly onShortlist: (rows: readonly number[]) => void;
    }
  >();

  /** Closing, which waits until nothing is asked. */
  private whenIdle: (() => void) | undefined;

  /** @param bundleDir the folder of the built bundles, where the thread's script lies */
  constructor(
    private readonly bundleDir: string,
    private readonly data: IndexThreadData,
  ) {}

  /**
   * @param onShortlist is told the rows of the answer, in no particular order, before their order is known
   * @throws EngineError internal, when the thread fails; the next search starts a new one
   */
  async search(
    request: Omit<Extract<IndexRequest, { kind: 'search' }>, 'id' | 'kind'>,
    onShortlist: (rows: readonly number[]) => void,
  ): Promise<IndexAnswer | { readonly loading: { readonly indexed: number; readonly total: number } }> {
    const reply = await this.ask({ kind: 'search', ...request }, onShortlist);
    if ('error' in reply) throw new EngineError('internal', message`The search index failed (${reply.error}).`);
    if ('answer' in reply) return reply.answer;
    return { loading: 'loading' in reply ? reply.loading : { indexed: 0, total: 0 } };
  }

  /**
   * Compares told facts with what is stored and with what the same call told before them.
   * @returns undefined while the index is being built of many memories; for many facts it is waited for
   * @throws EngineError internal, when the thread fails; the next call starts a new one
   */
  async compare(store: IndexOf, told: Told): Promise<Compared | undefined> {
    const reply = await this.ask({ kind: 'compare', ...store, told });
    if ('error' in reply) throw new EngineError('internal', message`The search index failed (${reply.error}).`);
    return 'compared' in reply ? reply.compared : undefined;
  }

  /** Vectors of the built-in model, of all texts one after another. @throws Error saying why it does not run */
  async embed(texts: readonly string[]): Promise<Float32Array> {
    const reply = await this.ask({ kind: 'embed', texts });
    if ('vectors' in reply) return reply.vectors;
    throw new Error('error' in reply ? reply.error : 'it gave no answer');
  }

  /** Starts the thread and reads the built-in model, while the caller does something else; what fails shows in `search`. */
  begin(): void {
    this.ask({ kind: 'embed', texts: [] }).catch(() => undefined);
  }

  /** Lets go of what a call told. */
  endCall(file: string, call: number): void {
    if (this.worker !== undefined) this.ask({ kind: 'endCall', file, call }).catch(() => undefined);
  }

  /** Lets the thread take in what was just written before it is asked the next time. */
  written(file: string, revision: number): void {
    if (this.worker !== undefined) this.ask({ kind: 'written', file, revision }).catch(() => undefined);
  }

  /** Makes the thread and one store's index ready while the caller does something else; what fails shows in `search`. */
  prepare(store: IndexOf): void {
    const name = `${store.file}\n${store.model ?? ''}`;
    if (this.worker !== undefined && this.prepared.has(name)) return;
    this.prepared.add(name);
    this.ask({ kind: 'prepare', ...store }).catch(() => undefined);
  }

  /** Lets go of one store's file. */
  async release(file: string): Promise<void> {
    this.prepared.clear();
    if (this.worker !== undefined) await this.ask({ kind: 'close', file });
  }

  /** Answers first what was asked: a thread that ends in the middle of a statement takes the process with it. */
  async close(): Promise<void> {
    if (this.pending.size > 0) {
      const idle = new Promise<void>(resolve => (this.whenIdle = resolve));
      await Promise.race([idle, pause(answersWithinMs, undefined, { ref: false })]);
    }
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
    this.fail('it was closed');
  }

  private ask(
    request: WithoutId<IndexRequest>,
    onShortlist: (rows: readonly number[]) => void = () => undefined,
  ): Promise<IndexReply> {
    const id = ++this.lastId;
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, onShortlist });
      worker.ref();
      worker.postMessage({ id, ...request } satisfies IndexRequest);
    });
  }

  private start(): Worker {
    const worker = new Worker(path.join(this.bundleDir, 'indexWorker.js'), {
      workerData: this.data,
      resourceLimits: { maxYoungGenerationSizeMb },
    });
    worker.on('message', (reply: IndexReply) => {
      const asked = this.pending.get(reply.id);
      if ('shortlist' in reply) {
        asked?.onShortlist(reply.shortlist);
        return;
      }
      asked?.resolve(reply);
      this.pending.delete(reply.id);
      if (this.pending.size > 0) return;
      // The process may end while nothing is asked.
      worker.unref();
      this.whenIdle?.();
    });
    const ended = (problem: string): void => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      this.fail(problem);
    };
    worker.on('error', error => {
      ended(error.message);
    });
    worker.on('exit', code => {
      ended(`its thread ended with code ${code}`);
    });
    return worker;
  }

  private fail(problem: string): void {
    for (const { reject } of this.pending.values()) {
      reject(new EngineError('internal', message`The search index stopped (${problem}).`));
    }
    this.pending.clear();
    this.whenIdle?.();
  }
}
