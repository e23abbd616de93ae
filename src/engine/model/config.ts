import type { DecayClass, Gate, Kind, StoreKind, Tier } from './memory.js';
import type { ProjectTarget } from './publishing.js';
import type { RetentionPreset, RetentionWeights } from './retention.js';

/** What a gate implies for the memories that pass it (cmk). */
export interface GateDefaults {
  readonly store: StoreKind;
  readonly decayClass: DecayClass;
  readonly recallWeight: number;
  readonly kind: Kind;
}

export const gateDefaults: Readonly<Record<Gate, GateDefaults>> = {
  correction: { store: 'global', decayClass: 'durable', recallWeight: 1.25, kind: 'pitfall' },
  behavioral: { store: 'global', decayClass: 'durable', recallWeight: 1.1, kind: 'preference' },
  epistemic: { store: 'project', decayClass: 'durable', recallWeight: 1.0, kind: 'context' },
  relational: { store: 'project', decayClass: 'durable', recallWeight: 1.0, kind: 'context' },
  promissory: { store: 'project', decayClass: 'session', recallWeight: 0.95, kind: 'progress' },
};

/** What the setting `recollect.embeddings` offers; with `onnx`, the setting `recollect.embeddingModel` names the model. */
export const embeddingChoices = ['built-in', 'onnx', 'off'] as const;

/** What the setting `recollect.model.provider` offers. */
export const modelProviders = ['none', 'vscode', 'anthropic'] as const;
export type ModelProviderName = (typeof modelProviders)[number];

export const decayProfiles = ['classes', 'kinds', 'gentle'] as const;
export type DecayProfile = (typeof decayProfiles)[number];

/** Every tunable of the engine. Numbers that are formulas of the memory model live with their formula instead. */
export interface Config {
  /** `built-in`, `off`, the name of a downloaded model, or the absolute path of a model's folder. Read at opening. */
  readonly embeddings: string;
  readonly decayProfile: DecayProfile;
  readonly recall: {
    /** λ: share of relevance against standing in the rank, 0-1. */
    readonly lambda: number;
    /** Memories returned when the caller does not say. */
    readonly limit: number;
    /** Tokens of packed context when the caller does not say. */
    readonly tokenBudget: number;
    /** Best matches per store that are ranked, unless more are asked for; beyond a few hundred the order no longer changes. */
    readonly candidates: number;
    /** Added to the rank of a memory written just now; falls to 0 over 30 days. */
    readonly freshness: number;
    /** Memories that answer with a lower probability are not returned, 0-1. */
    readonly minProbability: number;
    /** How far a score may lie below the best and still count for 1/e of its relevance; in units of the search's score. */
    readonly relevanceTemperature: number;
    /** Cosine from which on a memory that shares no word with the question is an answer, where the model does not say. */
    readonly minSemanticScore: number;
    /** Multiplies the rank of memories in the note lane. */
    readonly noteWeight: number;
    readonly gateWeights: Readonly<Record<Gate, number>>;
  };
  readonly remember: {
    /** A longer text is a document, not a memory. */
    readonly maxCharacters: number;
    readonly maxFacts: number;
    readonly maxTags: number;
    readonly maxTagCharacters: number;
  };
  readonly notes: { readonly lifetimeDays: number };
  readonly traces: {
    /** Traces kept per store; older ones go first. */
    readonly keep: number;
    /** Candidates kept per trace, so that a trace stays a few kilobytes; all that were returned are. */
    readonly candidates: number;
  };
  readonly backups: { readonly keep: number };
  /** Checkpoints kept per store, of those that people made and of those that the engine made; the oldest go first. */
  readonly checkpoints: { readonly keep: number };
  /** Files of a project that are published into when nobody names others. */
  readonly publish: { readonly targets: readonly ProjectTarget[] };
  readonly model: {
    /** Who is asked where a language model helps; with `none` nobody is, and rules do the work. */
    readonly provider: ModelProviderName;
    /** The provider's name for the model; empty = the provider's default. */
    readonly name: string;
    /** Tokens in and out that all programs on this data folder may use together in one day (UTC). */
    readonly dailyTokens: number;
  };
  readonly maintenance: {
    readonly preset: RetentionPreset;
    /** A person's own weights, each 0-1; one that is left out keeps that of the preset. */
    readonly weights: Partial<RetentionWeights>;
    /** Bytes of active memories (content, tags, vector) that each tier of a store may hold. */
    readonly quotas: Readonly<Record<Tier, number>>;
    /** Bytes that quotas archive at most in one run, and in all runs of a day together. */
    readonly bytesPerRun: number;
    /** Days after which what lies in the archive untouched is deleted; 0 = never. */
    readonly pruneAfterDays: number;
    /** Days from one run to the next that begins by itself. */
    readonly intervalDays: number;
    /** Runs kept for review, per store. */
    readonly keepRuns: number;
    /** Decisions kept of each run and action. */
    readonly keepDecisions: number;
  };
}

