import { gateClasses } from '../model/gateWeights.js';
import type { StoreKind } from '../model/memory.js';
import type { TextReading } from './embedder.js';

/** The encoder's outputs of one text besides its vector, in the order in which their logits follow it. */
export const textHeads = [
  { output: 'gate', classes: gateClasses },
  { output: 'store', classes: ['project', 'global'] satisfies StoreKind[] },
] as const;

/** Logits of all heads. */
export const headsWidth = textHeads.reduce((sum, it) => sum + it.classes.length, 0);

/** Reads the logits that follow a vector; they are NaN for a text that the model cannot read. */
export function readHeads(logits: Float32Array): Omit<TextReading, 'vector'> {
  if (Number.isNaN(logits[0])) return { gateLogits: undefined, globalProbability: undefined };
  const [project, global] = logits.subarray(gateClasses.length) as unknown as readonly [number, number];
  return {
    gateLogits: logits.subarray(0, gateClasses.length),
    globalProbability: 1 / (1 + Math.exp(project - global)),
  };
}
