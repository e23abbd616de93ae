import {
  requestLimits,
  decayProfiles,
  defaultConfig,
  embeddingChoices,
  modelProviders,
  vectorDimensions,
  type Config,
  type DecayRules,
} from './config.js';
import { hookMoments, type HookMoment } from './guards.js';
import { kinds, type Tier } from './memory.js';
import { retentionPresets, retentionSignals, type RetentionWeights } from './retention.js';
import { projectTargets } from './publishing.js';

/** The settings of the engine, by the same names in VS Code (after `recollect.`) and in the settings file. */
export const engineSettingKeys = {
  embeddings: 'embeddings',
  // Not `embeddings.model`: VS Code drops a setting whose name extends that of another one with a plain value.
  embeddingModel: 'embeddingModel',
  embeddingEndpointAddress: 'embeddingEndpoint.address',
  embeddingEndpointModel: 'embeddingEndpoint.model',
  embeddingEndpointDimensions: 'embeddingEndpoint.dimensions',
  embeddingEndpointDailyTokens: 'embeddingEndpoint.dailyTokens',
  decayProfile: 'decayProfile',
  kindHalfLives: 'kindHalfLives',
  rerankModel: 'rerankModel',
  recallLimit: 'recall.limit',
  recallTokenBudget: 'recall.tokenBudget',
  notesLifetimeDays: 'notes.lifetimeDays',
  tracesKeep: 'traces.keep',
  maintenanceIntervalDays: 'maintenance.intervalDays',
  maintenancePreset: 'maintenance.preset',
  maintenanceWeights: 'maintenance.weights',
  maintenanceQuotas: 'maintenance.quotas',
  maintenanceKilobytesPerRun: 'maintenance.kilobytesPerRun',
  maintenancePruneAfterDays: 'maintenance.pruneAfterDays',
  publishTargets: 'publish.targets',
  // Of the settings file alone: a hook reads no settings of VS Code.
  hookMoments: 'hooks.moments',
  modelProvider: 'model.provider',
  modelName: 'model.name',
  modelDailyTokens: 'model.dailyTokens',
} as const;
export type EngineSettingKey = (typeof engineSettingKeys)[keyof typeof engineSettingKeys];

/** The model of `recollect.embeddings: onnx` where `recollect.embeddingModel` is not set. */
export const defaultEmbeddingModel = 'bge-small-en-v1.5';

/** The defaults of the settings, in the units of the settings. */
export const defaultSettings: Readonly<Record<EngineSettingKey, unknown>> = {
  embeddings: defaultConfig.embeddings,
  embeddingModel: defaultEmbeddingModel,
  'embeddingEndpoint.address': defaultConfig.embeddingEndpoint.address,
  'embeddingEndpoint.model': defaultConfig.embeddingEndpoint.model,
  'embeddingEndpoint.dimensions': defaultConfig.embeddingEndpoint.dimensions,
  'embeddingEndpoint.dailyTokens': defaultConfig.embeddingEndpoint.dailyTokens,
  decayProfile: defaultConfig.decay.profile,
  kindHalfLives: defaultConfig.decay.kindHalfLives,
  rerankModel: defaultConfig.recall.rerankModel,
  'recall.limit': defaultConfig.recall.limit,
  'recall.tokenBudget': defaultConfig.recall.tokenBudget,
  'notes.lifetimeDays': defaultConfig.notes.lifetimeDays,
  'traces.keep': defaultConfig.traces.keep,
  'maintenance.intervalDays': defaultConfig.maintenance.intervalDays,
  'maintenance.preset': defaultConfig.maintenance.preset,
  'maintenance.weights': defaultConfig.maintenance.weights,
  'maintenance.quotas': Object.fromEntries(
    Object.entries(defaultConfig.maintenance.quotas).map(([tier, bytes]) => [tier, bytes / 1024]),
  ),
  'maintenance.kilobytesPerRun': defaultConfig.maintenance.bytesPerRun / 1024,
  'maintenance.pruneAfterDays': defaultConfig.maintenance.pruneAfterDays,
  'publish.targets': defaultConfig.publish.targets,
  'hooks.moments': defaultConfig.hooks.moments,
  'model.provider': defaultConfig.model.provider,
  'model.name': defaultConfig.model.name,
  'model.dailyTokens': defaultConfig.model.dailyTokens,
};

