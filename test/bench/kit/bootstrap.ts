import { mean, percentile } from './metrics.js';
import { seeded } from './random.js';

export const resamples = 1_000;
const seed = 20_261_121;

/** Lower and upper end of a 95 % interval. */
export type Interval = readonly [low: number, high: number];

/**
 * Percentile bootstrap interval of a mean over questions. To compare two systems on the same questions, pass the
 * differences: resampling them together makes the test a paired one.
 */
export function interval(values: readonly number[]): Interval {
  return intervalOf(values, mean);
}

/** Bootstrap interval of any figure of a sample, such as a ratio of sums. Whole items are resampled. */
export function intervalOf<T>(items: readonly T[], figure: (sample: readonly T[]) => number): Interval {
  const random = seeded(seed);
  const figures = Array.from({ length: resamples }, () =>
    figure(items.map(() => items[Math.floor(random() * items.length)]!)),
  );
  return [percentile(figures, 0.025), percentile(figures, 0.975)];
}
