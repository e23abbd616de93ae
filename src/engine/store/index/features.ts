/**
 * What the search measures of each candidate, and how much each measure counts. A candidate's score is the weighted sum;
 * the weights were learned on conversations and code questions (test/bench/fit.ts), cross-validated by conversation.
 */
export const featureNames = [
  'words',
  'meaning',
  'wordMeaning',
  'speaker',
  'neighbours',
  'session',
  'answers',
  'feedback',
  'date',
  'instruction',
  'preference',
  'when',
  'howMuch',
  'name',
  'asks',
  'long',
] as const;
export type FeatureName = (typeof featureNames)[number];

/** Where each stands. */
export const featureAt = Object.fromEntries(featureNames.map((name, i) => [name, i])) as Readonly<
  Record<FeatureName, number>
>;

/** What each feature is, for the person who asks why. */
export const featureMeanings: Readonly<Record<FeatureName, string>> = {
  words: 'BM25 of the words it shares with the question, relative to the best memory',
  meaning: 'cosine of its embedding with the question; of one that has none yet, what its words suggest',
  wordMeaning: 'each word of the question has one close in meaning in it, rare words counting more',
  speaker: 'it was said by somebody the question names',
  neighbours: 'words of the turns just before and after it match',
  session: 'its whole conversation matches, relative to the best one',
  answers: "it follows another speaker's question that matches",
  feedback: 'it resembles the best matches of a first pass',
  date: 'it was made at the time that the question names',
  instruction: 'it is a standing instruction, and few memories are',
  preference: 'it states a preference close to the question',
  when: 'the question asks when, and it names a time',
  howMuch: 'the question asks how much, and it holds a number',
  name: 'the question asks for a name, and it holds names',
  asks: 'it ends with a question itself',
  long: 'it is long, so that chance matches are likely',
};

export const weights: Readonly<Record<FeatureName, number>> = {
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

const inOrder = featureNames.map(it => weights[it]);

/** The weighted sum of a candidate's features, which stand in the order of `featureNames`. Unbounded. */
export function weigh(features: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < inOrder.length; i++) sum += inOrder[i]! * features[i]!;
  return sum;
}
