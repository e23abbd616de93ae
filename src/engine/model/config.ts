import type { Gate, Kind, Tier } from './memory.js';
import type { ProjectTarget } from './publishing.js';
import type { RetentionPreset, RetentionWeights } from './retention.js';

/** Defaults of a gate for its memories (cmk). */
export interface GateDefaults {
  readonly recallWeight: number;
  readonly kind: Kind;
}

export const gateDefaults: Readonly<Record<Gate, GateDefaults>> = {
  correction: { recallWeight: 1.25, kind: 'pitfall' },
  behavioral: { recallWeight: 1.1, kind: 'preference' },
  epistemic: { recallWeight: 1.0, kind: 'context' },
  relational: { recallWeight: 1.0, kind: 'context' },
  promissory: { recallWeight: 0.95, kind: 'progress' },
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
    /** λ: share of relevance in the rank, 0-1; the rest is the query-independent prior. */
    readonly lambda: number;
    /** Default number of returned memories. */
    readonly limit: number;
    /** Default number of tokens of the context. */
    readonly tokenBudget: number;
    /**
     * Ranked candidates per store, or more if the limit is higher; beyond a few hundred the order no longer changes.
     */
    readonly candidates: number;
    /** Added to the rank of a memory written now; falls to 0 over 30 days. */
    readonly freshness: number;
    /** Probabilities below which nothing, or a single memory, is returned, 0-1; by whether the caller gave more words. */
    readonly cut: Readonly<
      Record<'alone' | 'assisted', { readonly minBestProbability: number; readonly minProbability: number }>
    >;
    /** Temperature of the softmax: a score this far below the best has 1/e of its relevance. */
    readonly relevanceTemperature: number;
    /** Minimum cosine of an answer that shares no word with the question, unless the model defines one. */
    readonly minSemanticScore: number;
    /** Factor for the rank of notes. */
    readonly noteWeight: number;
    readonly gateWeights: Readonly<Record<Gate, number>>;
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
    // Measured on LoCoMo and BEAM (npm run bench -- locomo, beam): with 0.7 the prior outweighed relevance, and
    // recall@10 fell from 79.6 to 72.9 and from 66.8 to 54.3; 0.9 still cost one pair of BEAM's 40.
    lambda: 0.95,
    // cmk's 0.10 cost 3 points of recall@10 on LoCoMo and 4 on BEAM; this value only breaks ties.
    freshness: 0.005,
    // The smaller, the less a gate's weight counts against relevance: 3 cost two pairs of BEAM's 40, 1 cost two points
    // of LoCoMo's recall@10, because the prior then decides beyond the first few.
    relevanceTemperature: 2,
    // Above 90 of 100 unrelated texts (media/models/built-in/model.json, unrelated query-passage, p90); p99 left out two in
    // five of the answers to questions in other words. The rank and the cut do the rest.
    minSemanticScore: 0.1,
    cut: {
      // Finding goes before cutting here, for a question without an answer is as like the memories as one in other words: of
      // both, the best memory is the more probable one in the latter in 54 of 100 pairs. What leaves two of five questions
      // without an answer empty costs a quarter of what is found, 22 instead of 14 % precision a sixth.
      alone: { minBestProbability: 0.1, minProbability: 0.025 },
      assisted: { minBestProbability: 0.2, minProbability: 0.06 },
    },
    limit: 10,
    tokenBudget: 2000,
    // 40 and 60 gain nothing on LoCoMo, BEAM and CoSQA, 24 loses a tenth of a point; each candidate costs time to read.
    candidates: 30,
    noteWeight: 0.9,
    gateWeights: {
      correction: gateDefaults.correction.recallWeight,
      behavioral: gateDefaults.behavioral.recallWeight,
      epistemic: gateDefaults.epistemic.recallWeight,
      relational: gateDefaults.relational.recallWeight,
      promissory: gateDefaults.promissory.recallWeight,
    },
    rerankModel: '',
    rerankMs: 60,
  },
  remember: { maxCharacters: 8000, maxFacts: 50, maxTags: 20, maxTagCharacters: 64 },
  notes: { lifetimeDays: 60 },
  traces: { keep: 500, candidates: 40 },
  backups: { keep: 3 },
  checkpoints: { keep: 10 },
  publish: { targets: ['claude'] },
  // About eight calls of the largest size; less than ten US cents with the default model.
  model: { provider: 'none', name: '', dailyTokens: 200_000 },
  maintenance: {
    preset: 'balanced',
    weights: {},
    quotas: { 'short-term': 512 * kilobyte, 'long-term': 2048 * kilobyte, permanent: 10_240 * kilobyte },
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
