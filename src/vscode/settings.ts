import path from 'node:path';
import {
  callLimits,
  decayProfiles,
  defaultConfig,
  embeddingChoices,
  modelProviders,
  type Config,
} from '../engine/model/config.js';
import { gates, type Gate, type Tier } from '../engine/model/memory.js';
import { retentionPresets, retentionSignals, type RetentionWeights } from '../engine/model/retention.js';
import { projectTargets } from '../engine/model/publishing.js';
import { settingKeys, settingsSection, type SettingKey } from './contributions.js';

/** What the explorer groups by. */
export const groupings = ['gate', 'decayClass'] as const;
export type Grouping = (typeof groupings)[number];

/** How a value is read: it, or what it must be. */
type Check<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string };

/**
 * The engine's configuration from the user's settings. A value that is not valid counts as not set, and `warn` gets one
 * sentence that names the setting and what it must be (never the value: a log is no place for what people type).
 */
export function readConfig(read: (key: SettingKey) => unknown, warn: (message: string) => void): Config {
  const setting = <T>(key: SettingKey, fallback: T, check: (value: unknown) => Check<T>): T => {
    const value = read(key);
    if (value === undefined || value === null) return fallback;
    const checked = check(value);
    if (checked.ok) return checked.value;
    warn(`The setting ${settingsSection}.${key} must be ${checked.expected}; the default is used.`);
    return fallback;
  };
  const { recall, notes, traces, model, maintenance, publish } = defaultConfig;
  const choice = setting(settingKeys.embeddings, 'built-in', oneOf(embeddingChoices));
  return {
    ...defaultConfig,
    embeddings: choice === 'onnx' ? setting(settingKeys.embeddingModel, defaultModel, modelName) : choice,
    decayProfile: setting(settingKeys.decayProfile, defaultConfig.decayProfile, oneOf(decayProfiles)),
    recall: {
      ...recall,
      limit: setting(settingKeys.recallLimit, recall.limit, whole(1, callLimits.limit)),
      tokenBudget: setting(settingKeys.recallTokenBudget, recall.tokenBudget, whole(1, callLimits.tokenBudget)),
      lambda: setting(settingKeys.recallLambda, recall.lambda, between(0, 1)),
      noteWeight: setting(settingKeys.recallNoteWeight, recall.noteWeight, between(0, maxWeight)),
      gateWeights: setting(settingKeys.recallGateWeights, recall.gateWeights, gateWeights),
    },
    notes: { ...notes, lifetimeDays: setting(settingKeys.notesLifetimeDays, notes.lifetimeDays, whole(1, 3650)) },
    traces: { ...traces, keep: setting(settingKeys.tracesKeep, traces.keep, whole(0, 100_000)) },
    maintenance: {
      ...maintenance,
      intervalDays: setting(settingKeys.maintenanceIntervalDays, maintenance.intervalDays, whole(1, 365)),
      preset: setting(settingKeys.maintenancePreset, maintenance.preset, oneOf(retentionPresets)),
      weights: setting(settingKeys.maintenanceWeights, maintenance.weights, retentionWeights),
      quotas: setting(settingKeys.maintenanceQuotas, maintenance.quotas, quotas),
      bytesPerRun:
        kilobyte *
        setting(settingKeys.maintenanceKilobytesPerRun, maintenance.bytesPerRun / kilobyte, whole(1, maxKilobytes)),
      pruneAfterDays: setting(settingKeys.maintenancePruneAfterDays, maintenance.pruneAfterDays, pruneDays),
    },
    publish: { targets: setting(settingKeys.publishTargets, publish.targets, someOf(projectTargets)) },
    model: {
      provider: setting(settingKeys.modelProvider, model.provider, oneOf(modelProviders)),
      name: setting(settingKeys.modelName, model.name, languageModelName),
      dailyTokens: setting(settingKeys.modelDailyTokens, model.dailyTokens, whole(1_000, 100_000_000)),
    },
  };
}

/** A weight multiplies a rank; beyond this it would silence everything else. */
const maxWeight = 5;

/** Of `recollect.embeddings: onnx` when nothing else is said. */
export const defaultModel = 'bge-small-en-v1.5';

/** A name is also that of a folder below the data folder, and must not lead out of it. */
function modelName(value: unknown): Check<string> {
  const valid = typeof value === 'string' && (path.isAbsolute(value) || /^\w[\w.-]*$/u.test(value));
  return valid
    ? { ok: true, value }
    : { ok: false, expected: 'the name of a downloaded model, or the absolute path of a folder' };
}

