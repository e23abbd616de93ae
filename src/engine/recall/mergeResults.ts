import type { Config } from '../model/config.js';
import type { Memory } from '../model/memory.js';
import { featureNames, type FeatureName } from '../model/trace.js';
import { featureIndex, scoreFeatures } from '../scoring/rankingModel.js';
import type { SearchResult, Store } from '../store/store.js';

/** A store with what it found. */
export interface StoreSearchResult extends SearchResult {
  readonly store: Store;
}

/** A candidate with its features on one scale over all stores. */
export interface MergedCandidate {
  readonly store: Store;
  readonly memory: Memory;
  /** Those that are not 0. */
  readonly features: Readonly<Partial<Record<FeatureName, number>>>;
  /** How much of the query's words it has, in units that do not depend on the store. */
  readonly lexical: { readonly rareTerms: number; readonly coverage: number };
  /** Weighted sum of the features; unbounded, comparable within one call. */
  readonly score: number;
  /** 0-1; the best of a call has 1. */
  readonly relevance: number;
}

/** Which features are relative to a store's largest, and to which of them. */
const normalizedBy: Readonly<Partial<Record<FeatureName, 'words' | 'session'>>> = {
  words: 'words',
  neighbours: 'words',
  session: 'session',
};

/**
 * Puts the answers of several stores on one scale and makes a relevance of each score: `e^((score − best) / scale)`. What
 * shares no word with the question and is not close to it in meaning is no answer and left out. In no particular order.
 */
export function mergeStoreResults(
  results: readonly StoreSearchResult[],
  config: Config['recall'],
  isAssisted = false,
): readonly MergedCandidate[] {
  const maxScores = {
    words: Math.max(...results.map(it => it.maxFeatureValues.words)),
    session: Math.max(...results.map(it => it.maxFeatureValues.session)),
  };
  const scored = results.flatMap(({ store, hits, maxFeatureValues: storeMaxScores, lexicalScale }) => {
    const isOnCommonScale = storeMaxScores.words === maxScores.words && storeMaxScores.session === maxScores.session;
    const scaleFactors = featureNames.map(name => {
      const scoreName = normalizedBy[name];
      return scoreName === undefined || maxScores[scoreName] === 0
        ? 1
        : storeMaxScores[scoreName] / maxScores[scoreName];
    });
    return hits.map(({ memory, features }) => {
      const rescaled = isOnCommonScale ? features : features.map((value, i) => value * scaleFactors[i]!);
      const lexicalScore = features[featureIndex.words]! * storeMaxScores.words;
      const lexical = {
        rareTerms: lexicalScale.rareTerm === 0 ? 0 : lexicalScore / lexicalScale.rareTerm,
        coverage: lexicalScale.possible === 0 ? 0 : lexicalScore / lexicalScale.possible,
      };
      return { store, memory, rescaled, lexical, score: scoreFeatures(rescaled, isAssisted) };
    });
  });
  const answers = scored.filter(it => isRelevant(it.rescaled, config));
  const bestScore = Math.max(...answers.map(it => it.score));
  return answers.map(({ store, memory, rescaled, lexical, score }) => ({
    store,
    memory,
    features: toNamedFeatures(rescaled),
    lexical,
    score,
    relevance: Math.exp((score - bestScore) / config.relevanceTemperature),
  }));
}

function isRelevant(features: Float32Array, { minSemanticScore }: Config['recall']): boolean {
  const valueOf = (name: FeatureName): number => features[featureIndex[name]]!;
  const contextScore = valueOf('neighbours') + valueOf('session') + valueOf('answers') + valueOf('date');
  return valueOf('words') > 0 || valueOf('meaning') >= minSemanticScore || contextScore > 0;
}

/** Kept with every trace: without zeros, which most are, and without digits that tell nothing. */
function toNamedFeatures(features: Float32Array): Partial<Record<FeatureName, number>> {
  const byName: Partial<Record<FeatureName, number>> = {};
  for (let i = 0; i < featureNames.length; i++) {
    if (features[i] !== 0) byName[featureNames[i]!] = Math.round(features[i]! * 1e6) / 1e6;
  }
  return byName;
}