/** A valid value, or a description of what the value must be. */
type ValidationResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string };

/** Reads one setting; an invalid value counts as not set, and is warned of. */
type ReadSetting = <T>(key: EngineSettingKey, fallback: T, check: (value: unknown) => ValidationResult<T>) => T;

/**
 * The engine's configuration from the user's settings. An invalid value counts as not set, and `warn` gets one sentence
 * that names the setting and what it must be. The sentence never contains the value, because it goes to the log.
 */
export function readConfig(read: (key: EngineSettingKey) => unknown, warn: (message: string) => void): Config {
  const setting: ReadSetting = (key, fallback, check) => {
    const value = read(key);
    if (value === undefined || value === null) return fallback;
    const result = check(value);
    if (result.ok) return result.value;
    warn(`The setting recollect.${key} must be ${result.expected}; the default is used.`);
    return fallback;
  };
  const { decay, recall, notes, traces, model, publish, hooks } = defaultConfig;
  const embeddingChoice = setting(engineSettingKeys.embeddings, 'built-in', enumValidator(embeddingChoices));
  return {
    ...defaultConfig,
    embeddings:
      embeddingChoice === 'onnx'
        ? setting(engineSettingKeys.embeddingModel, defaultEmbeddingModel, validateEmbeddingModelName)
        : embeddingChoice,
    embeddingEndpoint: readEmbeddingEndpoint(setting),
    decay: {
      profile: setting(engineSettingKeys.decayProfile, decay.profile, enumValidator(decayProfiles)),
      kindHalfLives: setting(engineSettingKeys.kindHalfLives, decay.kindHalfLives, validateKindHalfLives),
    },
    recall: {
      ...recall,
      limit: setting(engineSettingKeys.recallLimit, recall.limit, integerValidator(1, requestLimits.maxHits)),
      tokenBudget: setting(
        engineSettingKeys.recallTokenBudget,
        recall.tokenBudget,
        integerValidator(1, requestLimits.maxTokenBudget),
      ),
      rerankModel: setting(engineSettingKeys.rerankModel, recall.rerankModel, validateFolder),
    },
    notes: {
      ...notes,
      lifetimeDays: setting(engineSettingKeys.notesLifetimeDays, notes.lifetimeDays, integerValidator(1, 3650)),
    },
    traces: { ...traces, keep: setting(engineSettingKeys.tracesKeep, traces.keep, integerValidator(0, 100_000)) },
    maintenance: readMaintenance(setting),
    hooks: { moments: setting(engineSettingKeys.hookMoments, hooks.moments, validateMoments) },
    publish: { targets: setting(engineSettingKeys.publishTargets, publish.targets, subsetValidator(projectTargets)) },
    model: {
      provider: setting(engineSettingKeys.modelProvider, model.provider, enumValidator(modelProviders)),
      name: setting(engineSettingKeys.modelName, model.name, validateRemoteModelName),
      dailyTokens: setting(engineSettingKeys.modelDailyTokens, model.dailyTokens, integerValidator(1_000, 100_000_000)),
    },
  };
}

function readEmbeddingEndpoint(setting: ReadSetting): Config['embeddingEndpoint'] {
  const { embeddingEndpoint } = defaultConfig;
  return {
    address: setting(engineSettingKeys.embeddingEndpointAddress, embeddingEndpoint.address, validateEndpointAddress),
    model: setting(engineSettingKeys.embeddingEndpointModel, embeddingEndpoint.model, validateRemoteModelName),
    dimensions: setting(
      engineSettingKeys.embeddingEndpointDimensions,
      embeddingEndpoint.dimensions,
      validateDimensions,
    ),
    dailyTokens: setting(
      engineSettingKeys.embeddingEndpointDailyTokens,
      embeddingEndpoint.dailyTokens,
      integerValidator(1_000, 1_000_000_000),
    ),
  };
}