/** As providers name their models; empty is the provider's default. */
function languageModelName(value: unknown): Check<string> {
  const valid = typeof value === 'string' && value.length <= 100 && !/[\p{Cc}]/u.test(value);
  return valid ? { ok: true, value: value.trim() } : { ok: false, expected: "a model's name, or empty" };
}

/** Anything that is not a grouping is the default one. */
export function readGrouping(value: unknown): Grouping {
  return groupings.find(it => it === value) ?? 'gate';
}

function oneOf<T extends string>(values: readonly T[]) {
  return (value: unknown): Check<T> => {
    const found = values.find(it => it === value);
    return found === undefined ? { ok: false, expected: `one of ${values.join(', ')}` } : { ok: true, value: found };
  };
}

function someOf<T extends string>(values: readonly T[]) {
  return (value: unknown): Check<readonly T[]> => {
    const found = Array.isArray(value) ? values.filter(it => value.includes(it)) : [];
    const valid = Array.isArray(value) && value.length > 0 && value.every(it => values.some(known => known === it));
    return valid ? { ok: true, value: found } : { ok: false, expected: `a list of some of ${values.join(', ')}` };
  };
}

function whole(min: number, max: number) {
  return (value: unknown): Check<number> =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? { ok: true, value }
      : { ok: false, expected: `a whole number from ${min} to ${max}` };
}

function between(min: number, max: number) {
  return (value: unknown): Check<number> =>
    typeof value === 'number' && value >= min && value <= max
      ? { ok: true, value }
      : { ok: false, expected: `a number from ${min} to ${max}` };
}

const kilobyte = 1024;
/** A gigabyte: beyond it a quota is none. */
const maxKilobytes = 1_048_576;
/** What a person forgot by mistake must be there for a month. */
const leastPruneDays = 30;

function pruneDays(value: unknown): Check<number> {
  const valid = value === 0 || whole(leastPruneDays, 3650)(value).ok;
  const expected = `a whole number from ${leastPruneDays} to 3650, or 0 for never`;
  return valid ? { ok: true, value: value as number } : { ok: false, expected };
}

/** Signals that are left out keep the weight of the preset. */
function retentionWeights(value: unknown): Check<Partial<RetentionWeights>> {
  const expected = `an object of weights from 0 to 1, not all of them 0, by signal (${retentionSignals.join(', ')})`;
  if (typeof value !== 'object' || Array.isArray(value)) return { ok: false, expected };
  const entries = Object.entries(value!);
  const valid = entries.every(([signal, weight]) => oneOf(retentionSignals)(signal).ok && between(0, 1)(weight).ok);
  const areNone = entries.length === retentionSignals.length && entries.every(([, weight]) => weight === 0);
  return valid && !areNone ? { ok: true, value: value as Partial<RetentionWeights> } : { ok: false, expected };
}

/** In kilobytes, as a person says them; tiers that are left out keep their quota. */
function quotas(value: unknown): Check<Readonly<Record<Tier, number>>> {
  const defaults = defaultConfig.maintenance.quotas;
  const tiers = Object.keys(defaults);
  const expected = `an object of kilobytes from 1 to ${maxKilobytes} by tier (${tiers.join(', ')})`;
  if (typeof value !== 'object' || Array.isArray(value)) return { ok: false, expected };
  const entries = Object.entries(value!);
  const valid = entries.every(([tier, size]) => oneOf(tiers)(tier).ok && whole(1, maxKilobytes)(size).ok);
  if (!valid) return { ok: false, expected };
  const given = Object.fromEntries(entries.map(([tier, size]) => [tier, (size as number) * kilobyte]));
  return { ok: true, value: { ...defaults, ...(given as Partial<Record<Tier, number>>) } };
}

/** Gates that are left out keep their weight. */
function gateWeights(value: unknown): Check<Readonly<Record<Gate, number>>> {
  const expected = `an object of weights from 0 to ${maxWeight} by gate (${gates.join(', ')})`;
  if (typeof value !== 'object' || Array.isArray(value)) return { ok: false, expected };
  const entries = Object.entries(value!);
  const valid = entries.every(([gate, weight]) => oneOf(gates)(gate).ok && between(0, maxWeight)(weight).ok);
  if (!valid) return { ok: false, expected };
  const given = Object.fromEntries(entries) as Partial<Record<Gate, number>>;
  return { ok: true, value: { ...defaultConfig.recall.gateWeights, ...given } };
}
