import { toInt8Vector } from '../base/int8Vector.js';
import type { EngineHost } from '../model/host.js';
import type { Embedder } from './embedder.js';

/** A quantized vector with the id of the model that made it. */
export interface ModelVector {
  readonly model: string;
  readonly vector: Int8Array;
  /** Of the text's gates, by a model that reads them. */
  readonly gateLogits?: Float32Array | undefined;
  /** Probability that the text holds in all projects, by the same. */
  readonly globalProbability?: number | undefined;
}

/**
 * The vectors of texts to be stored, in order. Undefined for all of them without a model, or where it fails, which is
 * logged: maintenance embeds them later.
 * @param inputType `backlog` where no person waits for each text: it takes as long as the model needs
 */
export async function embedOrLog(
  { embedder, host }: { readonly embedder: Embedder; readonly host: Pick<EngineHost, 'log'> },
  texts: readonly string[],
  inputType: 'passage' | 'backlog' = 'passage',
): Promise<readonly (ModelVector | undefined)[]> {
  if (texts.length === 0) return [];
  try {
    await embedder.prepare?.(inputType);
    const { model } = embedder;
    if (model === undefined) return texts.map(() => undefined);
    const readings =
      (await embedder.read?.(texts, inputType)) ?? (await embedder.embed(texts, inputType)).map(vector => ({ vector }));
    return readings.map(({ vector, ...its }) => ({ ...its, model: model.id, vector: toInt8Vector(vector) }));
  } catch (error) {
    host.log.warn(error instanceof Error ? error.message : String(error));
    return texts.map(() => undefined);
  }
}
