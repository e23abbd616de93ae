import { throwIfAborted } from '../base/cancellation.js';
import { embedderError, type Embedder, type EmbeddingInput, type EmbeddingModel } from './embedder.js';
import type { ModelFolder } from './modelFolder.js';
import { OnnxThread } from './onnxThread.js';

/** Embeds by a model folder in ONNX Runtime. */
export class OnnxEmbedder implements Embedder {
  readonly unavailableReason = undefined;
  readonly runsInSearchWorker = false;
  private readonly thread: OnnxThread;

  /**
   * @param bundleDir the folder of the built bundles, with the worker's script
   * @param idleMs after which the model is unloaded
   */
  constructor(
    private readonly modelFolder: ModelFolder,
    bundleDir: string,
    idleMs?: number,
  ) {
    this.thread = new OnnxThread(modelFolder, bundleDir, problem => embedderError(this.model, problem), idleMs);
  }

  get model(): EmbeddingModel {
    return this.modelFolder.model;
  }

  /** Whether the worker thread runs. */
  get isLoaded(): boolean {
    return this.thread.isLoaded;
  }

  async embed(texts: readonly string[], inputType: EmbeddingInput, signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    throwIfAborted(signal);
    const { queryPrefix, passagePrefix, dimensions } = this.modelFolder.description;
    const prefix = inputType === 'query' ? queryPrefix : passagePrefix;
    // A prefix alone would give an empty text a vector.
    const vectors = await this.thread.run({ texts: texts.map(it => (it === '' ? '' : prefix + it)) });
    throwIfAborted(signal);
    return texts.map((_, i) => vectors.subarray(i * dimensions, (i + 1) * dimensions));
  }

  close(): Promise<void> {
    return this.thread.close();
  }
}
