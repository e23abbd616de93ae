import type { RelevanceFeatures } from '../model/relevance.js';

interface RelevanceModel {
  readonly bias: number;
  readonly rareTerms: number;
  readonly coverage: number;
  readonly cosine: number;
  readonly tokenMaxSim: number;
  readonly relative: number;
}

/** Fitted by logistic regression (`npm run bench -- relevance`). */
const models: Readonly<Record<'alone' | 'assisted', RelevanceModel>> = {
  alone: { bias: -6, rareTerms: 0.8, coverage: 2, cosine: 4, tokenMaxSim: 3, relative: 2 },
  assisted: { bias: -6, rareTerms: 0.8, coverage: 2, cosine: 4, tokenMaxSim: 3, relative: 2 },
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
