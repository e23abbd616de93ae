import { gateClasses, type GateWeights } from '../model/gateWeights.js';
import type { Classification, Gate } from '../model/memory.js';
import { fallbackGate, maxClarity, minClarity } from './classify.js';

/** Gate of a text by its cues. */
export type CueReading = Pick<Classification, 'gate' | 'confidence'>;

/**
 * Features that decide a gate, in the order of the weights. A cue that wins by little is another thing than none, and what the
 * encoder says counts less the surer the cues are.
 */
export function gateFeatures({ gate, confidence }: CueReading, logits: ArrayLike<number>): readonly number[] {
  const margin = (confidence - minClarity) / (maxClarity - minClarity);
  const atGate = (value: number): number[] => gateClasses.map(it => (it === gate ? value : 0));
  const atLogits = (factor: number): number[] => Array.from(logits, it => it * factor);
  return [
    ...atLogits(1),
    ...atLogits(margin),
    ...atLogits(gate === fallbackGate ? 0 : 1),
    ...atGate(1),
    ...atGate(margin),
    ...atGate(margin === 0 ? 1 : 0),
    1,
  ];
}

/**
 * How many times as likely a plan must be as the gate that the cues name. A fact that is taken for a plan is past after its day, and
 * a plan that is taken for a fact is still found.
 */
const planAgainstCues = 4;

/** The gate of a text by its cues and the encoder's logits together. */
export function combinedGate(cues: CueReading, logits: ArrayLike<number>, weights: GateWeights): Gate {
  return combinedGateOf(gateFeatures(cues, logits), weights);
}

/** The most probable gate, weighted by what it costs to miss it. */
export function combinedGateOf(features: readonly number[], { weights, costs }: GateWeights): Gate {
  const ofCues = gateClasses[features.slice(3 * gateClasses.length, 4 * gateClasses.length).indexOf(1)];
  const isAgainstCues = ofCues !== 'promissory' && ofCues !== fallbackGate;
  const scores = weights.map((its, i) => {
    const cost = isAgainstCues && gateClasses[i] === 'promissory' ? costs[i]! / planAgainstCues : costs[i]!;
    return Math.log(cost) + its.reduce((sum, weight, k) => sum + weight * features[k]!, 0);
  });
  return gateClasses[scores.indexOf(Math.max(...scores))]!;
}
