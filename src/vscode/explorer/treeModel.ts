import type { MemoryEngine } from '../../engine/engine.js';
import { requestLimits } from '../../engine/model/config.js';
import { decayClasses, gates, kinds, temperatures, type Memory } from '../../engine/model/memory.js';
import type { GroupCount, ListInput } from '../../engine/model/query.js';
import { searchAsYouType } from '../ui/searchAsYouType.js';
import { withEffectiveConfidence } from '../memoryWithConfidence.js';
import type { ExplorerGrouping } from './explorerGrouping.js';
import {
  groupId,
  type ConflictNode,
  type ExplorerNode,
  type TreeGroup,
  type GroupNode,
  type KindNode,
  type MemoryNode,
  type SectionNode,
  type SensitiveNode,
} from './treeNodes.js';

/** Memories per page: enough for a screen. */
export const treePageSize = 200;
/** Up to this number of memories the groups are expanded. */
const maxMemoriesExpanded = 40;
const maxConflicts = 500;
/** A longer section is collapsed, because it would push the groups out of sight. */
const maxSectionItemsExpanded = 10;

export interface TreeOptions {
  readonly grouping: ExplorerGrouping;
  /** As typed; empty = no filter. */
  readonly filter: string;
  /** Node id -> number of loaded pages; absent = one. */
  readonly loadedPages: ReadonlyMap<string, number>;
}

export interface TreeRoots {
  readonly nodes: readonly ExplorerNode[];
  readonly active: number;
  readonly archived: number;
}

/**
 * The content of the tree at one moment; each change creates another. Counts come from the store, and memories are
 * loaded by page. Only the matches of a filter, whose number is limited, are loaded as a whole.
 */
export class TreeModel {
  private matches: Promise<readonly Memory[]> | undefined;
  private roots: Promise<TreeRoots> | undefined;
  private counts: Promise<readonly GroupCount[]> | undefined;
  /** Node id -> children, for the nodes whose children were requested. */
  private readonly childrenById = new Map<string, Promise<readonly ExplorerNode[]>>();
  private readonly nodesById = new Map<string, ExplorerNode>();

  constructor(
    private readonly engine: MemoryEngine,
    private readonly options: TreeOptions,
  ) {}

  loadRoots(): Promise<TreeRoots> {
    return (this.roots ??= this.queryRoots().then(overview => {
      this.index(overview.nodes);
      return overview;
    }));
  }

  childrenOf(node: ExplorerNode): Promise<readonly ExplorerNode[]> {
    const cached = this.childrenById.get(node.id);
    if (cached !== undefined) return cached;
    const children = this.loadChildren(node).then(nodes => {
      this.index(nodes);
      return nodes;
    });
    this.childrenById.set(node.id, children);
    return children;
  }

  /** Undefined unless the node is loaded in this model. */
  node(id: string): ExplorerNode | undefined {
    return this.nodesById.get(id);
  }

  /** Loads the nodes that are loaded in another model, so that this one can replace it at once. */
  async preload(previous: TreeModel): Promise<void> {
    const load = async (nodes: readonly ExplorerNode[]): Promise<void> => {
      for (const node of nodes) if (previous.childrenById.has(node.id)) await load(await this.childrenOf(node));
    };
    await load((await this.loadRoots()).nodes);
  }

  /** Whether no node was loaded in another model since `preload`, which this one would not compare with what comes next. */
  covers(previous: TreeModel): boolean {
    return [...previous.childrenById.keys()].every(id => this.childrenById.has(id) || this.node(id) === undefined);
  }

  /**
   * Compares the loaded nodes of a previous model with this one.
   * @returns the ids of nodes that look different or have other children; or `all`, when the roots are others
   */
  async diff(previous: TreeModel): Promise<readonly string[] | 'all'> {
    const changedIds: string[] = [];
    const compare = async (
      previousNodes: readonly ExplorerNode[],
      currentNodes: readonly ExplorerNode[],
    ): Promise<boolean> => {
      if (
        previousNodes.length !== currentNodes.length ||
        previousNodes.some((it, index) => it.id !== currentNodes[index]!.id)
      )
        return false;
      for (const [index, node] of currentNodes.entries()) {
        const children = previous.childrenById.get(node.id);
        const isUnchanged =
          renderKey(previousNodes[index]!) === renderKey(node) &&
          (children === undefined || (await compare(await children, await this.childrenOf(node))));
        if (!isUnchanged) changedIds.push(node.id);
      }
      return true;
    };
    return (await compare((await previous.loadRoots()).nodes, (await this.loadRoots()).nodes)) ? changedIds : 'all';
  }

  private index(nodes: readonly ExplorerNode[]): void {
    for (const it of nodes) this.nodesById.set(it.id, it);
  }

