import { daysUntilCold } from '../model/memory.js';
import { dayMs } from '../model/duration.js';
import { frequentAccessThreshold } from './decay.js';

/** A memory that is used often fades half as fast, and cools half as fast. */
const daysUntilOftenUsedIsCold = 2 * daysUntilCold;

/** Times from which on a used, said or changed memory is hot; ISO-8601 UTC. */
export interface HotSince {
  readonly usual: string;
  /** Of memories that were used more than {@link HotSince.oftenUsed} times. */
  readonly ofOftenUsed: string;
  readonly oftenUsed: number;
}

/** As of the beginning of the day in UTC, so that the same memories are hot all day. @param now the time by which memories age */
export function hotSince(now: Date): HotSince {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const before = (days: number): string => new Date(today - days * dayMs).toISOString();
  return {
    usual: before(daysUntilCold),
    ofOftenUsed: before(daysUntilOftenUsedIsCold),
    oftenUsed: frequentAccessThreshold,
  };
}