function readMaintenance(setting: ReadSetting): Config['maintenance'] {
  const { maintenance } = defaultConfig;
  return {
    ...maintenance,
    intervalDays: setting(
      engineSettingKeys.maintenanceIntervalDays,
      maintenance.intervalDays,
      integerValidator(0, 365),
    ),
    preset: setting(engineSettingKeys.maintenancePreset, maintenance.preset, enumValidator(retentionPresets)),
    weights: setting(engineSettingKeys.maintenanceWeights, maintenance.weights, validateRetentionWeights),
    quotas: setting(engineSettingKeys.maintenanceQuotas, maintenance.quotas, validateQuotas),
    bytesPerRun:
      bytesPerKilobyte *
      setting(
        engineSettingKeys.maintenanceKilobytesPerRun,
        maintenance.bytesPerRun / bytesPerKilobyte,
        integerValidator(1, maxKilobytes),
      ),
    pruneAfterDays: setting(
      engineSettingKeys.maintenancePruneAfterDays,
      maintenance.pruneAfterDays,
      validatePruneAfterDays,
    ),
  };
}

/** Of any system: the file may come from another one. */
const absolutePathPattern = /^(?:[\\/]|[A-Za-z]:[\\/])/u;

/** A name is also that of a folder below the data folder, so it must not contain a path that leads out of it. */
function validateEmbeddingModelName(value: unknown): ValidationResult<string> {
  const valid = typeof value === 'string' && (absolutePathPattern.test(value) || /^\w[\w.-]*$/u.test(value));
  return valid
    ? { ok: true, value }
    : { ok: false, expected: 'the name of a downloaded model, or the absolute path of a folder' };
}

function validateFolder(value: unknown): ValidationResult<string> {
  const valid = typeof value === 'string' && (value === '' || absolutePathPattern.test(value));
  return valid ? { ok: true, value } : { ok: false, expected: 'the absolute path of a folder, or empty' };
}

/** A provider's name of a model; empty = its default model. */
function validateRemoteModelName(value: unknown): ValidationResult<string> {
  const valid = typeof value === 'string' && value.length <= 100 && !/[\p{Cc}]/u.test(value);
  return valid ? { ok: true, value: value.trim() } : { ok: false, expected: "a model's name, or empty" };
}

