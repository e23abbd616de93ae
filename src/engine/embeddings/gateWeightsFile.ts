import path from 'node:path';
import { readRegularText } from '../base/regularFile.js';
import { gateClasses, gateFeatureCount, type GateWeights } from '../model/gateWeights.js';

/**
 * The trained weights that `npm run train -- gates` writes.
 * @param modelsDir the folder of the shipped models, with `gates.json`
 * @param modelName of the embedding model that they are for
 * @throws Error where the file is missing, damaged or written for another model
 */
export async function readGateWeights(modelsDir: string, modelName: string): Promise<GateWeights> {
  const parsed = JSON.parse(await readRegularText(path.join(modelsDir, 'gates.json'))) as Partial<GateWeights>;
  const { model, gates, weights, costs } = parsed;
  const isList = (list: readonly number[] | undefined, length: number): boolean =>
    Array.isArray(list) && list.length === length && list.every(Number.isFinite);
  if (
    model !== modelName ||
    gates?.join() !== gateClasses.join() ||
    !isList(costs, gateClasses.length) ||
    weights?.length !== gateClasses.length ||
    !weights.every(it => isList(it, gateFeatureCount))
  )
    throw new Error(`gates.json holds no weights for ${modelName}`);
  return parsed as GateWeights;
}
