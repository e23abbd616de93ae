import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import { findStrongestEdges } from '../scoring/strongestEdges.js';
import type { EdgeType } from '../model/edge.js';
import type { MemoryNeighbor } from '../model/conflict.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { resolveReference } from './memoryActions.js';

/** As many as a drawing of a memory and its neighbors can show. */
const maxNeighbors = 50;

/** Reads the graph of memories. Part of the façade. */
export class MemoryGraph {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Edges of a memory with the memories at their other ends, of any status, strongest first.
   * @throws EngineError notFound | ambiguousId
   */
  neighbors(
    reference: string,
    { types, limit = maxNeighbors }: { readonly types?: readonly EdgeType[]; readonly limit?: number } = {},
  ): Promise<readonly MemoryNeighbor[]> {
    return this.calls.run(async () => {
      const { store, memory } = await resolveReference(this.ctx, reference);
      const incidentEdges = findStrongestEdges(memory.id, await store.edges([memory.id], types), { types, limit });
      const neighborsById = new Map((await store.get(incidentEdges.map(it => it.neighborId))).map(it => [it.id, it]));
      const { decayProfile: profile } = this.ctx.host.config();
      const now = this.ctx.host.now();
      return incidentEdges.flatMap(({ edge, neighborId: id }) => {
        const neighbor = neighborsById.get(id);
        if (neighbor === undefined) return [];
        const effective = effectiveConfidence(neighbor, { profile, centrality: neighbor.centrality, now });
        return [{ edge, memory: neighbor, effectiveConfidence: effective }];
      });
    });
  }
}
