import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { throwIfAborted } from '../base/cancellation.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { embedderError, type Embedder, type EmbeddingInput, type EmbeddingModel } from './embedder.js';
import type { EmbedReply, EmbedRequest } from './embeddingWorker.js';
import type { ModelFolder } from './modelFolder.js';

/** An idle model is unloaded after this time. */
const defaultIdleMs = 5 * 60_000;

interface PendingRequest {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: Error) => void;
}

/** A worker thread with its requests: when it ends, only these fail. */
interface RunningWorker {
  readonly worker: Worker;
  readonly pending: Map<number, PendingRequest>;
}

/**
 * @param bundleDir the folder of the built bundles, whose packages are looked through
 * @throws EngineError embedderUnavailable where ONNX Runtime, an optional dependency, could not be installed
 */
export function requireOnnxRuntime(bundleDir: string): void {
  try {
    createRequire(path.join(bundleDir, 'embeddingWorker.js')).resolve('onnxruntime-node');
  } catch (cause) {
    throw new EngineError(
      'embedderUnavailable',
      message`The chosen embedding model needs the package onnxruntime-node, which is not installed. Choose the built-in model, or install Recollect again with ONNXRUNTIME_NODE_INSTALL=skip in the environment, so that nothing else is downloaded. Search goes on by words alone.`,
      { cause },
    );
  }
}

/** Runs a model folder in ONNX Runtime, in a worker thread that starts with the first text and ends when idle. */
export class OnnxEmbedder implements Embedder {
  readonly unavailableReason = undefined;
  readonly runsInSearchWorker = false;
  private activeWorker: RunningWorker | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  private lastId = 0;

  /** @param bundleDir the folder of the built bundles, with the worker's script */
  constructor(
    private readonly modelFolder: ModelFolder,
    private readonly bundleDir: string,
    private readonly idleMs = defaultIdleMs,
  ) {}

  get model(): EmbeddingModel {
    return this.modelFolder.model;
  }

  /** Whether the worker thread runs. */
  get isLoaded(): boolean {
    return this.activeWorker !== undefined;
  }

  async embed(texts: readonly string[], inputType: EmbeddingInput, signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throwIfAborted(signal);
    const { queryPrefix, passagePrefix, dimensions } = this.modelFolder.description;
    const prefix = inputType === 'query' ? queryPrefix : passagePrefix;
    // A prefix alone would give an empty text a vector.
    const vectors = await this.sendRequest(texts.map(it => (it === '' ? '' : prefix + it)));
    throwIfAborted(signal);
    return texts.map((_, i) => vectors.subarray(i * dimensions, (i + 1) * dimensions));
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
    // ONNX Runtime 1.29 and later store a device id and upload events (microsoft/onnxruntime#27379). The bundled version
    // does not; this guards against an upgrade. It is set here because a thread has only a copy of the environment.
    process.env.ORT_DISABLE_TELEMETRY = '1';
    const worker = new Worker(path.join(this.bundleDir, 'embeddingWorker.js'), { workerData: this.modelFolder });
    const running: RunningWorker = { worker, pending: new Map() };
    worker.on('message', (reply: EmbedReply) => {
      const request = running.pending.get(reply.id);
      running.pending.delete(reply.id);
      if ('vectors' in reply) request?.resolve(reply.vectors);
      else request?.reject(this.unavailableError(reply.error));
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

  /** Lets the process exit while there are no requests, and unloads the model when it stays idle. */
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
