import type { RankFactors, RankPart } from '../model/trace.js';
import { priorWeights } from './recallRank.js';

/**
 * The terms of a recall rank (recallRank.ts), each multiplied by the weights of gate, lane, code and λ. Their sum is the
 * rank.
 */
export function rankParts(factors: RankFactors): readonly RankPart[] {
  const weight = factors.gateWeight * factors.laneWeight * (factors.codeWeight ?? 1);
  const priorWeight = weight * (1 - factors.lambda);
  return [
    { name: 'relevance', value: weight * factors.lambda * factors.relevance },
    { name: 'effective', value: priorWeight * priorWeights.effective * factors.effective },
    { name: 'strength', value: priorWeight * priorWeights.strength * factors.strength },
    { name: 'priority', value: priorWeight * priorWeights.priority * factors.priority },
    { name: 'centrality', value: priorWeight * priorWeights.centrality * factors.centrality },
    { name: 'freshness', value: factors.freshness },
  ];
}