/** The engine parses the address when it opens; here it is only kept from holding a key. */
function validateEndpointAddress(value: unknown): ValidationResult<string> {
  const valid = typeof value === 'string' && /^$|^https?:\/\/[^\s@?#]+$/u.test(value) && value.length <= 500;
  return valid
    ? { ok: true, value }
    : {
        ok: false,
        expected: 'an address that begins with http:// or https://, without a name, a key or a query in it',
      };
}

function validateDimensions(value: unknown): ValidationResult<number> {
  const valid = value === 0 || integerValidator(vectorDimensions.min, vectorDimensions.max)(value).ok;
  const expected = `a whole number from ${vectorDimensions.min} to ${vectorDimensions.max}, or 0 for as many as the model gives`;
  return valid ? { ok: true, value: value as number } : { ok: false, expected };
}

function enumValidator<T extends string>(values: readonly T[]) {
  return (value: unknown): ValidationResult<T> => {
    const match = values.find(it => it === value);
    return match === undefined ? { ok: false, expected: `one of ${values.join(', ')}` } : { ok: true, value: match };
  };
}

function subsetValidator<T extends string>(values: readonly T[]) {
  return (value: unknown): ValidationResult<readonly T[]> => {
    const selected = Array.isArray(value) ? values.filter(it => value.includes(it)) : [];
    const valid = Array.isArray(value) && value.length > 0 && value.every(it => values.some(known => known === it));
    return valid ? { ok: true, value: selected } : { ok: false, expected: `a list of some of ${values.join(', ')}` };
  };
}

/** Empty: at no moment. */
function validateMoments(value: unknown): ValidationResult<readonly HookMoment[]> {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty ? { ok: true, value: [] } : subsetValidator(hookMoments)(value);
}

function integerValidator(min: number, max: number) {
  return (value: unknown): ValidationResult<number> =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? { ok: true, value }
      : { ok: false, expected: `a whole number from ${min} to ${max}` };
}

function numberValidator(min: number, max: number) {
  return (value: unknown): ValidationResult<number> =>
    typeof value === 'number' && value >= min && value <= max
      ? { ok: true, value }
      : { ok: false, expected: `a number from ${min} to ${max}` };
}

const bytesPerKilobyte = 1024;
/** One gibibyte: a greater quota would limit nothing. */
const maxKilobytes = 1_048_576;
/** The half-life of an ephemeral memory is half a day. */
const minHalfLifeDays = 0.5;
/** Memories that were forgotten by mistake can be restored for a month. */
const minPruneAfterDays = 30;

function validatePruneAfterDays(value: unknown): ValidationResult<number> {
  const valid = value === 0 || integerValidator(minPruneAfterDays, 3650)(value).ok;
  const expected = `a whole number from ${minPruneAfterDays} to 3650, or 0 for never`;
  return valid ? { ok: true, value: value as number } : { ok: false, expected };
}

/** Missing signals keep the weight of the preset. */
function validateRetentionWeights(value: unknown): ValidationResult<Partial<RetentionWeights>> {
  const expected = `an object of weights from 0 to 1, not all of them 0, by signal (${retentionSignals.join(', ')})`;
  if (typeof value !== 'object' || Array.isArray(value)) return { ok: false, expected };
  const entries = Object.entries(value!);
  const valid = entries.every(
    ([signal, weight]) => enumValidator(retentionSignals)(signal).ok && numberValidator(0, 1)(weight).ok,
  );
  const areAllZero = entries.length === retentionSignals.length && entries.every(([, weight]) => weight === 0);
  return valid && !areAllZero ? { ok: true, value: value as Partial<RetentionWeights> } : { ok: false, expected };
}

/** Converts kilobytes to bytes. Missing tiers keep their quota. */
function validateQuotas(value: unknown): ValidationResult<Readonly<Record<Tier, number>>> {
  const defaults = defaultConfig.maintenance.quotas;
  const tiers = Object.keys(defaults);
  const expected = `an object of kilobytes from 1 to ${maxKilobytes} by tier (${tiers.join(', ')})`;
  if (typeof value !== 'object' || Array.isArray(value)) return { ok: false, expected };
  const entries = Object.entries(value!);
  const valid = entries.every(
    ([tier, size]) => enumValidator(tiers)(tier).ok && integerValidator(1, maxKilobytes)(size).ok,
  );
  if (!valid) return { ok: false, expected };
  const given = Object.fromEntries(entries.map(([tier, size]) => [tier, (size as number) * bytesPerKilobyte]));
  return { ok: true, value: { ...defaults, ...(given as Partial<Record<Tier, number>>) } };
}

/** Days; 0 = no decay. Missing kinds keep their half-life. */
function validateKindHalfLives(value: unknown): ValidationResult<DecayRules['kindHalfLives']> {
  const expected = `an object of days from ${minHalfLifeDays} to 3650, or 0 for never, by kind (${kinds.join(', ')})`;
  if (typeof value !== 'object' || Array.isArray(value)) return { ok: false, expected };
  const valid = Object.entries(value!).every(
    ([kind, days]) => enumValidator(kinds)(kind).ok && (days === 0 || numberValidator(minHalfLifeDays, 3650)(days).ok),
  );
  if (!valid) return { ok: false, expected };
  return { ok: true, value: { ...defaultConfig.decay.kindHalfLives, ...(value as DecayRules['kindHalfLives']) } };
}
