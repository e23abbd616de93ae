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

/** One of the four that arrow keys have. */
export interface Direction {
  readonly x: -1 | 0 | 1;
  readonly y: -1 | 0 | 1;
}

/** Pixels at zoom 1. */
const linkLength = 110;
/** Beyond this nodes do not push each other; it keeps a thousand of them cheap. Pixels. */
const farthestPush = 400;
/** Cooler, nothing moves that an eye would see. */
const still = 0.02;

/** Where memories stand: those that hang together near each other, all others apart. */
export class GraphLayout {
  readonly nodes: GraphNode[] = [];
  readonly links: GraphLink[] = [];
  private readonly byId = new Map<string, GraphNode>();
  private readonly keys = new Set<string>();
  private readonly pull = forceLink<GraphNode, GraphLink>()
    .distance(it => linkLength * (1.5 - it.edge.strength))
    .strength(it => 0.2 + 0.5 * it.edge.strength);
  private readonly simulation = forceSimulation<GraphNode>()
    .force('link', this.pull)
    .force('push', forceManyBody().strength(-160).distanceMax(farthestPush))
    .force('apart', forceCollide(16))
    .force('x', forceX().strength(0.03))
    .force('y', forceY().strength(0.03))
    .stop();

  node(id: string): GraphNode | undefined {
    return this.byId.get(id);
  }

  /** Adds a memory, beside another one where it hangs on one; one that is there is brought up to date. */
  addNode(memory: MemoryCard, beside?: GraphNode): GraphNode {
    const known = this.byId.get(memory.id);
    if (known !== undefined) {
      known.memory = memory;
      return known;
    }
    // Around its neighbour, each at another angle, so that they do not push each other away from one point.
    const angle = this.nodes.length * 2.4;
    const node: GraphNode = {
      id: memory.id,
      memory,
      ...(beside === undefined
        ? {}
        : { x: (beside.x ?? 0) + linkLength * Math.cos(angle), y: (beside.y ?? 0) + linkLength * Math.sin(angle) }),
    };
    this.nodes.push(node);
    this.byId.set(memory.id, node);
    return node;
  }

  /** Adds an edge between nodes that are there; nothing where it is known. */
  addLink(edge: Edge): void {
    const key = `${edge.source} ${edge.target} ${edge.type}`;
    const source = this.byId.get(edge.source);
    const target = this.byId.get(edge.target);
    if (source === undefined || target === undefined || this.keys.has(key)) return;
    this.keys.add(key);
    this.links.push({ source, target, edge });
  }

  /** The nearest node in a direction: what lies beside the way counts double. The first one where none is chosen. */
  next(from: string | undefined, { x, y }: Direction): GraphNode | undefined {
    const here = from === undefined ? undefined : this.byId.get(from);
    if (here === undefined) return this.nodes[0];
    let best: { readonly node: GraphNode; readonly far: number } | undefined;
    for (const node of this.nodes) {
      const [dx, dy] = [(node.x ?? 0) - (here.x ?? 0), (node.y ?? 0) - (here.y ?? 0)];
      const ahead = dx * x + dy * y;
      const beside = Math.abs(dx * y) + Math.abs(dy * x);
      if (ahead <= 0 || beside > 2 * ahead) continue;
      const far = ahead + 2 * beside;
      if (best === undefined || far < best.far) best = { node, far };
    }
    return best?.node;
  }

  clear(): void {
    this.nodes.length = 0;
    this.links.length = 0;
    this.byId.clear();
    this.keys.clear();
  }

  /** Sets everything in motion, after something was added or dragged. */
  warm(alpha = 0.8): void {
    this.simulation.nodes(this.nodes);
    this.pull.links(this.links);
    this.simulation.alpha(Math.max(alpha, this.simulation.alpha()));
  }

  /** One step. False once all is still. */
  step(): boolean {
    if (this.simulation.alpha() < still) return false;
    this.simulation.tick();
    return true;
  }
}
