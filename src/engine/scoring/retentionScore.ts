import type { Memory } from '../model/memory.js';
import { retentionSignals, type RetentionSignals, type RetentionWeights } from '../model/retention.js';
import { dayMs } from '../model/duration.js';

/** Increases when the same input gets another score; memories with another version are scored again. */
export const retentionScoringVersion = 1;

/** How often recalls returned a memory, or several, and how often that was useful. */
export interface UsageCounts {
  readonly accessCount: number;
  readonly usefulCount: number;
}

/**
 * Retention score, 0-1: `w1 × relevanceToGoals + w2 × emotionalWeight + w3 × predictiveValue + w4 × recencyFrequency`
 * (memory model, "Maintenance"). Rounded to four decimals so that every platform gets the same score.
 * @param weights summing to 1 (retentionWeights.ts)
 */
export function retentionScore(signals: RetentionSignals, weights: RetentionWeights): number {
  return roundScore(retentionSignals.reduce((score, it) => score + weights[it] * signals[it], 0));
}

/**
 * Share of feedback in the emotional weight; the rest is emphasis. A person's judgment counts more than the tone of the
 * text.
 */
const feedbackShare = 0.7;
/** Sum of thumbs with half of the maximum effect. */
const feedbackHalfSaturation = 2;

/**
 * Emotional weight, 0-1, from the sum of thumbs and the emphasis of the text. Neutral is 0.35; two thumbs up (0.525)
 * exceed any emphasis, two thumbs down give 0.175.
 * @param emphasis 0-1 (`scoreEmphasis`)
 */
export function emotionalWeight({ feedback }: Pick<Memory, 'feedback'>, emphasis: number): number {
  const feedbackSignal = feedback / (Math.abs(feedback) + feedbackHalfSaturation);
  return roundScore(feedbackShare * ((1 + feedbackSignal) / 2) + (1 - feedbackShare) * emphasis);
}

/** Prior: one of four recalls is useful, with the weight of two observed recalls. */
const priorUsage: UsageCounts = { accessCount: 2, usefulCount: 0.5 };
/** Weight of a neighbor's usage relative to the memory's own, multiplied by the strength of the edge. */
const neighborShare = 0.5;

/**
 * Predictive value, 0-1: how often recalls that returned this memory or its neighbors were useful. 0.25 without
 * recalls; near 0 for many recalls that were never useful.
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

/** Positive feedback may arrive without a counted recall. */
function recallCount({ accessCount, usefulCount }: UsageCounts): number {
  return Math.max(accessCount, usefulCount);
}

/** Days after which the last use has half its value. */
const recencyHalfLifeDays = 30;
/** Access count with half of the maximum frequency. */
const accessHalfSaturation = 5;

/** Recency and frequency, 0-1: half by whole days since the last recall or write, half by the number of recalls. */
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
