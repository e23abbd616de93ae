import type { Config } from '../model/config.js';
import type { Memory } from '../model/memory.js';
import { featureNames, type FeatureName } from '../model/trace.js';
import { featureAt, weigh } from '../store/index/features.js';
import type { SearchResult, Store } from '../store/store.js';

/** A store with what it found. */
export interface Searched extends SearchResult {
  readonly store: Store;
}

/** A candidate with its features on one scale over all stores. */
export interface Fused {
  readonly store: Store;
  readonly memory: Memory;
  /** Those that are not 0. */
  readonly features: Readonly<Partial<Record<FeatureName, number>>>;
  /** Weighted sum of the features; unbounded, comparable within one call. */
  readonly score: number;
  /** 0-1; the best of a call has 1. */
  readonly relevance: number;
}

/** Which features are relative to a store's largest, and to which of them. */
const relativeTo: Readonly<Partial<Record<FeatureName, 'words' | 'session'>>> = {
  words: 'words',
  neighbours: 'words',
  session: 'session',
};

/**
 * Puts the answers of several stores on one scale and makes a relevance of each score: `e^((score − best) / scale)`. What
 * shares no word with the question and is not close to it in meaning is no answer and left out. In no particular order.
 */
export function fuse(results: readonly Searched[], config: Config['recall']): readonly Fused[] {
  const largest = {
    words: Math.max(...results.map(it => it.largest.words)),
    session: Math.max(...results.map(it => it.largest.session)),
  };
  const scored = results.flatMap(({ store, hits, largest: its }) => {
    const isScaled = its.words === largest.words && its.session === largest.session;
    const scales = featureNames.map(name => {
      const by = relativeTo[name];
      return by === undefined || largest[by] === 0 ? 1 : its[by] / largest[by];
    });
    return hits.map(({ memory, features }) => {
      const rescaled = isScaled ? features : features.map((value, i) => value * scales[i]!);
      return { store, memory, rescaled, score: weigh(rescaled) };
    });
  });
  const answers = scored.filter(it => isAnswer(it.rescaled, config));
  const best = Math.max(...answers.map(it => it.score));
  return answers.map(({ store, memory, rescaled, score }) => ({
    store,
    memory,
    features: named(rescaled),
    score,
    relevance: Math.exp((score - best) / config.scoreScale),
  }));
}

function isAnswer(features: Float32Array, { meaningFloor }: Config['recall']): boolean {
  const has = (name: FeatureName): number => features[featureAt[name]]!;
  const context = has('neighbours') + has('session') + has('answers') + has('date');
  return has('words') > 0 || has('meaning') >= meaningFloor || context > 0;
}

/** Kept with every trace: without zeros, which most are, and without digits that tell nothing. */
function named(features: Float32Array): Partial<Record<FeatureName, number>> {
  const byName: Partial<Record<FeatureName, number>> = {};
  for (let i = 0; i < featureNames.length; i++) {
    if (features[i] !== 0) byName[featureNames[i]!] = Math.round(features[i]! * 1e6) / 1e6;
  }
  return byName;
}
