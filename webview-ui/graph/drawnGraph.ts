import type { Edge } from '../../src/engine/model/edge.js';
import { maxDrawnMemories, type MemoryCard, type NeighborsView } from '../../src/protocol.js';
import { GraphLayout } from './graphLayout.js';

/** Where memories and edges come from. */
export interface GraphSource {
  /** Undefined where the memory no longer exists. */
  neighbors(id: string): Promise<NeighborsView | undefined>;
  edgesBetween(ids: readonly string[]): Promise<readonly Edge[]>;
}

/** Whether what is drawn is the first, has other memories or links than before, or is the same. */
export type DrawnChange = 'first' | 'changed' | 'same';

/** The memories that are drawn: those whose neighbors are shown, and these. */
export class DrawnGraph {
  readonly layout = new GraphLayout();
  /** Memory id -> neighbors, the last loaded ones last. */
  private readonly views = new Map<string, NeighborsView>();
  /** The memories whose neighbors are to be shown, also while these could not be loaded. */
  private readonly wantedIds = new Set<string>();
  /** Of the memory that the graph started with: an answer to what was asked for an earlier one is dropped. */
  private root: { readonly id: string } | undefined;
  private latestDrawing = 0;

  /** @param onDraw called when the layout is up to date, before a load ends */
  constructor(
    private readonly source: GraphSource,
    private readonly onDraw: (change: DrawnChange) => void,
  ) {}

  get rootId(): string | undefined {
    return this.root?.id;
  }

  get isEmpty(): boolean {
    return this.layout.nodes.length === 0;
  }

  get expandedIds(): readonly string[] {
    return [...this.wantedIds];
  }

  viewOf(id: string): NeighborsView | undefined {
    return this.views.get(id);
  }

  /** Begins again with another memory. Nothing is loaded yet. @param expanded more whose neighbors are to be shown */
  startAt(id: string, expanded: readonly string[] = []): void {
    this.root = { id };
    this.layout.clear();
    this.views.clear();
    this.wantedIds.clear();
    for (const it of [id, ...expanded]) this.wantedIds.add(it);
  }

  /**
   * Loads the neighbors of memories, of all that are expanded by default, and draws what was loaded. What no longer exists is
   * taken out.
   * @throws RequestError, the first one, after all others were loaded and drawn
   */
  async load(ids: readonly string[] = this.expandedIds): Promise<undefined> {
    const { root } = this;
    const failures: unknown[] = [];
    for (const id of ids) this.wantedIds.add(id);
    for (const id of ids) {
      try {
        const view = await this.source.neighbors(id);
        if (this.root === root) this.keep(id, view);
      } catch (error) {
        failures.push(error);
      }
      if (this.root !== root) return undefined;
    }
    await this.draw().catch((error: unknown) => failures.push(error));
    if (this.root === root && failures.length > 0) throw failures[0];
    return undefined;
  }

  private keep(id: string, loaded: NeighborsView | undefined): void {
    this.views.delete(id);
    if (loaded !== undefined) {
      this.views.set(id, loaded);
      return;
    }
    this.wantedIds.delete(id);
    for (const [other, view] of this.views) {
      const neighbors = view.neighbors.filter(it => it.memory.id !== id);
      if (neighbors.length < view.neighbors.length) this.views.set(other, { ...view, neighbors });
    }
  }

  /** Brings the layout up to date, also where the edges between the memories cannot be loaded. @throws RequestError then */
  private async draw(): Promise<void> {
    const { root } = this;
    const drawing = ++this.latestDrawing;
    const views = [...this.views.values()];
    const ids = new Set(views.flatMap(it => [it.memory, ...it.neighbors.map(neighbor => neighbor.memory)]).map(idOf));
    const update = (edges: readonly Edge[]): void => {
      // A later drawing has all that this one has.
      if (this.root === root && this.latestDrawing === drawing)
        this.onDraw(this.updateLayout(views, { ids, edges: [...edges, ...views.flatMap(edgesOf)] }));
    };
    if (ids.size === 0) {
      update([]);
      return;
    }
    try {
      update(await this.source.edgesBetween([...ids].slice(0, maxDrawnMemories)));
    } catch (error) {
      update([]);
      throw error;
    }
  }

  private updateLayout(
    views: readonly NeighborsView[],
    { ids, edges }: { readonly ids: ReadonlySet<string>; readonly edges: readonly Edge[] },
  ): DrawnChange {
    const { layout } = this;
    const size = layout.nodes.length;
    for (const { memory, neighbors } of views) {
      const node = layout.addNode(memory);
      for (const it of neighbors) layout.addNode(it.memory, node);
    }
    const hasMore = layout.nodes.length > size;
    const hasFewer = layout.retainNodes(ids);
    const isLinkedOtherwise = layout.setLinks(edges);
    if (size === 0) return 'first';
    return hasMore || hasFewer || isLinkedOtherwise ? 'changed' : 'same';
  }
}

const idOf = ({ id }: MemoryCard): string => id;
const edgesOf = ({ neighbors }: NeighborsView): readonly Edge[] => neighbors.map(it => it.edge);
