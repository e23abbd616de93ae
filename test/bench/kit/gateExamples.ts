import path from 'node:path';
import { gateFeatures } from '../../../src/engine/classify/combinedGate.js';
import { EncoderEmbedder } from '../../../src/engine/embeddings/encoderEmbedder.js';
import { readModelFolder } from '../../../src/engine/embeddings/modelFolder.js';
import { gateClasses, gateFeatureCount, type GateWeights } from '../../../src/engine/model/gateWeights.js';
import type { Gate } from '../../../src/engine/model/memory.js';
import { classifyWithRules } from './labeledStatements.js';
import { readJson } from './options.js';
import type { GateExample } from './gateFit.js';

/** Worlds that the encoder was not trained on and that are for training (`npm run train`) and measuring. */
export const unseenWorlds = ['a1-3', 'a3-3', 'a4-3', 'a5-3', 'a6-3', 'a8-3'] as const;

/** What a wrong gate costs: a repeated mistake and a preference that is not kept more than the others. */
const costs = gateClasses.map(it => (it === 'behavioral' || it === 'correction' ? 1.25 : 1));

/** An example with what the cues, and the encoder, say alone. */
export interface ReadExample extends GateExample {
  readonly cues: Gate;
  readonly head: Gate;
}

/** The encoder that ships, which waits as long as it takes. */
export async function openShippedEncoder(gateWeights?: GateWeights): Promise<EncoderEmbedder> {
  const dist = path.resolve('dist');
  const model = await readModelFolder(path.join(dist, 'models', 'encoder'));
  return new EncoderEmbedder(model, dist, {
    waits: { query: Infinity, passage: Infinity },
    gateWeights: gateWeights ?? toGateWeights(model.model.name, []),
  });
}

/** @param weights none for a model whose logits are to be read only */
export function toGateWeights(model: string, weights: GateWeights['weights']): GateWeights {
  const none = gateClasses.map(() => new Array<number>(gateFeatureCount).fill(0));
  return { model, gates: gateClasses, costs, weights: weights.length === 0 ? none : weights };
}

/** The statements that the encoder can read, with their features. */
export async function readExamples(
  encoder: EncoderEmbedder,
  statements: readonly { readonly text: string; readonly gate: Gate }[],
): Promise<readonly ReadExample[]> {
  const readings = await encoder.read!(
    statements.map(it => it.text),
    'backlog',
  );
  return statements.flatMap(({ text, gate }, i) => {
    const logits = readings[i]!.gateLogits;
    if (logits === undefined) return [];
    const cues = classifyWithRules(text);
    const head = gateClasses[logits.indexOf(Math.max(...logits))]!;
    return [{ gate, features: gateFeatures(cues, logits), cues: cues.gate, head }];
  });
}

/** The memories of a world. @param file gzipped or plain JSON */
export function readWorldStatements(file: string): readonly { readonly text: string; readonly gate: Gate }[] {
  const { memories } = readJson(file) as {
    readonly memories: readonly { readonly text: string; readonly gate: Gate }[];
  };
  return memories;
}
