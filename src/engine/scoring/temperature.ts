import { daysUntilCold, type Memory, type Temperature } from '../model/memory.js';
import { dayMs, frequentAccessThreshold } from './decay.js';
import { isDerivedFromCode, isUserProtected } from './retentionRules.js';

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

/**
 * Hot is what is in use: what a person pinned or called critical, what was used, said or changed in the last 30 days, or 60
 * if it was used often; and code, which is as it is. Everything else is cold: it is remembered, and an answer finds it.
 */
export function temperatureOf(
  memory: Pick<Memory, 'pinned' | 'decayClass' | 'accessCount' | 'accessedAt' | 'updatedAt' | 'reinforcedAt'> &
    Partial<Pick<Memory, 'provenance'>>,
  { usual, ofOftenUsed, oftenUsed }: HotSince,
): Temperature {
  const { provenance, accessCount, accessedAt = '', updatedAt, reinforcedAt } = memory;
  if (isUserProtected(memory) || (provenance !== undefined && isDerivedFromCode({ provenance }))) return 'hot';
  const since = accessCount > oftenUsed ? ofOftenUsed : usual;
  return [accessedAt, updatedAt, reinforcedAt].some(it => it >= since) ? 'hot' : 'cold';
}