  private async queryRoots(): Promise<TreeRoots> {
    const counts = await this.groupCounts();
    const active = counts.filter(it => it.status === 'active');
    const archived = totalCount(counts.filter(it => it.status === 'archived'));
    const total = totalCount(active);
    if (this.isFiltered()) {
      const matches = await this.loadMatches();
      return { nodes: this.createGroupNodes(this.toGroupCounts(matches), matches.length), active: total, archived };
    }
    const [requests, conflicts, plansToReview, sensitive] = await Promise.all([
      this.loadRequests(),
      this.loadConflicts(),
      this.loadPlansToReview(),
      this.loadSensitive(),
    ]);
    const nodes: ExplorerNode[] = [];
    if (requests.length > 0) nodes.push(createSectionNode('requests', requests.length));
    if (conflicts.length > 0) nodes.push(createSectionNode('conflicts', conflicts.length));
    if (plansToReview.length > 0) nodes.push(createSectionNode('revisit', plansToReview.length));
    nodes.push(...this.createGroupNodes(active, total));
    if (sensitive.length > 0) nodes.push(createSectionNode('sensitive', sensitive.length));
    if (archived > 0) nodes.push(createSectionNode('archived', archived));
    return { nodes, active: total, archived };
  }

  private async loadChildren(node: ExplorerNode): Promise<readonly ExplorerNode[]> {
    switch (node.type) {
      case 'group':
        return this.loadKindNodes(node);
      case 'kind':
        return this.loadMemoriesOfKind(node);
      case 'section':
        if (node.id === 'requests') return this.loadRequests();
        if (node.id === 'conflicts') return this.loadConflicts();
        if (node.id === 'revisit') return this.loadPlansToReview();
        if (node.id === 'sensitive') return this.loadSensitive();
        return this.loadPage(node.id, node.count, { statuses: ['archived'] });
      case 'conflict':
        return (['newer', 'older'] as const).map(side => {
          const details = node.conflict[side];
          return { type: 'memory', id: `${node.id}/${details.memory.id}`, details, context: { side } };
        });
      case 'memory':
        return node.replaced ?? [];
      case 'sensitive':
      case 'more':
        return [];
    }
  }

  /** Cached, because counting reads every memory. */
  private groupCounts(): Promise<readonly GroupCount[]> {
    return (this.counts ??= this.engine.groups({ byTemperature: this.options.grouping === 'temperature' }));
  }

  private createGroupNodes(counts: readonly GroupCount[], total: number): GroupNode[] {
    const all = allGroups(this.options.grouping);
    const open = this.isFiltered() || total <= maxMemoriesExpanded;
    return all.flatMap(group => {
      const count = totalCount(counts.filter(it => isInGroup(it, group)));
      return count === 0 ? [] : [{ type: 'group', id: groupId(group), group, count, open } as const];
    });
  }

  private async loadKindNodes(parent: GroupNode): Promise<KindNode[]> {
    const source = this.isFiltered()
      ? this.toGroupCounts(await this.loadMatches())
      : (await this.groupCounts()).filter(it => it.status === 'active');
    const counts = source.filter(it => isInGroup(it, parent.group));
    return kinds.flatMap(kind => {
      const count = totalCount(counts.filter(it => it.kind === kind));
      const id = `${parent.id}/${kind}`;
      return count === 0 ? [] : [{ type: 'kind', id, group: parent.group, kind, count, open: parent.open } as const];
    });
  }

  private async loadMemoriesOfKind(node: KindNode): Promise<readonly ExplorerNode[]> {
    const { group, kind } = node;
    if (this.isFiltered()) {
      const matches = await this.loadMatches();
      const counts = this.toGroupCounts(matches);
      const shown = matches.filter((it, i) => it.kind === kind && isInGroup(counts[i]!, group));
      return this.toMemoryNodes(node.id, shown);
    }
    return this.loadPage(node.id, node.count, { ...toFilter(group), kinds: [kind] });
  }

  private async loadPage(parent: string, count: number, filter: ListInput): Promise<readonly ExplorerNode[]> {
    const wantedCount = (this.options.loadedPages.get(parent) ?? 1) * treePageSize;
    const memories: Memory[] = [];
    while (memories.length < wantedCount) {
      const limit = Math.min(requestLimits.maxPageSize, wantedCount - memories.length);
      const next = await this.engine.list({ ...filter, limit, offset: memories.length });
      memories.push(...next);
      if (next.length < limit) break;
    }
    const nodes: ExplorerNode[] = await this.toMemoryNodes(parent, memories);
    const remaining = count - memories.length;
    if (memories.length === wantedCount && remaining > 0)
      nodes.push({ type: 'more', id: `${parent}/more`, parentId: parent, remaining });
    return nodes;
  }

  private async loadRequests(): Promise<readonly MemoryNode[]> {
    return (await this.engine.actionRequests.list()).map(({ memory, ...request }) => {
      const details = withEffectiveConfidence(this.engine, memory);
      return { type: 'memory', id: `requests/${memory.id}`, details, context: { request } };
    });
  }

