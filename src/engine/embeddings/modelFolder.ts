import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import { readRegularText } from '../base/regularFile.js';
import type { EmbeddingModel } from './embedder.js';
import type { ModelDescription } from './modelDescription.js';
import { readStaticModelHeader, staticModelFileName } from './staticModelFile.js';

export interface ModelFolder {
  readonly folder: string;
  readonly model: EmbeddingModel;
  readonly description: ModelDescription;
}

/**
 * Reads a model folder's description without loading the model.
 * @param folder holds `model.onnx`, `tokenizer.json` and `model.json`
 * @throws EngineError embedderUnavailable, naming the file that is missing or invalid
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  await checkFolder(folder);
  const text = await readRegularText(path.join(folder, 'model.json'), { followLinks: true }).catch((error: unknown) => {
    throw EngineError.is(error, 'unsupportedFile')
      ? new EngineError('embedderUnavailable', error.localizable, { cause: error })
      : unusableError(folder, 'model.json', message`is missing`, error);
  });
  const bytes = (await fileSize(folder, 'model.onnx')) + (await fileSize(folder, 'tokenizer.json'));
  // Most programs use the built-in model, and never load what reads others.
  const { parseModelDescription } = await import('./modelDescription.js');
  let description: ModelDescription;
  try {
    description = parseModelDescription(text);
  } catch (error) {
    throw unusableError(folder, 'model.json', message`does not describe a model`, error);
  }
  const { name, dimensions, thresholds, bytes: expectedBytes, ...rest } = description;
  if (expectedBytes !== undefined && expectedBytes !== bytes)
    throw unusableError(folder, 'model.onnx', message`is cut, or of another model`, undefined);
  // Thresholds do not affect vectors: changed ones must not change the id. scripts/buildModel.mjs computes the same id.
  const space = JSON.stringify({ name, dimensions, ...rest });
  const version = createHash('sha256').update(space).update(String(bytes)).digest('hex').slice(0, 8);
  return { folder, description, model: { id: `${name}@${version}`, name, dimensions, thresholds } };
}

/**
 * Reads which model the built-in one is, without loading it.
 * @param folder holds `model.bin`
 * @throws EngineError embedderUnavailable if the file is missing or damaged
 */
export async function readBuiltInModel(folder: string): Promise<EmbeddingModel> {
  await checkFolder(folder);
  await fileSize(folder, staticModelFileName);
  try {
    return readStaticModelHeader(path.join(folder, staticModelFileName)).model;
  } catch (error) {
    throw unusableError(folder, staticModelFileName, message`does not describe a model`, error);
  }
}

async function checkFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined)) !== undefined) return;
  throw new EngineError(
    'embedderUnavailable',
    message`There is no embedding model in ${folder}, so everything is found by words alone. Download it, or choose another in the settings recollect.embeddings and recollect.embeddingModel.`,
  );
}

async function fileSize(folder: string, file: string): Promise<number> {
  const found = await stat(path.join(folder, file)).catch((error: unknown) => {
    throw unusableError(folder, file, message`is missing`, error);
  });
  return found.size;
}

function unusableError(folder: string, file: string, problem: LocalizableMessage, cause: unknown): EngineError {
  return new EngineError(
    'embedderUnavailable',
    message`The embedding model in ${folder} cannot be used, so everything is found by words alone: ${file} ${problem}. Download it again, or choose another in the settings recollect.embeddings and recollect.embeddingModel.`,
    { cause },
  );
}
