import type { StoreScope, StoreKind } from './memory.js';
import type { RequestedBy, MemoryFilter } from './query.js';

/** Every factor of a candidate's rank. Traces of earlier versions have other names. */
export interface RankFactors {
  /** 0-1; present for code that only supports the product, such as tests. */
  readonly codeWeight?: number;
  /** Nonzero features by name (scoring/rankingModel.ts); empty for a memory that no search found. */
  readonly features: Readonly<Record<string, number>>;
  /** Contribution of each feature to the score, by name; absent in traces of earlier versions. */
  readonly shares?: Readonly<Record<string, number>>;
  /** Log-odds that it answers: the shares and a constant. */
  readonly score: number;
  /** Probability that it answers, 0-1. */
  readonly relevance: number;
  /** The probability times the code weight. */
  readonly rank: number;
}

/** Why a candidate is or is not in the answer. */
export type CandidateOutcome =
  'returned' | 'given before' | 'same code' | 'not relevant' | 'over limit' | 'over budget';

export interface TraceCandidate {
  readonly id: string;
  readonly store: StoreKind;
  readonly factors: RankFactors;
  readonly outcome: CandidateOutcome;
  /** How it was judged; absent or without a situation in traces of earlier versions. */
  readonly relevance?: {
    /** Probability that it answers, 0-1. */
    readonly probability: number;
    /** Probability below which it is cut. */
    readonly threshold?: number;
    /** Inputs of the rank: the memory's search aids, the caller's words. */
    readonly situation?: 'alone' | 'searched' | 'expanded' | 'assisted';
    /** Whether words alone decided, because it has no vector. */
    readonly byWords?: boolean;
  };
  /** A cross-encoder's score, greater for a better answer, where one decided the order; the scale is the model's. */
  readonly pairScore?: number;
  /** Present if it was placed because it contradicts another candidate, not by its rank. */
  readonly because?: { readonly contradicts: string; readonly reason: string };
}

export interface TraceStage {
  readonly name: string;
  /** Wall time in milliseconds. */
  readonly ms: number;
  /** Items left after the stage. */
  readonly count: number;
}

/** How a time in the query was used. */
export interface TraceTime {
  /** The words that name it; an exact date as 2025-05-07. */
  readonly phrase: string;
  /** ISO-8601 UTC; `until` is exclusive. */
  readonly since?: string;
  readonly until?: string;
  /**
   * `narrowed`: only memories of that time, because the query asks what was remembered then. `preferred`: memories of
   * that time rank higher. `dropped`: there were none, so all were searched.
   */
  readonly use: 'narrowed' | 'preferred' | 'dropped';
}

/** Options of the call besides the query; absent for defaults. */
export interface TraceRequest extends MemoryFilter {
  readonly alternatives?: readonly string[];
  readonly keywords?: readonly string[];
  readonly limit?: number;
  readonly tokenBudget?: number;
}

/** The record of one recall. */
export interface Trace {
  readonly id: string;
  readonly at: string;
  readonly client: string;
  /** Absent in traces of earlier versions. */
  readonly asker?: RequestedBy;
  /** Secrets are redacted before the trace is made. */
  readonly query: string;
  readonly scope: StoreScope;
  readonly scopeId?: string;
  /** Absent in traces of earlier versions. */
  readonly request?: TraceRequest;
  readonly time?: TraceTime;
  readonly cache: 'hit' | 'miss';
  /** Degradations of the call, for example "no embedder: lexical only". */
  readonly degraded: readonly string[];
  /** How candidates were found where not every memory was compared by meaning; absent where each was. */
  readonly remarks?: readonly string[];
  readonly stages: readonly TraceStage[];
  /** Returned candidates in the order of the answer, then the others, best first. */
  readonly candidates: readonly TraceCandidate[];
  /** Probabilities below which nothing, or a single memory, is returned: those of the best candidate's situation. */
  readonly cut?: { readonly minBestProbability: number; readonly minProbability: number };
  /** Candidates found, before the trace was capped. */
  readonly candidateCount: number;
  readonly tokens: number;
}

/** A trace without its candidates, for lists. */
export interface TraceSummary extends Pick<Trace, 'id' | 'at' | 'client' | 'asker' | 'query' | 'cache'> {
  /** Memories in the answer. */
  readonly hits: number;
  readonly candidateCount: number;
  /** Wall time of the call in milliseconds. */
  readonly ms: number;
  readonly degraded: boolean;
}

/** Selects traces, newest first. */
export interface TraceFilter {
  /** Only traces whose query contains this, ignoring case. */
  readonly text?: string;
  /** Only traces that returned this memory. */
  readonly memory?: string;
  /** Only traces older than the one with this id. */
  readonly before?: string;
  readonly limit: number;
}

/** In the order in which a stacked bar shows them. */
export const rankPartNames = ['words', 'meaning', 'aids', 'age'] as const;
export type RankPartName = (typeof rankPartNames)[number];

/** One part of a rank; the parts of a candidate add up to its rank. */
export interface RankPart {
  readonly name: RankPartName;
  readonly value: number;
}
