import type { StoreScope, StoreKind } from './memory.js';
import type { RelevanceFeatures } from './relevance.js';
import type { RequestedBy, MemoryFilter } from './query.js';

/** What the search measures of each candidate (store/index/search.ts), in the order of its vectors of features. */
export const featureNames = [
  'words',
  'meaning',
  'wordMeaning',
  'speaker',
  'neighbours',
  'session',
  'answers',
  'feedback',
  'date',
  'instruction',
  'preference',
  'when',
  'howMuch',
  'name',
  'asks',
  'long',
] as const;
export type FeatureName = (typeof featureNames)[number];

/** Every factor of one candidate's rank; `rank` follows from the others (scoring/recallRank.ts) and a test adds it up. */
export interface RankFactors {
  readonly gateWeight: number;
  readonly laneWeight: number;
  /** λ, 0-1. */
  readonly lambda: number;
  /** What the search measured of it that is not 0, by name; traces from other versions have other names. */
  readonly features: Readonly<Record<string, number>>;
  /** Weighted sum of the features; unbounded. */
  readonly score: number;
  /** 0-1: the score relative to the best of the call. */
  readonly relevance: number;
  /** Effective confidence / 100, 0-1. */
  readonly effective: number;
  /** Strength squashed to 0-1. */
  readonly strength: number;
  /** Priority / 10, 0-1. */
  readonly priority: number;
  readonly centrality: number;
  /** 0-1, from the four above. */
  readonly standing: number;
  /** 0-0.10. */
  readonly freshness: number;
  readonly rank: number;
}

/** Why a candidate is or is not in the answer. */
export type CandidateOutcome = 'returned' | 'not relevant' | 'over limit' | 'over budget';

export interface TraceCandidate {
  readonly id: string;
  readonly store: StoreKind;
  /** Of one that the search did not find, every feature, the score and the relevance are 0. */
  readonly factors: RankFactors;
  readonly outcome: CandidateOutcome;
  /** That it answers, 0-1, and what that was computed from; absent in traces of earlier versions. */
  readonly relevance?: RelevanceFeatures & { readonly probability: number };
  /** Where it stands for the sake of another candidate and not by its own rank. */
  readonly because?: { readonly contradicts: string; readonly reason: string };
}

export interface TraceStage {
  readonly name: string;
  /** Wall time in milliseconds. */
  readonly ms: number;
  /** How many items the stage left. */
  readonly count: number;
}

/** What was made of a time that the query names. */
export interface TraceTime {
  /** The words that name it, an exact date as 2025-05-07. */
  readonly phrase: string;
  /** ISO-8601 UTC; `until` is exclusive. */
  readonly since?: string;
  readonly until?: string;
  /**
   * `narrowed`: only what was made then, for the query asks what was told then. `preferred`: what was made then ranks
   * higher. `dropped`: nothing was made then, so all was searched.
   */
  readonly use: 'narrowed' | 'preferred' | 'dropped';
}

/** What a caller asked for beside the query; absent where the defaults held. */
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
  /** Absent in traces from before it was kept. */
  readonly asker?: RequestedBy;
  /** Secrets in the query are redacted before this is made. */
  readonly query: string;
  readonly scope: StoreScope;
  readonly scopeId?: string;
  /** Absent in traces from before it was kept. */
  readonly request?: TraceRequest;
  readonly time?: TraceTime;
  readonly cache: 'hit' | 'miss';
  /** What the call had to do without, for example "no embedder: lexical only". */
  readonly degraded: readonly string[];
  readonly stages: readonly TraceStage[];
  /** In the order of the answer, then those that are not in it, best first. */
  readonly candidates: readonly TraceCandidate[];
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

/** Which traces, newest first. */
export interface TraceFilter {
  /** Only those whose query contains this, in any case. */
  readonly text?: string;
  /** Only those that returned this memory. */
  readonly memory?: string;
  /** Only those older than the trace with this id. */
  readonly before?: string;
  readonly limit: number;
}

/** In the order in which a bar stacks them. */
export const rankPartNames = ['relevance', 'effective', 'strength', 'priority', 'centrality', 'freshness'] as const;
export type RankPartName = (typeof rankPartNames)[number];

/** One term of a rank; the terms of a candidate add up to its rank. */
export interface RankPart {
  readonly name: RankPartName;
  readonly value: number;
}
