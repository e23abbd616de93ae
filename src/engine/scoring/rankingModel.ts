import { rankingFeatures, type RankingFeature } from '../model/rankingFeature.js';

export type CandidateFeatures = Readonly<Record<RankingFeature, number>>;

/**
 * Inputs that a rank may have. `alone`: the question and the memory's text; `searched`: the memory's search aids, too;
 * `expanded`: the caller's alternatives or keywords, too; `assisted`: all of them.
 */
export const situations = ['alone', 'searched', 'expanded', 'assisted'] as const;
export type Situation = (typeof situations)[number];

/** A logistic regression over standardized features, for one situation. */
export interface SituationWeights {
  /** By feature. */
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
  /** Of the features, their squares, the products of the first with each of `productFeatures`, and 1. */
  readonly weights: readonly number[];
  /** Probability below which a candidate is no answer, 0-1. */
  readonly threshold: number;
}

export type RankingWeights = Readonly<Record<Situation, SituationWeights>>;

const count = rankingFeatures.length;
/** Features that are multiplied with the first. */
const productFeatures: readonly RankingFeature[] = [
  'queryText',
  'alternativeText',
  'queryAid',
  'alternativeAid',
  'queryQuestion',
  'alternativeQuestion',
];
const productIndexes = productFeatures.map(it => rankingFeatures.indexOf(it));
/** Standard deviations beyond which a feature counts no more. */
const maxDeviations = 4;
/** Number of weights of a situation. */
export const weightCount = 2 * count + productIndexes.length + 1;

/** The terms of the regression: what each weight is multiplied with. */
export function expandFeatures(
  features: CandidateFeatures,
  { mean, deviation }: Pick<SituationWeights, 'mean' | 'deviation'>,
): Float64Array {
  const terms = new Float64Array(weightCount);
  for (const [i, name] of rankingFeatures.entries()) {
    const z = (features[name] - mean[i]!) / deviation[i]!;
    terms[i] = Math.min(maxDeviations, Math.max(-maxDeviations, z));
    terms[count + i] = terms[i] ** 2;
  }
  for (const [i, feature] of productIndexes.entries()) terms[2 * count + i] = terms[0]! * terms[feature]!;
  terms[weightCount - 1] = 1;
  return terms;
}

/** A candidate's log-odds to answer, and what each feature adds to it; the rest is the same for every candidate. */
export interface Score {
  readonly logit: number;
  readonly shares: CandidateFeatures;
}

/** Scores a candidate by the weights of its situation; a product counts as the share of its second feature. */
export function scoreCandidate(features: CandidateFeatures, situation: SituationWeights): Score {
  const terms = expandFeatures(features, situation);
  const { weights } = situation;
  const shares = rankingFeatures.map((_, i) => weights[i]! * terms[i]! + weights[count + i]! * terms[count + i]!);
  for (const [i, feature] of productIndexes.entries())
    shares[feature]! += weights[2 * count + i]! * terms[2 * count + i]!;
  const logit = shares.reduce((sum, it) => sum + it, weights[weightCount - 1]!);
  return {
    logit,
    shares: Object.fromEntries(rankingFeatures.map((name, i) => [name, shares[i]!])) as Record<RankingFeature, number>,
  };
}

/** Probability of log-odds, 0-1. */
export function toProbability(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
