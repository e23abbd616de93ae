import type { Edge, EdgeType } from '../model/edge.js';

/** An edge as seen from one of its ends. */
export interface IncidentEdge {
  readonly edge: Edge;
  /** Id of the memory at the other end. */
  readonly neighborId: string;
}

/** The strongest edges of a memory, ties by newest first, optionally of the given types only; at most `limit`. */
export function findStrongestEdges(
  id: string,
  edges: readonly Edge[],
  { types, limit }: { readonly types?: readonly EdgeType[] | undefined; readonly limit: number },
): readonly IncidentEdge[] {
  return edges
    .filter(it => (it.source === id || it.target === id) && types?.includes(it.type) !== false)
    .sort((a, b) => b.strength - a.strength || (a.createdAt < b.createdAt ? 1 : -1))
    .slice(0, limit)
    .map(edge => ({ edge, neighborId: edge.source === id ? edge.target : edge.source }));
}
