import { stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { OnnxThread } from './onnxThread.js';

/** A model that reads a question together with a text, and says how well the text answers. */
export class CrossEncoder {
  private readonly thread: OnnxThread;
  private running = false;

  /**
   * @param folder holds `model.onnx` and `tokenizer.json`
   * @param bundleDir the folder of the built bundles, with the worker's script
   */
  constructor(folder: string, bundleDir: string) {
    const toError = (problem: string): EngineError =>
      new EngineError(
        'embedderUnavailable',
        message`The model of recollect.rerankModel does not run (${problem}). The order is the one without it.`,
      );
    this.thread = new OnnxThread({ folder }, bundleDir, toError);
  }

  /** Whether it still works on earlier texts. */
  get isBusy(): boolean {
    return this.running;
  }

  /** Loads the model, which takes a moment. @throws EngineError embedderUnavailable */
  async load(): Promise<void> {
    await this.thread.run({ texts: [] });
  }

  /** One number per text, greater for a better answer. @throws EngineError embedderUnavailable */
  async score(question: string, texts: readonly string[]): Promise<Float32Array> {
    this.running = true;
    try {
      return await this.thread.run({ question, texts });
    } finally {
      this.running = false;
    }
  }

  close(): Promise<void> {
    return this.thread.close();
  }
}

/** Whether a folder holds what a cross-encoder needs. @throws EngineError embedderUnavailable, naming what is missing */
export async function checkCrossEncoder(folder: string): Promise<void> {
  for (const file of ['model.onnx', 'tokenizer.json']) {
    if ((await stat(path.join(folder, file)).catch(() => undefined))?.isFile() === true) continue;
    throw new EngineError(
      'embedderUnavailable',
      message`The folder of recollect.rerankModel has no file ${file}, so answers keep the order that they have without it. Name the folder of a cross-encoder with model.onnx and tokenizer.json, or clear the setting.`,
    );
  }
}
