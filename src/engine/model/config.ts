import { hookMoments, type HookMoment } from './guards.js';
import type { Gate, Kind, Tier } from './memory.js';
import type { ProjectTarget } from './publishing.js';
import type { RetentionPreset, RetentionWeights } from './retention.js';

/** The kind of a gate's memories where the text shows none. */
export const kindsByGate: Readonly<Record<Gate, Kind>> = {
  correction: 'pitfall',
  behavioral: 'preference',
  epistemic: 'context',
  relational: 'context',
  promissory: 'progress',
};

/** Values of the setting `recollect.embeddings`; with `onnx`, `recollect.embeddingModel` names the model. */
export const embeddingChoices = ['built-in', 'static', 'onnx', 'endpoint', 'off'] as const;

/** Values of the setting `recollect.model.provider`. */
export const modelProviders = ['none', 'vscode', 'anthropic'] as const;
export type ModelProviderName = (typeof modelProviders)[number];

export const decayProfiles = ['classes', 'kinds', 'gentle'] as const;
export type DecayProfile = (typeof decayProfiles)[number];

/** How memories fade: by what, and how fast. */
export interface DecayRules {
  readonly profile: DecayProfile;
  /** Half-lives in days under the profile `kinds`; 0 = no decay. A kind that is missing decays by its class. */
  readonly kindHalfLives: Readonly<Partial<Record<Kind, number>>>;
}

/** Every tunable of the engine. Constants of formulas in the memory model are defined next to their formula. */
export interface Config {
  /**
   * `built-in`, `static`, `off`, `endpoint`, the name of a downloaded model, or the absolute path of a model folder. Read when the engine
   * opens.
   */
  readonly embeddings: string;
  /** For `embeddings: endpoint`. Address, model and dimensions are read when the engine opens. */
  readonly embeddingEndpoint: {
    /** Of a server with OpenAI's embeddings API; empty = none. */
    readonly address: string;
    /** The server's name for the model. */
    readonly model: string;
    /** Numbers per vector to ask for; 0 = as many as the model gives. */
    readonly dimensions: number;
    /** Tokens per day (UTC), for all processes on this data folder together. */
    readonly dailyTokens: number;
  };
  readonly decay: DecayRules;
  readonly recall: {
    /** Default number of returned memories. */
    readonly limit: number;
    /** Default number of tokens of the context. */
    readonly tokenBudget: number;
    /** Candidates per store by words, and as many by meaning, or more if the limit is higher. */
    readonly candidates: number;
    /** Minimum cosine of an answer that shares no word with the question, unless the model defines one. */
    readonly minSemanticScore: number;
    /** The absolute path of a cross-encoder's folder; empty = none. Read when the engine opens. */
    readonly rerankModel: string;
    /** Milliseconds after which an answer does without the cross-encoder. */
    readonly rerankMs: number;
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
    /** Traces kept per store; the oldest are deleted. */
    readonly keep: number;
    /** Candidates kept per trace, besides all returned ones, so that a trace stays a few kilobytes. */
    readonly candidates: number;
  };
  readonly backups: { readonly keep: number };
  /** Checkpoints kept per store and origin (person, engine); the oldest are deleted. */
  readonly checkpoints: { readonly keep: number };
  /** Moments at which the hooks of assistants may say something. */
  readonly hooks: { readonly moments: readonly HookMoment[] };
  /** Default files to publish into. */
  readonly publish: { readonly targets: readonly ProjectTarget[] };
  readonly model: {
    /** Provider of the language model; with `none`, rules do the work. */
    readonly provider: ModelProviderName;
    /** The provider's name for the model; empty = the provider's default. */
    readonly name: string;
    /** Input and output tokens per day (UTC), for all processes on this data folder together. */
    readonly dailyTokens: number;
  };
  readonly maintenance: {
    readonly preset: RetentionPreset;
    /** Custom weights, each 0-1; others are those of the preset. */
    readonly weights: Partial<RetentionWeights>;
    /** Maximum bytes of active memories (content, tags, vector) per tier of a store. */
    readonly quotas: Readonly<Record<Tier, number>>;
    /** Maximum bytes that quotas archive per run, and in all runs of a day together. */
    readonly bytesPerRun: number;
    /** Days after which untouched archived memories are deleted; 0 = never. */
    readonly pruneAfterDays: number;
    /** Days between scheduled runs. */
    readonly intervalDays: number;
    /** Runs kept for review, per store. */
    readonly keepRuns: number;
    /** Decisions kept per run and action. */
    readonly keepDecisions: number;
  };
}

const kilobyte = 1024;

export const defaultConfig: Config = {
  embeddings: 'built-in',
  // 20,000 memories; four US cents with the usual services.
  embeddingEndpoint: { address: '', model: '', dimensions: 0, dailyTokens: 2_000_000 },
  decay: {
    profile: 'classes',
    // From cortex.
    kindHalfLives: {
      pattern: 60,
      gotcha: 45,
      progress: 7,
      context: 30,
      architecture: 0,
      decision: 0,
      'code-description': 0,
    },
  },
  recall: {
    // Above 90 of 100 unrelated texts (media/models/built-in/model.json, unrelated query-passage, p90); p99 left out two in
    // five of the answers to questions in other words. The ranker does the rest.
    minSemanticScore: 0.1,
    limit: 8,
    tokenBudget: 2000,
    candidates: 32,
    rerankModel: '',
    rerankMs: 60,
  },
  remember: { maxCharacters: 8000, maxFacts: 50, maxTags: 20, maxTagCharacters: 64 },
  notes: { lifetimeDays: 60 },
  traces: { keep: 500, candidates: 40 },
  backups: { keep: 3 },
  checkpoints: { keep: 10 },
  hooks: { moments: hookMoments },
  publish: { targets: ['claude'] },
  // About eight calls of the largest size; less than ten US cents with the default model.
  model: { provider: 'none', name: '', dailyTokens: 200_000 },
  maintenance: {
    preset: 'balanced',
    weights: {},
    quotas: {
      imported: 2048 * kilobyte,
      shared: 2048 * kilobyte,
      'short-term': 512 * kilobyte,
      'long-term': 2048 * kilobyte,
      permanent: 10_240 * kilobyte,
    },
    // A quarter of the long-term quota: a run never archives more than a thousand memories, even after a large import.
    bytesPerRun: 512 * kilobyte,
    pruneAfterDays: 30,
    intervalDays: 7,
    keepRuns: 50,
    keepDecisions: 200,
  },
};

/** How many numbers the vectors of a model may have. */
export const vectorDimensions = { min: 8, max: 4_096 } as const;

/** Hard limits of a single call. */
export const requestLimits = {
  maxHits: 100,
  maxAlternatives: 4,
  maxKeywords: 12,
  maxTokenBudget: 32_000,
  maxQueryLength: 2_000,
  maxPageSize: 1_000,
} as const;
