import type { RelevanceFeatures } from '../model/relevance.js';

type RelevanceWeights = Readonly<Partial<Record<keyof RelevanceFeatures | 'bias', number>>>;

/**
 * Fitted by logistic regression on the worlds of `npm run bench -- assistant`, each tested on the other. `assisted`: on calls
 * with wordings and keywords, with one wording, with three keywords, and on memories without search aids.
 */
const models: Readonly<Record<'alone' | 'assisted', RelevanceWeights>> = {
  alone: { bias: -4.94, rareTerms: -1.22, coverage: -0.29, cosine: 4.37, tokenMaxSim: 3.19, relative: 1.42 },
  assisted: {
    bias: -9.18,
    rareTerms: 2.28,
    cosine: 5.05,
    tokenMaxSim: -1.36,
    wording: 3.89,
    wordings: -4.36,
    keywords: 5.8,
    question: 2,
    missing: 2.8,
    withoutAids: 0.91,
  },
};

/**
 * Log-odds that a memory answers the question.
 * @param isAssisted whether the caller gave other wordings or words beside the question: then a match means more
 */
export function relevanceLogit(features: RelevanceFeatures, isAssisted: boolean): number {
  const { bias = 0, ...weights } = models[isAssisted ? 'assisted' : 'alone'];
  const values = { ...features, rareTerms: Math.log1p(features.rareTerms) };
  return Object.entries(weights).reduce(
    (sum, [name, weight]) => sum + weight * values[name as keyof RelevanceFeatures],
    bias,
  );
}

/** Probability that a memory answers the question, 0-1. */
export function relevanceProbability(features: RelevanceFeatures, isAssisted: boolean): number {
  return 1 / (1 + Math.exp(-relevanceLogit(features, isAssisted)));
}
