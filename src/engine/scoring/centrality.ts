/** Incoming edges at which a memory is half as central as it can be. */
const halfSaturationInDegree = 4;

/**
 * Centrality, 0-1: the in-degree n in the edge graph, normalised as n / (n + 4) (cortex: "normalised in-degree"). Not
 * divided by the store's largest: one hub would make every other memory peripheral, and the first edge of a store would
 * make a memory as central as can be.
 */
export function centrality(inDegree: number): number {
  return inDegree / (inDegree + halfSaturationInDegree);
}
