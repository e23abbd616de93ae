import type { Gate } from './memory.js';

/** The gates in the order of the encoder's logits and of the weights that go with them. */
export const gateClasses = [
  'epistemic',
  'behavioral',
  'relational',
  'promissory',
  'correction',
] as const satisfies readonly Gate[];

/**
 * Numbers that decide on a gate. One per gate: its logit, the same by the margin of the cues, the same where a cue matched; whether
 * it is that of the cues, by which margin, and whether by none. And a constant.
 */
export const gateFeatureCount = 6 * gateClasses.length + 1;

/** A multinomial logistic regression over the logits of one encoder and the cues of a text (docs/encoder.md). */
export interface GateWeights {
  /** Name of the embedding model whose logits they were fitted to. */
  readonly model: string;
  readonly gates: readonly Gate[];
  /** For each gate one per feature. */
  readonly weights: readonly (readonly number[])[];
  /** Of each gate's probability: what it costs to take it for another one. */
  readonly costs: readonly number[];
}
