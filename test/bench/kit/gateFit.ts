import { gateClasses, gateFeatureCount, type GateWeights } from '../../../src/engine/model/gateWeights.js';
import type { Gate } from '../../../src/engine/model/memory.js';

/** A text with what its gate is decided by. */
export interface GateExample {
  readonly gate: Gate;
  readonly features: readonly number[];
}

const ridge = 1;
const maxSteps = 30;
/** Of a weight, below which the fit is done; weights are written with four digits. */
const minChange = 1e-5;
const classes = gateClasses.length;
const size = classes * gateFeatureCount;

/** Fits a multinomial logistic regression by Newton's method, with a ridge. */
export function fitGates(examples: readonly GateExample[]): GateWeights['weights'] {
  const weights = new Float64Array(size);
  for (let step = 0; step < maxSteps; step++) {
    const change = newtonStep(examples, weights);
    for (let i = 0; i < size; i++) weights[i]! -= change[i]!;
    if (change.every(it => Math.abs(it) < minChange)) break;
  }
  return gateClasses.map((_, k) => [...weights.subarray(k * gateFeatureCount, (k + 1) * gateFeatureCount)]);
}

function newtonStep(examples: readonly GateExample[], weights: Float64Array): Float64Array {
  const gradient = weights.map(it => ridge * it);
  const hessian = Array.from({ length: size }, (_, i) => {
    const row = new Float64Array(size);
    row[i] = ridge;
    return row;
  });
  for (const { gate, features } of examples) {
    const p = probabilities(weights, features);
    const label = gateClasses.indexOf(gate);
    // Most features of an example are 0: those of the gates that its cues do not name.
    const present = features.flatMap((it, i) => (it === 0 ? [] : [[i, it] as const]));
    for (let k = 0; k < classes; k++) {
      const error = p[k]! - (k === label ? 1 : 0);
      for (const [i, x] of present) {
        gradient[k * gateFeatureCount + i]! += error * x;
        const row = hessian[k * gateFeatureCount + i]!;
        for (let other = 0; other < classes; other++) {
          const curvature = x * p[k]! * ((k === other ? 1 : 0) - p[other]!);
          for (const [j, y] of present) row[other * gateFeatureCount + j]! += curvature * y;
        }
      }
    }
  }
  return solve(hessian, gradient);
}

function probabilities(weights: Float64Array, features: readonly number[]): number[] {
  const scores = gateClasses.map((_, k) =>
    features.reduce((sum, it, i) => sum + it * weights[k * gateFeatureCount + i]!, 0),
  );
  const max = Math.max(...scores);
  const powers = scores.map(it => Math.exp(it - max));
  const sum = powers.reduce((total, it) => total + it, 0);
  return powers.map(it => it / sum);
}

/** Solves a system of linear equations whose matrix is symmetric and positive definite, by elimination in place. */
function solve(matrix: readonly Float64Array[], vector: Float64Array): Float64Array {
  const solution = Float64Array.from(vector);
  for (let i = 0; i < size; i++) {
    for (let r = i + 1; r < size; r++) {
      const factor = matrix[r]![i]! / matrix[i]![i]!;
      if (factor === 0) continue;
      for (let c = i; c < size; c++) matrix[r]![c]! -= factor * matrix[i]![c]!;
      solution[r]! -= factor * solution[i]!;
    }
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let c = i + 1; c < size; c++) solution[i]! -= matrix[i]![c]! * solution[c]!;
    solution[i]! /= matrix[i]![i]!;
  }
  return solution;
}
