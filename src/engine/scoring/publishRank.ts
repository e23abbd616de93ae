export interface PublishRankInput {
  /** 0-100. */
  readonly effectiveConfidence: number;
  /** 1-10. */
  readonly priority: number;
  /** 0-1. */
  readonly centrality: number;
  readonly accessCount: number;
  /** Largest access count among the memories that are ranked together. */
  readonly maxAccessCount: number;
}

/**
 * Rank of a memory for CLAUDE.md, 0-1 (cortex): `0.5 × effective/100 + 0.2 × priority/10 + 0.15 × centrality + 0.15 ×
 * ln(access+1)/ln(maxAccess+1)`. The last term is 0 if no memory was ever accessed.
 */
export function publishRank(input: PublishRankInput): number {
  const access = input.maxAccessCount > 0 ? Math.log(input.accessCount + 1) / Math.log(input.maxAccessCount + 1) : 0;
  return (
    0.5 * (input.effectiveConfidence / 100) + 0.2 * (input.priority / 10) + 0.15 * input.centrality + 0.15 * access
  );
}
