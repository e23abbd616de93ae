import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { OnnxReply, OnnxRequest, OnnxThreadData, OnnxWork } from './embeddingWorker.js';
import { closeRequest } from './onnxCloseRequest.js';

/** An idle model is unloaded after this time. */
const defaultIdleMs = 5 * 60_000;
/** As long as a large model takes to load on a busy machine. */
const maxEndMs = 20_000;

interface PendingRequest {
  readonly resolve: (numbers: Float32Array) => void;
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
      message`The chosen model needs the package onnxruntime-node, which is not installed. Install Recollect again with ONNXRUNTIME_NODE_INSTALL=skip in the environment, so that nothing else is downloaded, or take the model out of the settings (recollect.embeddings, recollect.rerankModel). Search goes on without it.`,
      { cause },
    );
  }
}

/** Whether ONNX Runtime is installed with a binary for this platform. */
export function hasOnnxRuntime(bundleDir: string): boolean {
  try {
    const main = createRequire(path.join(bundleDir, 'embeddingWorker.js')).resolve('onnxruntime-node');
    const binaries = path.join(path.dirname(main), '..', 'bin', 'napi-v6', process.platform, process.arch);
    return existsSync(path.join(binaries, 'onnxruntime_binding.node'));
  } catch {
    return false;
  }
}

/** A model in ONNX Runtime, in a worker thread that starts with the first request and ends when idle. */
export class OnnxThread {
  private activeWorker: RunningWorker | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  private lastId = 0;

  /**
   * @param bundleDir the folder of the built bundles, with the worker's script
   * @param toError makes the error of a request from what went wrong
   */
  constructor(
    private readonly data: OnnxThreadData,
    private readonly bundleDir: string,
    private readonly toError: (problem: string) => Error,
    private readonly idleMs = defaultIdleMs,
  ) {}

  /** Whether the worker thread runs. */
  get isLoaded(): boolean {
    return this.activeWorker !== undefined;
  }

  /** @returns the numbers of all texts or pairs, one after the other */
  run(work: OnnxWork): Promise<Float32Array> {
    clearTimeout(this.idleTimer);
    const { worker, pending } = (this.activeWorker ??= this.startWorker());
    const id = ++this.lastId;
    return new Promise<Float32Array>((resolve, reject) => {
      pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...work, id } satisfies OnnxRequest);
    });
  }

  /** Ends the thread; its requests fail. */
  async close(): Promise<void> {
    clearTimeout(this.idleTimer);
    const { activeWorker } = this;
    this.activeWorker = undefined;
    if (activeWorker === undefined) return;
    rejectPending(activeWorker, this.toError('it was closed while it was at work'));
    await endWorker(activeWorker.worker);
  }

  private startWorker(): RunningWorker {
    // ONNX Runtime 1.29 and later store a device id and upload events (microsoft/onnxruntime#27379). The bundled version
    // does not; this guards against an upgrade. It is set here because a thread has only a copy of the environment.
    process.env.ORT_DISABLE_TELEMETRY = '1';
    const worker = new Worker(path.join(this.bundleDir, 'embeddingWorker.js'), { workerData: this.data });
    const running: RunningWorker = { worker, pending: new Map() };
    worker.on('message', (reply: OnnxReply) => {
      const request = running.pending.get(reply.id);
      running.pending.delete(reply.id);
      if ('numbers' in reply) request?.resolve(reply.numbers);
      else request?.reject(this.toError(reply.error));
      if (running.pending.size === 0 && this.activeWorker === running) this.scheduleUnload(worker);
    });
    const onWorkerEnded = (problem: string): void => {
      if (this.activeWorker === running) this.activeWorker = undefined;
      rejectPending(running, this.toError(problem));
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
}

/**
 * Ends a thread between two runs of the model. Terminated while it is inside of the runtime, or loads it, it would abort the
 * whole process (a `Napi::Error` that nothing catches); only one that hangs is.
 */
async function endWorker(worker: Worker): Promise<void> {
  const ended = new Promise<void>(resolve =>
    worker.once('exit', () => {
      resolve();
    }),
  );
  worker.ref();
  worker.postMessage(closeRequest);
  const timer = setTimeout(() => void worker.terminate(), maxEndMs);
  await ended;
  clearTimeout(timer);
}

function rejectPending({ pending }: RunningWorker, error: Error): void {
  for (const { reject } of pending.values()) reject(error);
  pending.clear();
}
