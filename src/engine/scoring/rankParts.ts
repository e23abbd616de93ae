import type { RankFactors, RankPart } from '../model/trace.js';
import { standingShares } from './recallRank.js';

/**
 * The terms of a recall rank (scoring/recallRank.ts), multiplied out: what each brings after the weights of its gate,
 * its lane and λ. They add up to the rank.
 */
export function rankParts(factors: RankFactors): readonly RankPart[] {
  const weight = factors.gateWeight * factors.laneWeight;
  const standing = weight * (1 - factors.lambda);
  return [
    { name: 'relevance', value: weight * factors.lambda * factors.relevance },
    { name: 'effective', value: standing * standingShares.effective * factors.effective },
    { name: 'strength', value: standing * standingShares.strength * factors.strength },
    { name: 'priority', value: standing * standingShares.priority * factors.priority },
    { name: 'centrality', value: standing * standingShares.centrality * factors.centrality },
    { name: 'freshness', value: factors.freshness },
  ];
}
