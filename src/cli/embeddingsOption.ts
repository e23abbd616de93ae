import path from 'node:path';
import { EngineError } from '../engine/base/errors.js';
import { defaultConfig } from '../engine/model/config.js';

/**
 * The model that finds by meaning: the option, else `RECOLLECT_EMBEDDINGS`, else the built-in one. What looks like a path
 * is one, from this folder on.
 * @throws EngineError invalidInput
 */
export function readEmbeddings(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
  fallback: string = defaultConfig.embeddings,
): string {
  const value = option ?? env.RECOLLECT_EMBEDDINGS ?? '';
  if (value === '') return fallback;
  if (/[\\/]/u.test(value)) return path.resolve(value);
  if (/^\w[\w.-]*$/u.test(value)) return value;
  throw new EngineError(
    'invalidInput',
    `${value} is no embedding model. Say built-in, static, off, endpoint, the name of a downloaded model, or the path of a model's folder.`,
  );
}
