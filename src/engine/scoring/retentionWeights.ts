import {
  presetWeights,
  retentionPresets,
  retentionSignals,
  type RetentionPreset,
  type RetentionSignal,
  type RetentionWeights,
} from '../model/retention.js';

/** The weights of a run, and their origin. */
export interface ResolvedRetentionWeights {
  readonly preset: RetentionPreset | 'custom';
  /** Sum to 1. */
  readonly weights: RetentionWeights;
  /** One sentence that names the problem with the configured weights; the default preset is used then. */
  readonly warning?: string;
}

/**
 * Weights of the preset, overridden by custom ones: each 0-1, not all zero, normalized to the sum 1. Invalid weights
 * and an unknown preset fall back to `balanced` with a warning.
 */
export function resolveRetentionWeights(
  preset: string,
  custom?: Readonly<Record<string, unknown>>,
): ResolvedRetentionWeights {
  const knownPreset = retentionPresets.find(it => it === preset);
  if (knownPreset === undefined) {
    return fallBackToBalanced(`There is no preset ${quote(preset)}; there are ${retentionPresets.join(', ')}.`);
  }
  if (custom === undefined || Object.keys(custom).length === 0) {
    return { preset: knownPreset, weights: normalizeWeights(presetWeights[knownPreset]) };
  }
  const problem = findProblem(custom);
  if (problem !== undefined) return fallBackToBalanced(problem);
  const weights = { ...presetWeights[knownPreset], ...(custom as Partial<RetentionWeights>) };
  if (sumWeights(weights) <= 0) return fallBackToBalanced('All four weights are 0; at least one must be more.');
  return { preset: 'custom', weights: normalizeWeights(weights) };
}

function findProblem(custom: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, weight] of Object.entries(custom)) {
    if (!retentionSignals.includes(name as RetentionSignal)) {
      return `There is no weight ${quote(name)}; there are ${retentionSignals.join(', ')}.`;
    }
    if (typeof weight !== 'number' || !(weight >= 0 && weight <= 1)) {
      return `The weight ${name} must be a number from 0 to 1; it is ${quote(String(weight))}.`;
    }
  }
  return undefined;
}

function fallBackToBalanced(problem: string): ResolvedRetentionWeights {
  return {
    preset: 'balanced',
    weights: normalizeWeights(presetWeights.balanced),
    warning: `${problem} The preset balanced is used.`,
  };
}

function normalizeWeights(weights: RetentionWeights): RetentionWeights {
  const total = sumWeights(weights);
  return Object.fromEntries(retentionSignals.map(it => [it, weights[it] / total])) as Record<RetentionSignal, number>;
}

function sumWeights(weights: RetentionWeights): number {
  return retentionSignals.reduce((total, it) => total + weights[it], 0);
}

function quote(text: string): string {
  return `"${text.slice(0, 40)}"`;
}