const kilobyte = 1024;

export const defaultConfig: Config = {
  embeddings: 'built-in',
  decayProfile: 'classes',
  recall: {
    // Measured on LoCoMo and BEAM (npm run bench -- locomo, beam): with 0.7, standing decided what relevance should, and
    // recall@10 fell from 79.6 to 72.9 and from 66.8 to 54.3; 0.9 still cost one pair of BEAM's 40.
    lambda: 0.95,
    // cmk's +10 points, 0.10, cost 3 points of recall@10 on LoCoMo and 4 on BEAM; this still decides between equals.
    freshness: 0.005,
    // The smaller, the less a gate's weight counts against relevance: 3 cost two pairs of BEAM's 40, 1 two points of
    // LoCoMo's recall@10, since standing then decides beyond the first few.
    relevanceTemperature: 2,
    // 99 of 100 unrelated texts stay below (media/models/built-in/model.json, unrelated query-passage, p99).
    minSemanticScore: 0.23,
    minProbability: 0.1,
    limit: 10,
    tokenBudget: 2000,
    // 40 and 60 give no more on LoCoMo, BEAM and CoSQA, 24 a tenth of a point less; and each takes its time to be read.
    candidates: 30,
    noteWeight: 0.9,
    gateWeights: {
      correction: gateDefaults.correction.recallWeight,
      behavioral: gateDefaults.behavioral.recallWeight,
      epistemic: gateDefaults.epistemic.recallWeight,
      relational: gateDefaults.relational.recallWeight,
      promissory: gateDefaults.promissory.recallWeight,
    },
  },
  remember: { maxCharacters: 8000, maxFacts: 50, maxTags: 20, maxTagCharacters: 64 },
  notes: { lifetimeDays: 60 },
  traces: { keep: 500, candidates: 40 },
  backups: { keep: 3 },
  checkpoints: { keep: 10 },
  publish: { targets: ['claude'] },
  // Some eight calls of the largest size. With the default model they cost less than ten US cents.
  model: { provider: 'none', name: '', dailyTokens: 200_000 },
  maintenance: {
    preset: 'balanced',
    weights: {},
    quotas: { 'short-term': 512 * kilobyte, 'long-term': 2048 * kilobyte, permanent: 10_240 * kilobyte },
    // A quarter of the long-term quota: one run never takes out more than a thousand memories, however many were imported.
    bytesPerRun: 512 * kilobyte,
    pruneAfterDays: 30,
    intervalDays: 7,
    keepRuns: 50,
    keepDecisions: 200,
  },
};

/** Hard ends of what a caller may ask for in one call. */
export const requestLimits = {
  maxHits: 100,
  maxAlternatives: 4,
  maxKeywords: 12,
  maxTokenBudget: 32_000,
  maxQueryLength: 2_000,
  maxPageSize: 1_000,
} as const;
