import type { RelevanceFeatures } from '../model/relevance.js';

type RelevanceWeights = Readonly<Partial<Record<keyof RelevanceFeatures | 'bias', number>>>;

/**
 * Fitted on the worlds of `npm run bench -- assistant`, each tested on the other. `alone`: to order, on their questions and CoSQA, as
 * learned weights are; the bias, so that it is a probability, on these and on the questions that a model gave to the memories; of a
 * date, as in conversations. Two were set by hand: the worlds' questions avoid the memories' words, so that a fit counts a word that
 * both have for nothing (`wording`: -6.3), and their memories have no questions of their own (`question`). `assisted`: by logistic regression on calls with wordings and keywords, with one wording, with three
 * keywords, and on memories without search aids.
 */
const models: Readonly<Record<'alone' | 'assisted', RelevanceWeights>> = {
  alone: {
    bias: -4.58,
    rareTerms: 0.44,
    cosine: 4.15,
    tokenMaxSim: 4.1,
    concepts: 6.64,
    wording: -5,
    person: 2.07,
    date: 1.4,
    long: -0.15,
    question: 4,
  },
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

/** Without a caller's words, what is far behind the best rarely answers: weight of the logarithm of `relative`. */
const relativeWeight = 0.95;
const minRelative = 1e-9;

/** Probability that a memory answers the question, 0-1. */
export function relevanceProbability(features: RelevanceFeatures, isAssisted: boolean): number {
  const behind = isAssisted ? 0 : relativeWeight * Math.log(Math.max(minRelative, features.relative));
  return 1 / (1 + Math.exp(-relevanceLogit(features, isAssisted) - behind));
}