  private async loadConflicts(): Promise<readonly ConflictNode[]> {
    const conflicts = await this.engine.conflicts.list({ limit: maxConflicts });
    return conflicts.map(conflict => {
      const id = `conflicts/${conflict.newer.memory.id}/${conflict.older.memory.id}`;
      return { type: 'conflict', id, conflict };
    });
  }

  private async loadPlansToReview(): Promise<readonly MemoryNode[]> {
    return (await this.engine.planReview.list()).map(({ memory, effectiveConfidence, ...planReview }) => {
      const details = { memory, effectiveConfidence };
      return { type: 'memory', id: `revisit/${memory.id}`, details, context: { planReview } };
    });
  }

  private async loadSensitive(): Promise<readonly SensitiveNode[]> {
    const memories = await this.engine.sensitive.list();
    return memories.map(memory => ({ type: 'sensitive', id: `sensitive/${memory.id}`, memory }));
  }

  /** A count of one for each memory. */
  private toGroupCounts(memories: readonly Memory[]): readonly GroupCount[] {
    return memories.map(it => {
      const { gate, decayClass, kind, status } = it;
      return { gate, decayClass, kind, status, count: 1, temperature: this.engine.explainer.temperatureOf(it) };
    });
  }

  private loadMatches(): Promise<readonly Memory[]> {
    return (this.matches ??= searchAsYouType(this.engine, this.options.filter).then(it => it.likely));
  }

  private isFiltered(): boolean {
    return this.options.filter !== '';
  }

  /** A node for each memory; one that another of them replaces is shown below that one. */
  private async toMemoryNodes(parent: string, memories: readonly Memory[]): Promise<MemoryNode[]> {
    const replacements = await this.engine.conflicts.replacements(memories);
    if (replacements.size === 0) return memories.map(it => this.toMemoryNode(parent, it));
    const ids = new Set(memories.map(it => it.id));
    const replacedBy = (id: string): readonly Memory[] => memories.filter(it => replacements.get(it.id)?.id === id);
    const isBelowAnother = (id: string, seen = new Set<string>()): boolean => {
      const replacement = replacements.get(id);
      if (replacement === undefined || !ids.has(replacement.id)) return false;
      // Two that replace each other both keep their place.
      return !seen.has(id) && (!replacements.has(replacement.id) || isBelowAnother(replacement.id, seen.add(id)));
    };
    const toNode = (parentId: string, memory: Memory): MemoryNode => {
      const node = this.toMemoryNode(parentId, memory);
      const replacement = replacements.get(memory.id);
      const replaced = replacedBy(memory.id)
        .filter(it => isBelowAnother(it.id))
        .map(it => toNode(node.id, it));
      return {
        ...node,
        ...(replacement === undefined ? {} : { context: { replacement } }),
        ...(replaced.length === 0 ? {} : { replaced }),
      };
    };
    return memories.filter(it => !isBelowAnother(it.id)).map(it => toNode(parent, it));
  }

  private toMemoryNode(parent: string, memory: Memory): MemoryNode {
    return { type: 'memory', id: `${parent}/${memory.id}`, details: withEffectiveConfidence(this.engine, memory) };
  }
}

/** A string that changes when a node looks different. Confidence fades all the time, but is shown in whole percents. */
function renderKey(node: ExplorerNode): string {
  return JSON.stringify(node, (key, value: unknown) =>
    key === 'effectiveConfidence' ? Math.round(Number(value)) : value,
  );
}

function allGroups(grouping: ExplorerGrouping): readonly TreeGroup[] {
  switch (grouping) {
    case 'gate':
      return gates.map(gate => ({ by: 'gate', gate }));
    case 'decayClass':
      return decayClasses.map(decayClass => ({ by: 'decayClass', decayClass }));
    case 'temperature':
      return temperatures.map(temperature => ({ by: 'temperature', temperature }));
  }
}

function isInGroup(count: GroupCount, group: TreeGroup): boolean {
  switch (group.by) {
    case 'gate':
      return count.gate === group.gate;
    case 'decayClass':
      return count.decayClass === group.decayClass;
    case 'temperature':
      return count.temperature === group.temperature;
  }
}

function toFilter(group: TreeGroup): ListInput {
  switch (group.by) {
    case 'gate':
      return { gates: [group.gate] };
    case 'decayClass':
      return { decayClasses: [group.decayClass] };
    case 'temperature':
      return { temperature: group.temperature };
  }
}

function totalCount(counts: readonly GroupCount[]): number {
  return counts.reduce((total, it) => total + it.count, 0);
}

function createSectionNode(id: SectionNode['id'], count: number): SectionNode {
  return {
    type: 'section',
    id,
    count,
    open: id !== 'archived' && id !== 'sensitive' && count <= maxSectionItemsExpanded,
  };
}
