import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { throwIfAborted } from '../base/cancellation.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { embedderError, type Embedder, type EmbeddingModel } from './embedder.js';
import type { EmbedReply, EmbedRequest } from './embeddingWorker.js';
import type { ModelFolder } from './modelFolder.js';

/** A model nobody used for this long is unloaded. */
const defaultIdleMs = 5 * 60_000;

interface PendingRequest {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** A thread and what it was asked; a thread that ends fails its own questions and no other's. */
interface RunningWorker {
  readonly worker: Worker;
  readonly pending: Map<number, PendingRequest>;
}

/** Runs a model folder in a worker thread: started at the first text, ended when idle. */
export class OnnxEmbedder implements Embedder {
  readonly unavailableReason = undefined;
  readonly runsInSearchWorker = false;
  private activeWorker: RunningWorker | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  private lastId = 0;

  /** @param bundleDir the folder of the built bundles, where the worker's script lies */
  constructor(
    private readonly modelFolder: ModelFolder,
    private readonly bundleDir: string,
    private readonly idleMs = defaultIdleMs,
  ) {}

  get model(): EmbeddingModel {
    return this.modelFolder.model;
  }

  /** Whether the model takes memory now. */
  get isLoaded(): boolean {
    return this.activeWorker !== undefined;
  }

  async embed(texts: readonly string[], inputType: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throwIfAborted(signal);
    const { queryPrefix, passagePrefix, dimensions } = this.modelFolder.description;
    const prefix = inputType === 'query' ? queryPrefix : passagePrefix;
    // An empty text says nothing, whatever stands before it.
    const all = await this.sendRequest(texts.map(it => (it === '' ? '' : prefix + it)));
    throwIfAborted(signal);
    return texts.map((_, i) => all.subarray(i * dimensions, (i + 1) * dimensions));
  }

  async close(): Promise<void> {
    clearTimeout(this.idleTimer);
    const { activeWorker } = this;
    this.activeWorker = undefined;
    if (activeWorker === undefined) return;
    const { name } = this.model;
    rejectPending(
      activeWorker,
      new EngineError('embedderUnavailable', message`The embedding model ${name} was closed while it was at work.`),
    );
    await activeWorker.worker.terminate();
  }

  private sendRequest(texts: readonly string[]): Promise<Float32Array> {
    clearTimeout(this.idleTimer);
    const { worker, pending } = (this.activeWorker ??= this.startWorker());
    const id = ++this.lastId;
    return new Promise<Float32Array>((resolve, reject) => {
      pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, texts } satisfies EmbedRequest);
    });
  }

  private startWorker(): RunningWorker {
    // ONNX Runtime 1.29 and later keep a device id on disk and upload events (microsoft/onnxruntime#27379). The version
    // that is shipped cannot; should a later one be, it must not. A thread has only a copy of the environment.
    process.env.ORT_DISABLE_TELEMETRY = '1';
    const worker = new Worker(path.join(this.bundleDir, 'embeddingWorker.js'), { workerData: this.modelFolder });
    const running: RunningWorker = { worker, pending: new Map() };
    worker.on('message', (reply: EmbedReply) => {
      const waiting = running.pending.get(reply.id);
      running.pending.delete(reply.id);
      if ('vectors' in reply) waiting?.resolve(reply.vectors);
      else waiting?.reject(this.unavailableError(reply.error));
      if (running.pending.size === 0 && this.activeWorker === running) this.scheduleUnload(worker);
    });
    const onWorkerEnded = (problem: string): void => {
      if (this.activeWorker === running) this.activeWorker = undefined;
      rejectPending(running, this.unavailableError(problem));
    };
    worker.on('error', error => {
      onWorkerEnded(error.message);
    });
    worker.on('exit', code => {
      onWorkerEnded(`its thread ended with code ${code}`);
    });
    return running;
  }

  /** Lets the process end while nothing is asked, and the model go after a while. */
  private scheduleUnload(worker: Worker): void {
    worker.unref();
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => void this.close(), this.idleMs).unref();
  }

  private unavailableError(problem: string): EngineError {
    return embedderError(this.model, problem);
  }
}

function rejectPending({ pending }: RunningWorker, error: EngineError): void {
  for (const { reject } of pending.values()) reject(error);
  pending.clear();
}
