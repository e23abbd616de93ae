import type { Config } from '../model/config.js';
import type { Memory } from '../model/memory.js';
import type { RelevanceFeatures } from '../model/relevance.js';
import { featureNames, type FeatureName } from '../model/trace.js';
import { featureIndex, scoreFeatures } from '../scoring/rankingModel.js';
import { relevanceLogit } from '../scoring/relevance.js';
import type { SearchResult, Store } from '../store/store.js';
import { contentTermSet } from '../text/analyzer.js';
import { hasExpansion, type RecallQuery } from './recallQuery.js';
import { WordMatcher } from './wordMatcher.js';

/** A store with what it found. */
export interface StoreSearchResult extends SearchResult {
  readonly store: Store;
}

/** A candidate with its features on one scale over all stores. */
export interface MergedCandidate {
  readonly store: Store;
  readonly memory: Memory;
  /** Of its text. */
  readonly terms: ReadonlySet<string>;
  /** Those that are not 0. */
  readonly features: Readonly<Partial<Record<FeatureName, number>>>;
  /** What says whether it answers. */
  readonly answering: RelevanceFeatures;
  /** Weighted sum of the features; unbounded, comparable within one call. */
  readonly score: number;
  /** 0-1; the best of a call has 1. */
  readonly relevance: number;
  /** int8 components of its embedding; undefined without one. */
  readonly vector: Int8Array | undefined;
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
 *
 * Where the memories are single notes, and where the caller gave other wordings or words, the score is that of
 * `relevanceLogit`: by how well the words are met, which ranks better than what a search can guess of a short question's
 * intent.
 */
export function mergeStoreResults(
  results: readonly StoreSearchResult[],
  recallQuery: RecallQuery,
  config: Config['recall'],
): readonly MergedCandidate[] {
  const isAssisted = hasExpansion(recallQuery);
  const areNotes = results.every(it => it.holdsNotes);
  const ordering = areNotes ? 'notes' : 'conversation';
  const matcher = new WordMatcher(
    recallQuery,
    results.map(it => it.lexicalScale),
  );
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
    return hits.map(({ memory, aids, features, vector }) => {
      const rescaled = isOnCommonScale ? features : features.map((value, i) => value * scaleFactors[i]!);
      const lexicalScore = features[featureIndex.words]! * storeMaxScores.words;
      const lexical = {
        rareTerms: lexicalScale.rareTerm === 0 ? 0 : lexicalScore / lexicalScale.rareTerm,
        coverage: lexicalScale.possible === 0 ? 0 : lexicalScore / lexicalScale.possible,
      };
      return { store, memory, aids, vector, rescaled, lexical, score: scoreFeatures(rescaled, ordering) };
    });
  });
  const answers = scored.filter(it => isRelevant(it.rescaled, config));
  const bestScore = Math.max(...answers.map(it => it.score));
  const candidates = answers.map(({ store, memory, aids, vector, rescaled, lexical, score }): MergedCandidate => {
    const relevance = Math.exp((score - bestScore) / config.relevanceTemperature);
    const terms = contentTermSet(memory.content);
    const answering = {
      ...matcher.match(memory.content, aids, terms),
      rareTerms: lexical.rareTerms,
      coverage: lexical.coverage,
      cosine: rescaled[featureIndex.meaning]!,
      tokenMaxSim: rescaled[featureIndex.wordMeaning]!,
      date: rescaled[featureIndex.date]!,
      long: rescaled[featureIndex.long]!,
      relative: relevance,
    };
    return { store, memory, terms, vector, features: toNamedFeatures(rescaled), answering, score, relevance };
  });
  return areNotes || isAssisted ? scoreByAnswering(candidates, isAssisted) : candidates;
}

function scoreByAnswering(candidates: readonly MergedCandidate[], isAssisted: boolean): readonly MergedCandidate[] {
  const scored = candidates.map(it => ({ ...it, score: relevanceLogit(it.answering, isAssisted) }));
  const bestScore = Math.max(...scored.map(it => it.score));
  return scored.map(it => {
    const relevance = Math.exp(it.score - bestScore);
    return { ...it, answering: { ...it.answering, relative: relevance }, relevance };
  });
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
