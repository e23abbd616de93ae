import type { CandidateOutcome, TraceCandidate } from '../model/trace.js';
import type { RankedMemory } from './rank.js';

/** A candidate as a trace keeps it. @param because where its place is not that of its rank */
export function toTraceCandidate(
  { hit, store, factors, relevance, pairScore }: RankedMemory,
  outcome: CandidateOutcome,
  because: TraceCandidate['because'],
): TraceCandidate {
  return {
    id: hit.memory.id,
    store: store.kind,
    factors,
    relevance,
    outcome,
    ...(pairScore === undefined ? {} : { pairScore: Math.round(pairScore * 1e4) / 1e4 }),
    ...(because === undefined ? {} : { because }),
  };
}
