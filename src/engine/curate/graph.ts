import type { Calls } from '../calls.js';
import type { Context } from '../context.js';
import { strongest } from '../graph/neighbours.js';
import type { EdgeType } from '../model/edge.js';
import type { Neighbour } from '../model/truth.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { find } from './curate.js';

/** As many as a picture of a memory and its neighbours can show. */
const shown = 50;

/** How memories hang together. Part of the façade. */
export class Graph {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {}

  /**
   * The edges of a memory with the memories at their other ends, whatever their status, the strongest first.
   * @throws EngineError notFound | ambiguousId
   */
  neighbours(
    reference: string,
    { types, limit = shown }: { readonly types?: readonly EdgeType[]; readonly limit?: number } = {},
  ): Promise<readonly Neighbour[]> {
    return this.calls.run(async () => {
      const { store, memory } = await find(this.ctx, reference);
      const seen = strongest(memory.id, await store.edges([memory.id], types), { types, limit });
      const others = new Map((await store.get(seen.map(it => it.other))).map(it => [it.id, it]));
      const { decayProfile: profile } = this.ctx.host.config();
      const now = this.ctx.host.now();
      return seen.flatMap(({ edge, other: id }) => {
        const other = others.get(id);
        if (other === undefined) return [];
        const effective = effectiveConfidence(other, { profile, centrality: other.centrality, now });
        return [{ edge, memory: other, effectiveConfidence: effective }];
      });
    });
  }
}
