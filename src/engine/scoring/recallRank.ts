import type { Config } from '../model/config.js';
import type { Memory } from '../model/memory.js';
import type { RankFactors } from '../model/trace.js';
import { dayMs } from './decay.js';

/**
 * Weights of the query-independent part of the rank, summing to 1 (cortex, with activation instead of
 * usage).
 */
export const priorWeights = { effective: 0.5, strength: 0.15, priority: 0.2, centrality: 0.15 } as const;

/** Days until the recency boost is 0 (cmk). */
const recencyBoostDays = 30;

export interface RecallRankInput {
  /** Features by name, for the trace. */
  readonly features: Readonly<Record<string, number>>;
  /** Weighted sum of the features. */
  readonly score: number;
  /** 0-1, derived from the score. */
  readonly relevance: number;
  /** 0-100. */
  readonly effectiveConfidence: number;
  /** ≥ 0, unbounded. */
  readonly activation: number;
  /** 0-1. */
  readonly centrality: number;
  /** 0-1 (codeWeight.ts). */
  readonly codeWeight?: number;
  readonly now: Date;
}

/**
 * Rank of a memory: `gateWeight × laneWeight × codeWeight × (λ × relevance + (1−λ) × prior) + freshness` (memory model,
 * "Ranks"), with every factor for the trace. Freshness counts from the later of createdAt and reinforcedAt.
 */
export function recallRank(
  memory: Pick<Memory, 'gate' | 'lane' | 'priority' | 'createdAt' | 'reinforcedAt'>,
  input: RecallRankInput,
  config: Config['recall'],
): RankFactors {
  const { features, score, relevance, centrality, codeWeight = 1 } = input;
  const { lambda } = config;
  const gateWeight = config.gateWeights[memory.gate];
  const laneWeight = memory.lane === 'note' ? config.noteWeight : 1;
  const effective = input.effectiveConfidence / 100;
  const strength = input.activation / (1 + input.activation);
  const priority = memory.priority / 10;
  const freshness = config.freshness * recencyBoost(memory, input.now);
  const prior =
    priorWeights.effective * effective +
    priorWeights.strength * strength +
    priorWeights.priority * priority +
    priorWeights.centrality * centrality;
  const rank = gateWeight * laneWeight * codeWeight * (lambda * relevance + (1 - lambda) * prior) + freshness;
  return {
    gateWeight,
    laneWeight,
    ...(codeWeight === 1 ? {} : { codeWeight }),
    lambda,
    features,
    score,
    relevance,
    effective,
    strength,
    priority,
    centrality,
    standing: prior,
    freshness,
    rank,
  };
}

/** 1 for a memory written or reinforced now, falling linearly to 0. */
function recencyBoost(memory: Pick<Memory, 'createdAt' | 'reinforcedAt'>, now: Date): number {
  const since = Math.max(Date.parse(memory.createdAt), Date.parse(memory.reinforcedAt));
  const days = Math.max(0, (now.getTime() - since) / dayMs);
  return Math.max(0, 1 - days / recencyBoostDays);
}
