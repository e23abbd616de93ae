import type { Memory } from '../model/memory.js';
import { retentionSignals, type RetentionSignals, type RetentionWeights } from '../model/retention.js';
import { dayMs } from './decay.js';

/** Rises whenever the same input would give another score; a memory that was scored by another version is scored anew. */
export const retentionScoringVersion = 1;

/** How often a memory, or several, were returned by recalls and how often that helped. */
export interface UsageCounts {
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
  return roundScore(retentionSignals.reduce((score, it) => score + weights[it] * signals[it], 0));
}

/** Share of thumbs in the emotional weight; the rest is emphasis. What a person said of a memory outweighs its tone. */
const feedbackShare = 0.7;
/** Thumbs at which half of what they can do is done. */
const feedbackHalfSaturation = 2;

/**
 * 0-1, from the sum of thumbs and the emphasis of the text. A memory that nobody judged and nobody stressed has 0.35;
 * two thumbs up more than any emphasis: 0.525, two down 0.175.
 * @param emphasis 0-1 (`scoreEmphasis`)
 */
export function emotionalWeight({ feedback }: Pick<Memory, 'feedback'>, emphasis: number): number {
  const feedbackSignal = feedback / (Math.abs(feedback) + feedbackHalfSaturation);
  return roundScore(feedbackShare * ((1 + feedbackSignal) / 2) + (1 - feedbackShare) * emphasis);
}

/** Until more is known, one recall of four counts as useful, as if that had been seen in two recalls. */
const priorUsage: UsageCounts = { accessCount: 2, usefulCount: 0.5 };
/** A neighbour's use says half as much as the memory's own, times the strength of the edge. */
const neighborShare = 0.5;

/**
 * 0-1: how often recalls that returned this memory or its neighbours were useful. Never recalled: 0.25; often recalled
 * and never useful: near 0.
 */
export function predictiveValue(
  usage: UsageCounts,
  neighbors: readonly (UsageCounts & { readonly strength: number })[],
): number {
  let [useful, access] = [priorUsage.usefulCount + usage.usefulCount, priorUsage.accessCount + recallCount(usage)];
  for (const it of neighbors) {
    useful += neighborShare * it.strength * it.usefulCount;
    access += neighborShare * it.strength * recallCount(it);
  }
  return roundScore(useful / access);
}

/** A thumb may come without a recall that was counted. */
function recallCount({ accessCount, usefulCount }: UsageCounts): number {
  return Math.max(accessCount, usefulCount);
}

/** Days after which the last use counts half. */
const recencyHalfLifeDays = 30;
/** Recalls at which half of what frequency can do is done. */
const accessHalfSaturation = 5;

/** 0-1: half how lately it was recalled (or written, when it never was), in whole days, and half how often. */
export function recencyFrequency(
  memory: Pick<Memory, 'accessCount' | 'accessedAt' | 'updatedAt' | 'reinforcedAt'>,
  now: Date,
): number {
  const times = [memory.accessedAt, memory.updatedAt, memory.reinforcedAt].filter(it => it !== undefined);
  const last = Math.max(...times.map(it => Date.parse(it)));
  const days = Math.max(0, Math.floor((now.getTime() - last) / dayMs));
  const frequency = memory.accessCount / (memory.accessCount + accessHalfSaturation);
  return roundScore(0.5 * 0.5 ** (days / recencyHalfLifeDays) + 0.5 * frequency);
}

function roundScore(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;
}
