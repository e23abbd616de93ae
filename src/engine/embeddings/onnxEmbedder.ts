import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { EngineError } from '../base/errors.js';
import type { Embedder, EmbeddingModel } from './embedder.js';
import type { EmbedReply, EmbedRequest } from './embeddingWorker.js';
import type { ModelFolder } from './modelFolder.js';

/** A model nobody used for this long is unloaded. */
const idleMs = 5 * 60_000;

interface Pending {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** Runs a model folder in a worker thread: started at the first text, ended when idle. */
export class OnnxEmbedder implements Embedder {
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;

  /** @param bundleDir the folder of the built bundles, where the worker's script lies */
  constructor(
    private readonly source: ModelFolder,
    private readonly bundleDir: string,
  ) {}

  get model(): EmbeddingModel {
    return this.source.model;
  }

  async embed(texts: readonly string[], as: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    if (signal?.aborted === true) throw new EngineError('aborted', 'Embedding was cancelled.');
    const { queryPrefix, passagePrefix, dimensions } = this.source.description;
    const prefix = as === 'query' ? queryPrefix : passagePrefix;
    const all = await this.ask(texts.map(it => prefix + it));
    return texts.map((_, i) => all.subarray(i * dimensions, (i + 1) * dimensions));
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
    this.fail(new EngineError('embedderUnavailable', 'The embedding model was unloaded.'));
  }

  private ask(texts: readonly string[]): Promise<Float32Array> {
    clearTimeout(this.idle);
    this.worker ??= this.start();
    const id = ++this.lastId;
    const { worker } = this;
    return new Promise<Float32Array>((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, texts } satisfies EmbedRequest);
    });
  }

  private start(): Worker {
    const worker = new Worker(path.join(this.bundleDir, 'embeddingWorker.js'), { workerData: this.source });
    worker.on('message', (reply: EmbedReply) => {
      const waiting = this.pending.get(reply.id);
      this.pending.delete(reply.id);
      if ('vectors' in reply) waiting?.resolve(reply.vectors);
      else waiting?.reject(this.unavailable(reply.error));
      if (this.pending.size === 0) this.rest(worker);
    });
    const ended = (problem: string): void => {
      if (this.worker === worker) this.worker = undefined;
      this.fail(this.unavailable(problem));
    };
    worker.on('error', error => {
      ended(error.message);
    });
    worker.on('exit', code => {
      if (code !== 0 && this.worker === worker) ended(`its thread ended with code ${code}`);
    });
    return worker;
  }

  /** Lets the process end while nothing is asked, and the model go after a while. */
  private rest(worker: Worker): void {
    worker.unref();
    this.idle = setTimeout(() => void this.close(), idleMs).unref();
  }

  private fail(error: EngineError): void {
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }

  private unavailable(problem: string): EngineError {
    return new EngineError(
      'embedderUnavailable',
      `The embedding model ${this.model.name} does not run (${problem}). Search goes on by words alone.`,
    );
  }
}
