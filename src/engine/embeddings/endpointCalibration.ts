import type { MeasuredModel } from './endpointRecords.js';

/** A memory, and a question or statement in other words that it answers or repeats. */
interface CalibrationPair {
  readonly memory: string;
  readonly paraphrase: string;
}

/**
 * Made up, so that they say nothing of a person. Each memory is also compared with the paraphrases of the other eleven,
 * which are about other things of the same sort.
 */
export const calibrationPairs: readonly CalibrationPair[] = [
  { memory: 'The staging database runs Postgres 16.', paraphrase: 'Which Postgres version is the staging database?' },
  {
    memory: 'Pull requests are squashed when they are merged.',
    paraphrase: 'Merged pull requests get squashed commits.',
  },
  { memory: 'Unit tests are written with vitest, not jest.', paraphrase: 'We use vitest for unit tests.' },
  { memory: 'Deployments are frozen from Friday noon on.', paraphrase: 'When are deployments frozen on a Friday?' },
  {
    memory: 'The invoices service is owned by the payments team.',
    paraphrase: 'Which team owns the invoices service?',
  },
  {
    memory: 'Colors come from design tokens, never from hex values.',
    paraphrase: 'Use design tokens for colors instead of hex.',
  },
  {
    memory: 'Logs must not contain the email address of a customer.',
    paraphrase: 'No customer email addresses in the logs.',
  },
  {
    memory: 'The mobile app keeps drafts offline in SQLite.',
    paraphrase: 'Where does the mobile app keep offline drafts?',
  },
  {
    memory: 'The nightly backup is copied to a second region.',
    paraphrase: 'Into which region is the nightly backup copied?',
  },
  {
    memory: 'Feature flags are removed two weeks after a release.',
    paraphrase: 'Feature flags live for two weeks after the release.',
  },
  {
    memory: 'The search page loads slowly because of the avatar images.',
    paraphrase: 'Why does the search page load slowly?',
  },
  {
    memory: 'Translations are reviewed by Mei before each launch.',
    paraphrase: 'Mei reviews all translations before a launch.',
  },
];

/**
 * Where between unrelated and equal texts a new edge starts. With 0.6, the figures for MiniLM, bge and gte come out near
 * those of the model catalog.
 */
const relatedShare = 0.6;
/** The same between paraphrases and equal texts, for what may be merged. */
const duplicateShare = 0.75;
/** A model whose paraphrases are no nearer than this is of no use. */
const minSeparation = 0.05;

/**
 * Thresholds from the cosines of the calibration pairs: `memories` and `paraphrases` are unit vectors in the order of the
 * pairs. Undefined where paraphrases are hardly nearer to each other than unrelated texts: that is no embedding model.
 */
export function calibrateThresholds(
  memories: readonly Float32Array[],
  paraphrases: readonly Float32Array[],
): MeasuredModel['thresholds'] | undefined {
  const cosines = memories.map(memory => paraphrases.map(it => dotProductOf(memory, it)));
  const related = cosines.map((row, i) => row[i]!).sort(ascending);
  const unrelated = cosines.flatMap((row, i) => row.filter((_, j) => j !== i)).sort(ascending);
  const typical = related[related.length >> 1]!;
  // As for the built-in model: above 90 of 100 unrelated texts.
  const answer = unrelated[Math.floor(0.9 * unrelated.length)]!;
  if (typical - answer < minSeparation) return undefined;
  const highest = Math.min(typical, unrelated.at(-1)!);
  return {
    answer: round(answer),
    related: round(highest + relatedShare * (typical - highest)),
    duplicate: round(typical + duplicateShare * (1 - typical)),
  };
}

const ascending = (a: number, b: number): number => a - b;

const round = (cosine: number): number => Math.round(Math.max(-1, Math.min(1, cosine)) * 1_000) / 1_000;

function dotProductOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
