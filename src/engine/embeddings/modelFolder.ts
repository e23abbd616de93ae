import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { EngineError } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import type { EmbeddingModel } from './embedder.js';

const cosine = z.number().min(-1).max(1);
const descriptionSchema = z.object({
  name: z.string().min(1),
  dimensions: z.int().min(8).max(4096),
  maxTokens: z.int().min(8),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  /** How token vectors become one: the model does it itself, their mean, or the first token's. */
  pooling: z.enum(['none', 'mean', 'cls']),
  /** A table of tokens, summed and made unit length, that can be computed without a runtime (staticModel.ts). */
  static: z.boolean().optional(),
  thresholds: z.object({ answer: cosine.optional(), related: cosine, duplicate: cosine }),
});

/** `model.json`: what has to be known to run the model and to read its similarities. */
export type ModelDescription = z.infer<typeof descriptionSchema>;

export interface ModelFolder {
  readonly folder: string;
  readonly model: EmbeddingModel;
  readonly description: ModelDescription;
}

/**
 * Reads a model folder's description without loading the model.
 * @param folder holds `model.onnx`, `tokenizer.json` and `model.json`
 * @throws EngineError embedderUnavailable, naming the file that is missing or wrong
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const unusableError = (file: string, problem: LocalizableMessage, cause?: unknown): EngineError =>
    new EngineError(
      'embedderUnavailable',
      message`The embedding model in ${folder} cannot be used, so everything is found by words alone: ${file} ${problem}. Download it again, or choose another in the settings recollect.embeddings and recollect.embeddingModel.`,
      { cause },
    );
  if ((await stat(folder).catch(() => undefined)) === undefined) {
    throw new EngineError(
      'embedderUnavailable',
      message`There is no embedding model in ${folder}, so everything is found by words alone. Download it, or choose another in the settings recollect.embeddings and recollect.embeddingModel.`,
    );
  }
  const fileSize = async (file: string): Promise<number> => {
    const found = await stat(path.join(folder, file)).catch((error: unknown) => {
      throw unusableError(file, message`is missing`, error);
    });
    return found.size;
  };
  const text = await readFile(path.join(folder, 'model.json'), 'utf8').catch((error: unknown) => {
    throw unusableError('model.json', message`is missing`, error);
  });
  const bytes = (await fileSize('model.onnx')) + (await fileSize('tokenizer.json'));
  let parsed: ModelDescription;
  try {
    parsed = descriptionSchema.parse(JSON.parse(text));
  } catch (error) {
    throw unusableError('model.json', message`does not describe a model`, error);
  }
  const { name, dimensions, thresholds, static: _, ...rest } = parsed;
  // Thresholds say what similarities mean, and change none: vectors stay good when they are measured anew.
  const space = JSON.stringify({ name, dimensions, ...rest });
  const version = createHash('sha256').update(space).update(String(bytes)).digest('hex').slice(0, 8);
  return { folder, description: parsed, model: { id: `${name}@${version}`, name, dimensions, thresholds } };
}
