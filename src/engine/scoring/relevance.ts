import type { RelevanceFeatures } from '../model/relevance.js';

interface RelevanceModel {
  readonly bias: number;
  readonly rareTerms: number;
  readonly coverage: number;
  readonly cosine: number;
  readonly tokenMaxSim: number;
  readonly relative: number;
}

/** Fitted by logistic regression on the worlds of `npm run bench -- assistant`, each tested on the other. */
const models: Readonly<Record<'alone' | 'assisted', RelevanceModel>> = {
  alone: { bias: -4.94, rareTerms: -1.22, coverage: -0.29, cosine: 4.37, tokenMaxSim: 3.19, relative: 1.42 },
  assisted: { bias: -5.96, rareTerms: 4.72, coverage: -0.53, cosine: 3.53, tokenMaxSim: -4.81, relative: 2.27 },
};

/**
 * Probability that a memory answers the question, 0-1.
 * @param isAssisted whether the caller gave other wordings or words beside the question: then a match means more
 */
export function relevanceProbability(features: RelevanceFeatures, isAssisted: boolean): number {
  const model = models[isAssisted ? 'assisted' : 'alone'];
  const logit =
    model.bias +
    model.rareTerms * Math.log1p(features.rareTerms) +
    model.coverage * features.coverage +
    model.cosine * features.cosine +
    model.tokenMaxSim * features.tokenMaxSim +
    model.relative * features.relative;
  return 1 / (1 + Math.exp(-logit));
}
