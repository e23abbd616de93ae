import { featureNames, type FeatureName } from '../model/trace.js';

/** Position of each feature in a feature vector. */
export const featureIndex = Object.fromEntries(featureNames.map((name, i) => [name, i])) as Readonly<
  Record<FeatureName, number>
>;

/**
 * Weight of each feature. Learned on conversations and code questions (test/bench/fit.ts), cross-validated by
 * conversation.
 */
export const learnedWeights: Readonly<Record<FeatureName, number>> = {
  words: 2.06,
  meaning: 3.9,
  wordMeaning: 4,
  speaker: 1.85,
  neighbours: 0.77,
  session: 1.58,
  answers: 1.39,
  feedback: 4.37,
  date: 2.61,
  instruction: 3.3,
  preference: 3.98,
  when: 1.06,
  howMuch: 1.26,
  name: 1.5,
  asks: -0.72,
  long: -0.3,
};

/**
 * Weights where every memory is a note of its own: these resemble no other as the turns of a conversation do, and a match is
 * worth little because it is the best of a bad lot. For the shortlist only; `relevanceLogit` orders it.
 */
const noteWeights: typeof learnedWeights = {
  ...learnedWeights,
  words: 1.2,
  meaning: 6.8,
  wordMeaning: 5.1,
  feedback: 0,
};

/** What the memories are. */
export type Ordering = 'conversation' | 'notes';

const orderedWeights: Readonly<Record<Ordering, readonly number[]>> = {
  conversation: featureNames.map(it => learnedWeights[it]),
  notes: featureNames.map(it => noteWeights[it]),
};

/** The weighted sum of a candidate's features, which are in the order of `featureNames`. Unbounded. */
export function scoreFeatures(features: Float32Array, ordering: Ordering): number {
  const weights = orderedWeights[ordering];
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i]! * features[i]!;
  return sum;
}
