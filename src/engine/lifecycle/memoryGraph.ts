import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { findStrongestEdges } from '../scoring/strongestEdges.js';
import { personLinkReason, type Edge, type EdgeType, type LinkType } from '../model/edge.js';
import type { GraphStep, MemoryNeighbor } from '../model/conflict.js';
import { shortId } from '../model/memory.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { resolveReference } from './memoryActions.js';

/** As many as a drawing of a memory and its neighbors can show. */
const maxNeighbors = 50;

const maxHops = 2;

interface WalkOptions {
  readonly hops?: number;
  readonly types?: readonly EdgeType[];
  /** Memories at most. */
  readonly limit?: number;
}

/** Reads the graph of memories, and links them by hand. Part of the façade. */
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
      const incidentEdges = findStrongestEdges(memory.id, await store.edgesInSets([memory.id], types), {
        types,
        limit,
      });
      const neighborsById = new Map((await store.get(incidentEdges.map(it => it.neighborId))).map(it => [it.id, it]));
      const { decay: rules } = this.ctx.host.config();
      const now = this.ctx.aging.now();
      return incidentEdges.flatMap(({ edge, neighborId: id }) => {
        const neighbor = neighborsById.get(id);
        if (neighbor === undefined) return [];
        const effective = effectiveConfidence(neighbor, { rules, centrality: neighbor.centrality, now });
        return [{ edge, memory: neighbor, effectiveConfidence: effective }];
      });
    });
  }

  /**
   * Memories within `hops` edges of a memory, nearest first, of any status; each once, with the edge it was first reached
   * by.
   * @param options.hops 1-2; further ones hang together with everything
   * @throws EngineError notFound | ambiguousId | invalidInput
   */
  async walk(
    reference: string,
    { hops = maxHops, types, limit = maxNeighbors }: WalkOptions = {},
  ): Promise<readonly GraphStep[]> {
    if (!Number.isInteger(hops) || hops < 1 || hops > maxHops)
      throw new EngineError('invalidInput', message`hops must be 1 or ${maxHops}; it was ${hops}.`);
    const start = await this.calls.run(() => resolveReference(this.ctx, reference));
    const steps: GraphStep[] = [];
    const seen = new Set([start.memory.id]);
    let frontier = [start.memory.id];
    for (let hop = 1; hop <= hops; hop++) {
      const reached: string[] = [];
      for (const from of frontier) {
        for (const neighbor of await this.neighbors(from, { ...(types === undefined ? {} : { types }), limit })) {
          if (steps.length >= limit || seen.has(neighbor.memory.id)) continue;
          seen.add(neighbor.memory.id);
          reached.push(neighbor.memory.id);
          steps.push({ ...neighbor, hop, from });
        }
      }
      frontier = reached;
    }
    return steps;
  }

  /**
   * The edges whose two ends are both among the memories, given by their full ids, of any status; unknown ids are passed over.
   * An edge between memories of different sets rests until both are in one.
   */
  edgesBetween(ids: readonly string[]): Promise<readonly Edge[]> {
    return this.calls.run(async () => {
      const wanted = new Set(ids);
      const edges: Edge[] = [];
      for (const { store } of this.ctx.stores) edges.push(...(await store.edgesInSets(ids)));
      return edges.filter(it => wanted.has(it.source) && wanted.has(it.target));
    });
  }

  /**
   * Links two memories of one store: the source exemplifies, refines, derives from or relates to the target. For a person's
   * decision; `contradicts` and `supersedes` come of comparing and settling.
   * @throws EngineError notFound | ambiguousId | invalidInput, and errors of Store.write
   */
  link(source: string, type: LinkType, target: string): Promise<void> {
    return this.calls.change(async onWritten => {
      const [from, to] = [await resolveReference(this.ctx, source), await resolveReference(this.ctx, target)];
      if (from.store !== to.store || from.memory.scopeId !== to.memory.scopeId)
        throw new EngineError(
          'invalidInput',
          message`#${shortId(from.memory)} and #${shortId(to.memory)} are in different stores or sets, which no edge connects.`,
        );
      if (from.memory.id === to.memory.id)
        throw new EngineError('invalidInput', message`A memory cannot be linked with itself. Name two memories.`);
      const edge = { source: from.memory.id, target: to.memory.id, type, strength: 1, reason: personLinkReason };
      await from.store.write(this.ctx.host.client, tx => tx.link([edge]));
      onWritten(from.store, [from.memory.id, to.memory.id]);
    });
  }
}
