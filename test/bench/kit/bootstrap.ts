import { mean, percentile } from './metrics.js';
import { seeded } from './random.js';

export const resamples = 1_000;
const seed = 20_261_121;

/** Lower and upper end of a 95 % interval. */
export type Interval = readonly [low: number, high: number];

/**
 * Percentile bootstrap of a mean over questions. For the difference of two systems on the same questions give the
 * differences: they are resampled together, which is what makes the test a paired one.
 */
export function interval(values: readonly number[]): Interval {
  const random = seeded(seed);
  const means = Array.from({ length: resamples }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)]!)),
  );
  return [percentile(means, 0.025), percentile(means, 0.975)];
}
