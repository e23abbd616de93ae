/** Signals of a retention score, each 0-1. */
export const retentionSignals = ['relevanceToGoals', 'emotionalWeight', 'predictiveValue', 'recencyFrequency'] as const;
export type RetentionSignal = (typeof retentionSignals)[number];

export type RetentionWeights = Readonly<Record<RetentionSignal, number>>;
export type RetentionSignals = Readonly<Record<RetentionSignal, number>>;

export const retentionPresets = ['balanced', 'task-focused', 'feedback-driven', 'fresh-context', 'archival'] as const;
export type RetentionPreset = (typeof retentionPresets)[number];

/** kimberly, "Preset Profiles". */
export const presetWeights: Readonly<Record<RetentionPreset, RetentionWeights>> = {
  balanced: toWeights(0.4, 0.3, 0.2, 0.1),
  'task-focused': toWeights(0.55, 0.15, 0.2, 0.1),
  'feedback-driven': toWeights(0.25, 0.5, 0.15, 0.1),
  'fresh-context': toWeights(0.3, 0.2, 0.15, 0.35),
  archival: toWeights(0.45, 0.25, 0.25, 0.05),
};

function toWeights(
  relevanceToGoals: number,
  emotionalWeight: number,
  predictiveValue: number,
  recencyFrequency: number,
): RetentionWeights {
  return { relevanceToGoals, emotionalWeight, predictiveValue, recencyFrequency };
}
