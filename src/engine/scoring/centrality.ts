/** In-degree with centrality 0.5. */
const halfSaturationInDegree = 4;

/**
 * Centrality of a memory, 0-1: its in-degree n in the edge graph, normalized as n / (n + 4) (cortex: "normalised
 * in-degree"). It is not divided by the largest in-degree of the store: one hub would make every other memory
 * peripheral, and the first edge of a store would make its target fully central.
 */
export function centrality(inDegree: number): number {
  return inDegree / (inDegree + halfSaturationInDegree);
}
