import type { Memory } from '../model/memory.js';
import { retentionSignals, type RetentionSignals, type RetentionWeights } from '../model/retention.js';
import { dayMs } from './decay.js';

/** Rises whenever the same input would give another score; a memory that was scored by another version is scored anew. */
export const scoringVersion = 1;

/** How often a memory, or several, were returned by recalls and how often that helped. */
export interface Use {
  readonly accessCount: number;
  readonly usefulCount: number;
}

/**
 * 0-1: `normalise(w1 × relevanceToGoals + w2 × emotionalWeight + w3 × predictiveValue + w4 × recencyFrequency)` (memory
 * model, "Maintenance"). Signals and sum of weights being 0-1 and 1, the sum is normalised already; it is rounded to four
 * decimals, so that the same input has the same score everywhere.
 * @param weights summing to 1 (retentionWeights.ts)
 */
export function retentionScore(signals: RetentionSignals, weights: RetentionWeights): number {
  return rounded(retentionSignals.reduce((score, it) => score + weights[it] * signals[it], 0));
}

/** Share of thumbs in the emotional weight; the rest is emphasis. What a person said of a memory outweighs its tone. */
const thumbShare = 0.7;
/** Thumbs at which half of what they can do is done. */
const thumbsHalfway = 2;

/**
 * 0-1, from the sum of thumbs and the emphasis of the text. A memory that nobody judged and nobody stressed has 0.35;
 * two thumbs up more than any emphasis: 0.525, two down 0.175.
 * @param emphasis 0-1 (text/emphasis.ts)
 */
export function emotionalWeight({ feedback }: Pick<Memory, 'feedback'>, emphasis: number): number {
  const thumbs = feedback / (Math.abs(feedback) + thumbsHalfway);
  return rounded(thumbShare * ((1 + thumbs) / 2) + (1 - thumbShare) * emphasis);
}

/** Until more is known, one recall of four counts as useful, as if that had been seen in two recalls. */
const expected: Use = { accessCount: 2, usefulCount: 0.5 };
/** A neighbour's use says half as much as the memory's own, times the strength of the edge. */
const neighbourShare = 0.5;

/**
 * 0-1: how often recalls that returned this memory or its neighbours were useful. Never recalled: 0.25; often recalled
 * and never useful: near 0.
 */
export function predictiveValue(own: Use, neighbours: readonly (Use & { readonly strength: number })[]): number {
  let [useful, access] = [expected.usefulCount + own.usefulCount, expected.accessCount + returned(own)];
  for (const it of neighbours) {
    useful += neighbourShare * it.strength * it.usefulCount;
    access += neighbourShare * it.strength * returned(it);
  }
  return rounded(useful / access);
}

/** A thumb may come without a recall that was counted. */
function returned({ accessCount, usefulCount }: Use): number {
  return Math.max(accessCount, usefulCount);
}

/** Days after which the last use counts half. */
const recencyHalfLifeDays = 30;
/** Recalls at which half of what frequency can do is done. */
const accessHalfway = 5;

/** 0-1: half how lately it was recalled (or written, when it never was), in whole days, and half how often. */
export function recencyFrequency(
  memory: Pick<Memory, 'accessCount' | 'accessedAt' | 'updatedAt' | 'reinforcedAt'>,
  now: Date,
): number {
  const times = [memory.accessedAt, memory.updatedAt, memory.reinforcedAt].filter(it => it !== undefined);
  const last = Math.max(...times.map(it => Date.parse(it)));
  const days = Math.max(0, Math.floor((now.getTime() - last) / dayMs));
  const frequency = memory.accessCount / (memory.accessCount + accessHalfway);
  return rounded(0.5 * 0.5 ** (days / recencyHalfLifeDays) + 0.5 * frequency);
}

function rounded(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;
}
