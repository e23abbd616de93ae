import assert from 'node:assert/strict';
import { defaultConfig, type Config } from '../../../src/engine/model/config.js';
import { kinds } from '../../../src/engine/model/memory.js';
import { readConfig } from '../../../src/engine/model/settings.js';

function check(settings: Readonly<Record<string, unknown>>, expected: Config, warnings: readonly string[] = []): void {
  const warned: string[] = [];
  const config = readConfig(
    key => settings[key],
    it => warned.push(it),
  );
  assert.deepEqual({ config, warned }, { config: expected, warned: warnings });
}

describe('settings', () => {
  it('are the defaults where nothing is set', () => {
    check({}, defaultConfig);
    check({ 'recall.limit': null }, defaultConfig);
  });

  it('replace the defaults they name', () => {
    check(
      {
        decayProfile: 'gentle',
        kindHalfLives: { insight: 90, progress: 0 },
        'recall.limit': 25,
        'notes.lifetimeDays': 7,
        'traces.keep': 0,
        'model.provider': 'anthropic',
        'model.name': ' claude-sonnet-5-5 ',
        'model.dailyTokens': 5000,
      },
      {
        ...defaultConfig,
        decay: { profile: 'gentle', kindHalfLives: { ...defaultConfig.decay.kindHalfLives, insight: 90, progress: 0 } },
        recall: {
          ...defaultConfig.recall,
          limit: 25,
        },
        model: { provider: 'anthropic', name: 'claude-sonnet-5-5', dailyTokens: 5000 },
        notes: { lifetimeDays: 7 },
        traces: { ...defaultConfig.traces, keep: 0 },
      },
    );
  });

  it('convert the kilobytes of maintenance to bytes', () => {
    check(
      {
        'maintenance.preset': 'archival',
        'maintenance.weights': { emotionalWeight: 1 },
        'maintenance.quotas': { 'long-term': 4 },
        'maintenance.kilobytesPerRun': 2,
        'maintenance.pruneAfterDays': 0,
        'maintenance.intervalDays': 1,
      },
      {
        ...defaultConfig,
        maintenance: {
          ...defaultConfig.maintenance,
          preset: 'archival',
          weights: { emotionalWeight: 1 },
          quotas: { ...defaultConfig.maintenance.quotas, 'long-term': 4096 },
          bytesPerRun: 2048,
          pruneAfterDays: 0,
          intervalDays: 1,
        },
      },
    );
  });

  const models: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ embeddings: 'off', embeddingModel: 'gte-small' }, 'off'],
    [{ embeddings: 'built-in', embeddingModel: 'gte-small' }, 'built-in'],
    [{ embeddingModel: 'gte-small' }, 'built-in'],
    [{ embeddings: 'onnx' }, 'bge-small-en-v1.5'],
    [{ embeddings: 'onnx', embeddingModel: 'gte-small' }, 'gte-small'],
    [{ embeddings: 'onnx', embeddingModel: '/models/mine' }, '/models/mine'],
  ];
  for (const [settings, embeddings] of models) {
    it(`choose the model ${embeddings} by ${JSON.stringify(settings)}`, () => {
      check(settings, { ...defaultConfig, embeddings });
    });
  }

  for (const embeddingModel of ['', '..', '../x', 'a/b', 7]) {
    it(`warn about the model ${JSON.stringify(embeddingModel)}`, () => {
      check({ embeddings: 'onnx', embeddingModel }, { ...defaultConfig, embeddings: 'bge-small-en-v1.5' }, [
        'The setting recollect.embeddingModel must be the name of a downloaded model, or the absolute path of a folder; the default is used.',
      ]);
    });
  }

  const invalid: readonly (readonly [string, unknown, string])[] = [
    ['embeddings', 'on', 'one of built-in, static, onnx, endpoint, off'],
    ['decayProfile', 'fast', 'one of classes, kinds, gentle'],
    ...[{ idea: 30 }, { insight: -1 }, { insight: 0.1 }, [30]].map((it): readonly [string, unknown, string] => [
      'kindHalfLives',
      it,
      `an object of days from 0.5 to 3650, or 0 for never, by kind (${kinds.join(', ')})`,
    ]),
    ['recall.limit', 0, 'a whole number from 1 to 100'],
    ['recall.limit', 2.5, 'a whole number from 1 to 100'],
    ['recall.tokenBudget', '2000', 'a whole number from 1 to 32000'],
    ['notes.lifetimeDays', -1, 'a whole number from 1 to 3650'],
    ['traces.keep', [], 'a whole number from 0 to 100000'],
    ['maintenance.preset', 'best', 'one of balanced, task-focused, feedback-driven, fresh-context, archival'],
    ['maintenance.intervalDays', -1, 'a whole number from 0 to 365'],
    ['maintenance.kilobytesPerRun', 0, 'a whole number from 1 to 1048576'],
    ['maintenance.pruneAfterDays', 7, 'a whole number from 30 to 3650, or 0 for never'],
    ...[{ joy: 1 }, { emotionalWeight: 2 }, [1]].map((it): readonly [string, unknown, string] => [
      'maintenance.weights',
      it,
      'an object of weights from 0 to 1, not all of them 0, by signal (relevanceToGoals, emotionalWeight, predictiveValue, recencyFrequency)',
    ]),
    ...[{ forever: 1 }, { permanent: 0 }, 512].map((it): readonly [string, unknown, string] => [
      'maintenance.quotas',
      it,
      'an object of kilobytes from 1 to 1048576 by tier (imported, shared, short-term, long-term, permanent)',
    ]),
    ['model.provider', 'openai', 'one of none, vscode, anthropic'],
    ['model.name', 'a\nb', "a model's name, or empty"],
    ['model.name', 5, "a model's name, or empty"],
    ['model.name', 'a'.repeat(101), "a model's name, or empty"],
    ['model.dailyTokens', 0, 'a whole number from 1000 to 100000000'],
  ];
  for (const [key, value, expected] of invalid) {
    it(`warn about ${key} = ${JSON.stringify(value)} and go on with the default`, () => {
      check({ [key]: value }, defaultConfig, [
        `The setting recollect.${key} must be ${expected}; the default is used.`,
      ]);
    });
  }

  it('ignore a value for a setting of an earlier version', () => {
    check({ 'recall.lambda': 0.5, 'recall.noteWeight': 2, 'recall.gateWeights': { correction: 5 } }, defaultConfig);
  });
});
