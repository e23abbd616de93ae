/** One question: the features of its candidates, and the relevant ones. */
export interface Ranking {
  /** Row-major matrix: one row per candidate, one column per feature. */
  readonly features: Float64Array;
  readonly relevant: readonly boolean[];
  /** How much it counts. */
  readonly weight: number;
}

/** Convergence threshold of the loss. */
const minLossGain = 1e-9;
const maxSteps = 50;
const maxHalvings = 20;

/**
 * The weights under which the relevant candidates of each question have the largest share of a softmax over all its
 * candidates (ListNet's top-one loss, Cao and others 2007): least of Σ weight × (log Σ e^s − mean s of the relevant) +
 * `ridge` × |weights|². It is convex; Newton's steps find it in about ten. Questions without a relevant candidate teach
 * nothing.
 */
export function fitWeights(rankings: readonly Ranking[], width: number, ridge: number): Float64Array {
  const usable = rankings.filter(it => it.relevant.includes(true));
  let weights: Float64Array = new Float64Array(width);
  let current = evaluateLoss(usable, weights, ridge);
  for (let step = 0; step < maxSteps; step++) {
    const direction = solveByCholesky(current.curvature, current.gradient);
    let share = 1;
    let next = weights;
    let candidate = current;
    for (let halving = 0; halving < maxHalvings; halving++, share /= 2) {
      next = weights.map((it, i) => it - share * direction[i]!);
      candidate = evaluateLoss(usable, next, ridge);
      if (candidate.loss <= current.loss) break;
    }
    const gain = current.loss - candidate.loss;
    if (gain <= 0) break;
    weights = next;
    current = candidate;
    if (gain < minLossGain) break;
  }
  return weights;
}

/** The weighted sum of each candidate's features. */
export function scoreCandidates({ features, relevant }: Ranking, weights: Float64Array): Float64Array {
  const width = weights.length;
  return Float64Array.from(relevant, (_, row) => {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += weights[i]! * features[row * width + i]!;
    return sum;
  });
}

/** The loss, its gradient and its Hessian in row-major order. */
function evaluateLoss(
  rankings: readonly Ranking[],
  weights: Float64Array,
  ridge: number,
): { loss: number; gradient: Float64Array; curvature: Float64Array } {
  const width = weights.length;
  const gradient = weights.map(it => 2 * ridge * it);
  const curvature = new Float64Array(width * width);
  for (let i = 0; i < width; i++) curvature[i * width + i] = 2 * ridge;
  let loss = ridge * weights.reduce((sum, it) => sum + it * it, 0);
  const mean = new Float64Array(width);
  for (const ranking of rankings) {
    const { features, relevant, weight } = ranking;
    const scored = scoreCandidates(ranking, weights);
    const largest = Math.max(...scored);
    const total = scored.reduce((sum, it) => sum + Math.exp(it - largest), 0);
    const relevantShare = 1 / relevant.filter(it => it).length;
    loss += weight * (Math.log(total) + largest);
    mean.fill(0);
    for (const [row, score] of scored.entries()) {
      const share = Math.exp(score - largest) / total;
      const target = relevant[row] === true ? relevantShare : 0;
      loss -= weight * target * score;
      const start = row * width;
      for (let i = 0; i < width; i++) {
        const value = features[start + i]!;
        if (value === 0) continue;
        mean[i]! += share * value;
        gradient[i]! += weight * (share - target) * value;
        const scaled = weight * share * value;
        for (let j = 0; j <= i; j++) curvature[i * width + j]! += scaled * features[start + j]!;
      }
    }
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) curvature[i * width + j]! -= weight * mean[i]! * mean[j]!;
    }
  }
  return { loss, gradient, curvature };
}

/** x of `matrix` x = `right`, by Cholesky; only the lower half of the positive definite matrix is read. */
function solveByCholesky(matrix: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const lower = matrix.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = lower[i * n + j]!;
      for (let k = 0; k < j; k++) sum -= lower[i * n + k]! * lower[j * n + k]!;
      lower[i * n + j] = i === j ? Math.sqrt(Math.max(sum, Number.EPSILON)) : sum / lower[j * n + j]!;
    }
  }
  const x = right.slice();
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i]! -= lower[i * n + k]! * x[k]!;
    x[i]! /= lower[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i]! -= lower[k * n + i]! * x[k]!;
    x[i]! /= lower[i * n + i]!;
  }
  return x;
}
