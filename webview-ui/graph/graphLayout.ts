import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import type { Edge } from '../../src/engine/model/edge.js';
import type { MemoryCard } from '../../src/protocol.js';

export interface GraphNode extends SimulationNodeDatum {
  readonly id: string;
  memory: MemoryCard;
}

export interface GraphLink extends SimulationLinkDatum<GraphNode> {
  readonly source: GraphNode;
  readonly target: GraphNode;
  readonly edge: Edge;
}

/** Direction of an arrow key. */
export interface ArrowDirection {
  readonly x: -1 | 0 | 1;
  readonly y: -1 | 0 | 1;
}

/** Pixels at zoom 1. */
const linkLength = 110;
/** Cutoff of the repulsion between nodes, for performance with a thousand nodes. Pixels. */
const maxRepulsionDistance = 400;
/** Below this temperature, movement is invisible. */
const minAlpha = 0.02;

/** A force-directed layout of memories and their edges. */
export class GraphLayout {
  readonly nodes: GraphNode[] = [];
  readonly links: GraphLink[] = [];
  private readonly byId = new Map<string, GraphNode>();
  private readonly linkKeys = new Set<string>();
  private readonly linkForce = forceLink<GraphNode, GraphLink>()
    .distance(it => linkLength * (1.5 - it.edge.strength))
    .strength(it => 0.2 + 0.5 * it.edge.strength);
  private readonly simulation = forceSimulation<GraphNode>()
    .force('link', this.linkForce)
    .force('push', forceManyBody().strength(-160).distanceMax(maxRepulsionDistance))
    .force('apart', forceCollide(16))
    .force('x', forceX().strength(0.03))
    .force('y', forceY().strength(0.03))
    .stop();

  node(id: string): GraphNode | undefined {
    return this.byId.get(id);
  }

  /** Adds or updates a memory. @param neighbor the node that a new one is placed next to */
  addNode(memory: MemoryCard, neighbor?: GraphNode): GraphNode {
    const existing = this.byId.get(memory.id);
    if (existing !== undefined) {
      existing.memory = memory;
      return existing;
    }
    // Each new node is at another angle, because nodes at the same point cannot repel each other.
    const angle = this.nodes.length * 2.4;
    const node: GraphNode = {
      id: memory.id,
      memory,
      ...(neighbor === undefined
        ? {}
        : { x: (neighbor.x ?? 0) + linkLength * Math.cos(angle), y: (neighbor.y ?? 0) + linkLength * Math.sin(angle) }),
    };
    this.nodes.push(node);
    this.byId.set(memory.id, node);
    return node;
  }

  /** Adds an edge, unless it exists or lacks a node. */
  addLink(edge: Edge): void {
    const key = `${edge.source} ${edge.target} ${edge.type}`;
    const source = this.byId.get(edge.source);
    const target = this.byId.get(edge.target);
    if (source === undefined || target === undefined || this.linkKeys.has(key)) return;
    this.linkKeys.add(key);
    this.links.push({ source, target, edge });
  }

  /** Replaces all edges by these. @returns whether other memories are linked than before */
  setLinks(edges: readonly Edge[]): boolean {
    const previousKeys = new Set(this.linkKeys);
    this.links.length = 0;
    this.linkKeys.clear();
    for (const it of edges) this.addLink(it);
    const isSame = previousKeys.size === this.linkKeys.size && [...previousKeys].every(it => this.linkKeys.has(it));
    // Otherwise the simulation gets them when it is reheated.
    if (isSame) this.linkForce.links(this.links);
    return !isSame;
  }

  /** Removes all memories but these, with their edges. @returns whether there were any */
  retainNodes(ids: ReadonlySet<string>): boolean {
    const removed = this.nodes.filter(it => !ids.has(it.id));
    if (removed.length === 0) return false;
    const kept = this.nodes.filter(it => ids.has(it.id));
    const edges = this.links.filter(it => ids.has(it.source.id) && ids.has(it.target.id)).map(it => it.edge);
    this.nodes.length = 0;
    for (const it of kept) this.nodes.push(it);
    for (const it of removed) this.byId.delete(it.id);
    this.setLinks(edges);
    return true;
  }

  /**
   * The nearest node in a direction, with sideways distance counted double; the first node when `from` is undefined.
   */
  nodeInDirection(from: string | undefined, { x, y }: ArrowDirection): GraphNode | undefined {
    const origin = from === undefined ? undefined : this.byId.get(from);
    if (origin === undefined) return this.nodes[0];
    let best: { readonly node: GraphNode; readonly cost: number } | undefined;
    for (const node of this.nodes) {
      const [dx, dy] = [(node.x ?? 0) - (origin.x ?? 0), (node.y ?? 0) - (origin.y ?? 0)];
      const distanceAlong = dx * x + dy * y;
      const distanceAcross = Math.abs(dx * y) + Math.abs(dy * x);
      if (distanceAlong <= 0 || distanceAcross > 2 * distanceAlong) continue;
      const cost = distanceAlong + 2 * distanceAcross;
      if (best === undefined || cost < best.cost) best = { node, cost };
    }
    return best?.node;
  }

  clear(): void {
    this.nodes.length = 0;
    this.links.length = 0;
    this.byId.clear();
    this.linkKeys.clear();
  }

  /** Raises the temperature of the simulation, after nodes were added or dragged. */
  reheat(alpha = 0.8): void {
    this.simulation.nodes(this.nodes);
    this.linkForce.links(this.links);
    this.simulation.alpha(Math.max(alpha, this.simulation.alpha()));
  }

  /** Runs one step. @returns false once the layout is stable */
  tick(): boolean {
    if (this.simulation.alpha() < minAlpha) return false;
    this.simulation.tick();
    return true;
  }
}
