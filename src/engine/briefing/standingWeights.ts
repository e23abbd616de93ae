import path from 'node:path';
import { int8Scale } from '../base/int8Vector.js';
import { readRegularText } from '../base/regularFile.js';

/** A logistic regression over the vector of a text: whether it says how work is done (docs/encoder.md). */
export interface StandingWeights {
  /** Name of the embedding model whose vectors they were fitted to. */
  readonly model: string;
  /** One per component of a vector. */
  readonly weights: readonly number[];
  readonly bias: number;
}

/**
 * The weights that `npm run train -- standing` writes, by model.
 * @param modelsDir the folder of the shipped models, with `standing.json`
 * @returns none where the file is missing or damaged: a briefing then has the rules that are stored as such
 */
export async function readStandingWeights(modelsDir: string): Promise<readonly StandingWeights[]> {
  try {
    const parsed = JSON.parse(await readRegularText(path.join(modelsDir, 'standing.json'))) as unknown;
    return Array.isArray(parsed) ? (parsed as readonly unknown[]).filter(isStandingWeights) : [];
  } catch {
    return [];
  }
}

function isStandingWeights(value: unknown): value is StandingWeights {
  const { model, weights, bias } = (value ?? {}) as Partial<StandingWeights>;
  return typeof model === 'string' && Number.isFinite(bias) && Array.isArray(weights) && weights.every(Number.isFinite);
}

/**
 * The probability, 0-1, that a text says how work is done, whichever the task.
 * @param vector int8 components
 * @returns undefined for a vector of another length
 */
export function standingProbability({ weights, bias }: StandingWeights, vector: Int8Array): number | undefined {
  if (vector.length !== weights.length) return undefined;
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i]! * vector[i]!;
  return 1 / (1 + Math.exp(-(bias + sum / int8Scale)));
}
