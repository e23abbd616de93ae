import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { throwIfCalledOff } from '../base/calledOff.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import { doesNotRun, type Embedder, type EmbeddingModel } from './embedder.js';
import type { EmbedReply, EmbedRequest } from './embeddingWorker.js';
import type { ModelFolder } from './modelFolder.js';

/** A model nobody used for this long is unloaded. */
const defaultIdleMs = 5 * 60_000;

interface Pending {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** A thread and what it was asked; a thread that ends fails its own questions and no other's. */
interface Running {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
}

/** Runs a model folder in a worker thread: started at the first text, ended when idle. */
export class OnnxEmbedder implements Embedder {
  readonly missing = undefined;
  readonly embedsInSearch = false;
  private running: Running | undefined;
  private idle: NodeJS.Timeout | undefined;
  private lastId = 0;

  /** @param bundleDir the folder of the built bundles, where the worker's script lies */
  constructor(
    private readonly source: ModelFolder,
    private readonly bundleDir: string,
    private readonly idleMs = defaultIdleMs,
  ) {}

  get model(): EmbeddingModel {
    return this.source.model;
  }

  /** Whether the model takes memory now. */
  get loaded(): boolean {
    return this.running !== undefined;
  }

  async embed(texts: readonly string[], as: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throwIfCalledOff(signal);
    const { queryPrefix, passagePrefix, dimensions } = this.source.description;
    const prefix = as === 'query' ? queryPrefix : passagePrefix;
    // An empty text says nothing, whatever stands before it.
    const all = await this.ask(texts.map(it => (it === '' ? '' : prefix + it)));
    throwIfCalledOff(signal);
    return texts.map((_, i) => all.subarray(i * dimensions, (i + 1) * dimensions));
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { running } = this;
    this.running = undefined;
    if (running === undefined) return;
    const { name } = this.model;
    fail(
      running,
      new EngineError('embedderUnavailable', message`The embedding model ${name} was closed while it was at work.`),
    );
    await running.worker.terminate();
  }

  private ask(texts: readonly string[]): Promise<Float32Array> {
    clearTimeout(this.idle);
    const { worker, pending } = (this.running ??= this.start());
    const id = ++this.lastId;
    return new Promise<Float32Array>((resolve, reject) => {
      pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, texts } satisfies EmbedRequest);
    });
  }

  private start(): Running {
    // ONNX Runtime 1.29 and later keep a device id on disk and upload events (microsoft/onnxruntime#27379). The version
    // that is shipped cannot; should a later one be, it must not. A thread has only a copy of the environment.
    process.env.ORT_DISABLE_TELEMETRY = '1';
    const worker = new Worker(path.join(this.bundleDir, 'embeddingWorker.js'), { workerData: this.source });
    const running: Running = { worker, pending: new Map() };
    worker.on('message', (reply: EmbedReply) => {
      const waiting = running.pending.get(reply.id);
      running.pending.delete(reply.id);
      if ('vectors' in reply) waiting?.resolve(reply.vectors);
      else waiting?.reject(this.unavailable(reply.error));
      if (running.pending.size === 0 && this.running === running) this.rest(worker);
    });
    const ended = (problem: string): void => {
      if (this.running === running) this.running = undefined;
      fail(running, this.unavailable(problem));
    };
    worker.on('error', error => {
      ended(error.message);
    });
    worker.on('exit', code => {
      ended(`its thread ended with code ${code}`);
    });
    return running;
  }

  /** Lets the process end while nothing is asked, and the model go after a while. */
  private rest(worker: Worker): void {
    worker.unref();
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.close(), this.idleMs).unref();
  }

  private unavailable(problem: string): EngineError {
    return doesNotRun(this.model, problem);
  }
}

function fail({ pending }: Running, error: EngineError): void {
  for (const { reject } of pending.values()) reject(error);
  pending.clear();
}
