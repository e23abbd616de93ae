import type { Config } from '../model/config.js';
import type { Memory } from '../model/memory.js';
import type { RankFactors } from '../model/trace.js';
import { dayMs } from './decay.js';

/** The same shares as the publish rank, with strength in the place of use. They sum to 1. */
export const standingShares = { effective: 0.5, strength: 0.15, priority: 0.2, centrality: 0.15 } as const;

/** Recency boost of a memory written just now (cmk's "+10 max"), falling linearly to 0. */
const freshnessMax = 0.1;
const freshnessDays = 30;

export interface RecallRankInput {
  /** 0-1 each. */
  readonly lexical: number;
  readonly semantic: number;
  readonly relevance: number;
  /** 0-100. */
  readonly effectiveConfidence: number;
  /** ≥ 0, unbounded. */
  readonly strength: number;
  /** 0-1. */
  readonly centrality: number;
  readonly now: Date;
}

/**
 * `gateWeight × laneWeight × (λ × relevance + (1−λ) × standing) + freshness` (memory model, "Ranks"), with every factor
 * kept for the trace. Freshness counts from the latest of createdAt and reinforcedAt.
 */
export function recallRank(
  memory: Pick<Memory, 'gate' | 'lane' | 'priority' | 'createdAt' | 'reinforcedAt'>,
  input: RecallRankInput,
  config: Config['recall'],
): RankFactors {
  const parts = {
    gateWeight: config.gateWeights[memory.gate],
    laneWeight: memory.lane === 'note' ? config.noteWeight : 1,
    lambda: config.lambda,
    lexical: input.lexical,
    semantic: input.semantic,
    relevance: input.relevance,
    effective: input.effectiveConfidence / 100,
    strength: input.strength / (1 + input.strength),
    priority: memory.priority / 10,
    centrality: input.centrality,
    freshness: freshness(memory, input.now),
  };
  const standing =
    standingShares.effective * parts.effective +
    standingShares.strength * parts.strength +
    standingShares.priority * parts.priority +
    standingShares.centrality * parts.centrality;
  const rank =
    parts.gateWeight * parts.laneWeight * (parts.lambda * parts.relevance + (1 - parts.lambda) * standing) +
    parts.freshness;
  return { ...parts, standing, rank };
}

function freshness(memory: Pick<Memory, 'createdAt' | 'reinforcedAt'>, now: Date): number {
  const since = Math.max(Date.parse(memory.createdAt), Date.parse(memory.reinforcedAt));
  const days = Math.max(0, (now.getTime() - since) / dayMs);
  return freshnessMax * Math.max(0, 1 - days / freshnessDays);
}
