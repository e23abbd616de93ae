import { rankingFeatures } from '../../../src/engine/model/rankingFeature.js';
import {
  expandFeatures,
  toProbability,
  weightCount,
  type CandidateFeatures,
  type SituationWeights,
} from '../../../src/engine/scoring/rankingModel.js';

/** A candidate for a question of a world. */
export interface TrainingCandidate {
  /** Ids of the world's memories that it answers with: those it comes from, or what replaces them. */
  readonly ids: readonly string[];
  readonly features: CandidateFeatures;
}

/** A question with what was retrieved for it. */
export interface TrainingQuestion {
  readonly world: string;
  readonly relevant: readonly string[];
  readonly best: string | null;
  readonly candidates: readonly TrainingCandidate[];
  /** Whether they are only those of one situation, of several in the same call. */
  readonly isPartial: boolean;
  /** Whether the call had few alternatives and keywords. */
  readonly isThin: boolean;
}

const ridge = 0.3;
const maxSteps = 60;
const minDeviation = 1e-4;
/** Of a weight, below which the fit is done; weights are written with five digits. */
const minChange = 1e-4;
const minCurvature = 1e-6;

/**
 * Fits a logistic regression by Newton's method, with a ridge; the threshold is chosen later.
 * @param like weights of similar questions, to begin with; it takes a third of the steps then
 */
export function fitWeights(
  questions: readonly TrainingQuestion[],
  like?: Omit<SituationWeights, 'threshold'>,
): Omit<SituationWeights, 'threshold'> {
  const rows = questions.flatMap(({ relevant, candidates }) =>
    candidates.map(it => ({ features: it.features, isRelevant: it.ids.some(id => relevant.includes(id)) ? 1 : 0 })),
  );
  const { mean, deviation } = like ?? standardization(rows.map(it => it.features));
  const terms = new Float64Array(rows.length * weightCount);
  for (const [r, it] of rows.entries()) terms.set(expandFeatures(it.features, { mean, deviation }), r * weightCount);
  const weights = Float64Array.from(like?.weights ?? new Array<number>(weightCount).fill(0));
  for (let step = 0; step < maxSteps; step++) {
    const change = newtonStep(terms, rows, weights);
    let largest = 0;
    for (let i = 0; i < weightCount; i++) {
      weights[i]! -= change[i]!;
      largest = Math.max(largest, Math.abs(change[i]!));
    }
    if (largest < minChange) break;
  }
  return { mean, deviation, weights: [...weights] };
}

function standardization(all: readonly CandidateFeatures[]): Pick<SituationWeights, 'mean' | 'deviation'> {
  const mean = rankingFeatures.map(name => all.reduce((sum, it) => sum + it[name], 0) / all.length);
  const deviation = rankingFeatures.map((name, i) => {
    const square = all.reduce((sum, it) => sum + (it[name] - mean[i]!) ** 2, 0) / all.length;
    // What never varies, as a cosine without an embedder, says nothing.
    return Math.sqrt(square) < minDeviation ? 1 : Math.sqrt(square);
  });
  return { mean, deviation };
}

function newtonStep(
  terms: Float64Array,
  rows: readonly { readonly isRelevant: number }[],
  weights: Float64Array,
): Float64Array {
  const n = weightCount;
  const gradient = Float64Array.from(weights, it => ridge * it);
  const hessian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) hessian[i * n + i] = ridge;
  for (let r = 0; r < rows.length; r++) {
    const x = terms.subarray(r * n, (r + 1) * n);
    const p = toProbability(dot(weights, x));
    const error = p - rows[r]!.isRelevant;
    const curvature = p * (1 - p) + minCurvature;
    for (let i = 0; i < n; i++) {
      gradient[i]! += error * x[i]!;
      const scaled = curvature * x[i]!;
      for (let j = 0; j <= i; j++) hessian[i * n + j]! += scaled * x[j]!;
    }
  }
  const matrix = Array.from({ length: n }, (_, i) =>
    Float64Array.from({ length: n }, (_, j) => (j <= i ? hessian[i * n + j]! : hessian[j * n + i]!)),
  );
  return solve(matrix, gradient);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Solves a system of linear equations by Gaussian elimination with pivots. */
function solve(matrix: readonly Float64Array[], vector: Float64Array): Float64Array {
  const n = vector.length;
  const rows = matrix.map((row, i) => Float64Array.of(...row, vector[i]!));
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let r = i + 1; r < n; r++) if (Math.abs(rows[r]![i]!) > Math.abs(rows[pivot]![i]!)) pivot = r;
    [rows[i], rows[pivot]] = [rows[pivot]!, rows[i]!];
    for (let r = i + 1; r < n; r++) {
      const factor = rows[r]![i]! / rows[i]![i]!;
      if (factor !== 0) for (let c = i; c <= n; c++) rows[r]![c]! -= factor * rows[i]![c]!;
    }
  }
  const solution = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i]![n]!;
    for (let c = i + 1; c < n; c++) sum -= rows[i]![c]! * solution[c]!;
    solution[i] = sum / rows[i]![i]!;
  }
  return solution;
}
