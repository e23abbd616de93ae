import type { MemoryEngine } from '../../engine/engine.js';
import { requestLimits } from '../../engine/model/config.js';
import { dayMs } from '../../engine/model/duration.js';
import { codeKinds, decayClasses, kinds, type Memory } from '../../engine/model/memory.js';
import type { GroupCount, ListInput } from '../../engine/model/query.js';
import { parseTypedFilter } from '../ui/searchAsYouType.js';
import { withEffectiveConfidence } from '../memoryWithConfidence.js';
import type { UndoHistory } from '../undo/undoHistory.js';
import { ageOfState } from './age.js';
import type { ExplorerGrouping } from './explorerGrouping.js';
import {
  topics,
  type AllMemoriesNode,
  type ConflictNode,
  type ExplorerNode,
  type GroupId,
  type GroupNode,
  type IntakeNode,
  type MemoryNode,
  type MemoryNodeContext,
  type NeedCounts,
  type Topic,
  type UndoNode,
} from './treeNodes.js';

/** Rows per page: more than a screen. */
export const treePageSize = 100;
/** Up to this number of memories there are no groups of them. */
export const maxUngrouped = 25;
/** A longer group is collapsed, because it would push the others out of sight. */
const maxRowsExpanded = 25;
/** The same of what needs a person: on top, it would push what is new out of sight. */
const maxNeedsExpanded = 8;
/** As many conflicts are counted. */
const maxConflicts = 1_000;
const recentDays = 7;
/** Before the end of a memory from which on its row shows it. */
const fadesSoonMs = 14 * dayMs;
/** The id under which the pages of a list without groups are counted. */
const ungrouped = 'memories';

export interface TreeOptions {
  readonly grouping: ExplorerGrouping;
  /** As typed; empty = no filter. */
  readonly filter: string;
  /** Node id -> number of loaded pages; absent = one. */
  readonly loadedPages: ReadonlyMap<string, number>;
  readonly now: Date;
  /** From this number on the first row opens the page with a search field. */
  readonly manyMemories: number;
  /** Of a person's changes; absent = no row undoes one. */
  readonly history?: Pick<UndoHistory, 'recent'>;
}

export interface TreeRoots {
  readonly nodes: readonly ExplorerNode[];
  readonly active: number;
  /** Archived and replaced ones. */
  readonly inactive: number;
  /** How many the filter finds; undefined without one. */
  readonly matches?: number;
}

/** Rows that want a person's decision. */
interface Needs {
  readonly nodes: readonly ExplorerNode[];
  readonly counts: NeedCounts;
}

/**
 * The content of the tree at one moment; each change creates another. One level of groups at most. Counts come from the
 * store, and memories are loaded by page.
 */
export class TreeModel {
  private roots: Promise<TreeRoots> | undefined;
  private needs: Promise<Needs> | undefined;
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
    const counts = await this.engine.groups();
    const active = totalOf(counts, it => it.status === 'active');
    const inactive = totalOf(counts, it => it.status !== 'active');
    if (this.options.filter !== '') {
      const matches = await this.engine.count(this.filterInput());
      const nodes = await this.loadPage(ungrouped, matches, this.filterInput());
      return { nodes, active, inactive, matches };
    }
    const [needs, sensitive] = await Promise.all([this.loadNeeds(), this.engine.sensitive.list()]);
    const nodes: ExplorerNode[] = [...(await this.loadUndo())];
    if (active >= this.options.manyMemories)
      nodes.push({ type: 'all', id: 'all', count: active } satisfies AllMemoriesNode);
    if (needs.nodes.length > 0) nodes.push(toNeedsNode(needs));
    nodes.push(...(await this.memoryRoots(counts)));
    if (sensitive.length > 0) nodes.push({ ...groupNode('sensitive', sensitive.length), open: false });
    if (inactive > 0) nodes.push({ ...groupNode('forgotten', inactive), open: false });
    return { nodes, active, inactive };
  }

  private async loadUndo(): Promise<readonly UndoNode[]> {
    const change = await this.options.history?.recent(this.engine);
    if (change === undefined) return [];
    const [memory] = await this.engine.getMany(change.ids.slice(0, 1));
    return [{ type: 'undo', id: 'undo', change, ...(memory === undefined ? {} : { text: memory.content }) }];
  }

  /** Groups of the active memories; the memories themselves where there are few. */
  private async memoryRoots(counts: readonly GroupCount[]): Promise<readonly ExplorerNode[]> {
    const isActive = (it: GroupCount): boolean => it.status === 'active' && !isOneOf(codeKinds, it.kind);
    const code = totalOf(counts, it => it.status === 'active' && isOneOf(codeKinds, it.kind));
    return [...(await this.statedRoots(counts, isActive)), ...groupNodes([['code', code]], false)];
  }

  /** The same without code and its descriptions. */
  private async statedRoots(
    counts: readonly GroupCount[],
    isActive: (it: GroupCount) => boolean,
  ): Promise<readonly ExplorerNode[]> {
    const active = totalOf(counts, isActive);
    if (this.options.grouping === 'lasting')
      return groupNodes(
        decayClasses.map(it => [`lasts/${it}`, totalOf(counts, of => isActive(of) && of.decayClass === it)] as const),
        active <= maxUngrouped,
      );
    if (active <= maxUngrouped) return this.loadPage(ungrouped, active, { kinds: statedKinds });
    const since = this.recentSince();
    const [recent, everywhere] = await Promise.all([
      this.engine.groups({ period: { since, until: '9999' } }),
      this.engine.groups({ scope: 'global-only' }),
    ]);
    const everywhereCount = totalOf(everywhere, isActive);
    const recentNodes = groupNodes([['recent', totalOf(recent, isActive)]], true);
    const others = groupNodes(
      [
        ...topicNames.map(it => [it, totalOf(counts, of => isActive(of) && isOneOf(topics[it], of.gate))] as const),
        // Where no project is open, all are.
        ['everywhere', everywhereCount === active ? 0 : everywhereCount],
      ],
      false,
    );
    return [...recentNodes, ...others];
  }

  private recentSince(): string {
    return new Date(this.options.now.getTime() - recentDays * dayMs).toISOString();
  }

  private async loadChildren(node: ExplorerNode): Promise<readonly ExplorerNode[]> {
    if (node.type === 'memory') return node.replaced ?? [];
    if (node.type !== 'group') return [];
    if (node.id === 'needsYou') return this.pageOf(node.id, (await this.loadNeeds()).nodes, node.isAtLeast);
    if (node.id === 'sensitive') {
      const texts = await this.engine.sensitive.list();
      return texts.map(memory => ({ type: 'sensitive', id: `sensitive/${memory.id}`, memory }));
    }
    return this.loadPage(node.id, node.count, this.listInput(node.id));
  }

  /** The memories of a group. */
  private listInput(id: Exclude<GroupId, 'needsYou' | 'sensitive'>): ListInput {
    switch (id) {
      case 'recent':
        return { since: this.recentSince(), kinds: statedKinds };
      case 'rules':
      case 'facts':
      case 'people':
      case 'plans':
        return { gates: topics[id], kinds: statedKinds };
      case 'everywhere':
        return { scope: 'global-only', kinds: statedKinds };
      case 'code':
        return { kinds: codeKinds };
      case 'forgotten':
        return { statuses: ['archived', 'superseded'] };
      case 'lasts/ephemeral':
      case 'lasts/session':
      case 'lasts/durable':
      case 'lasts/permanent':
        return { decayClasses: decayClasses.filter(it => id === `lasts/${it}`), kinds: statedKinds };
    }
  }

  private filterInput(): ListInput {
    const { text, ...narrow } = parseTypedFilter(this.options.filter);
    const words = text.split(/\s+/u).filter(it => it !== '');
    return { ...narrow, ...(words.length === 0 ? {} : { words }) };
  }

  private async loadPage(parent: string, total: number, input: ListInput): Promise<readonly ExplorerNode[]> {
    const wantedCount = (this.options.loadedPages.get(parent) ?? 1) * treePageSize;
    const memories: Memory[] = [];
    while (memories.length < wantedCount) {
      const limit = Math.min(requestLimits.maxPageSize, wantedCount - memories.length);
      const next = await this.engine.list({ ...input, limit, offset: memories.length });
      memories.push(...next);
      if (next.length < limit) break;
    }
    const nodes: ExplorerNode[] = await this.toMemoryNodes(parent, memories);
    if (memories.length === wantedCount && total > wantedCount)
      nodes.push({ type: 'more', id: `${parent}/more`, parentId: parent, shown: wantedCount, total });
    return nodes;
  }

  private pageOf(parent: string, nodes: readonly ExplorerNode[], isAtLeast?: true): readonly ExplorerNode[] {
    const shown = (this.options.loadedPages.get(parent) ?? 1) * treePageSize;
    if (nodes.length <= shown) return nodes;
    const more = { type: 'more', id: `${parent}/more`, parentId: parent, shown, total: nodes.length } as const;
    return [...nodes.slice(0, shown), { ...more, ...(isAtLeast === true ? { isAtLeast } : {}) }];
  }

  private loadNeeds(): Promise<Needs> {
    return (this.needs ??= this.queryNeeds());
  }

  private async queryNeeds(): Promise<Needs> {
    const [requests, conflicts, plans, intakes] = await Promise.all([
      this.engine.actionRequests.list(),
      this.engine.conflicts.list({ limit: maxConflicts, undecidedOnly: true }),
      this.engine.planReview.list(),
      this.engine.intakes.list(),
    ]);
    const undecided = intakes.filter(it => it.undecided > 0);
    const likely = conflicts.filter(it => it.mark === undefined).length;
    const overdue = plans.filter(it => it.why === 'overdue').length;
    return {
      nodes: [
        ...requests.map(({ memory, ...request }) => this.toMemoryNode('requests', memory, { request })),
        ...conflicts.map((conflict): ConflictNode => {
          const id = `conflicts/${conflict.newer.memory.id}/${conflict.older.memory.id}`;
          return { type: 'conflict', id, conflict };
        }),
        ...plans.map(({ memory, effectiveConfidence: _, ...planReview }) =>
          this.toMemoryNode('revisit', memory, { planReview }),
        ),
        ...undecided.map((intake): IntakeNode => ({ type: 'intake', id: `intakes/${intake.id}`, intake })),
      ],
      counts: {
        requests: requests.length,
        conflicts: conflicts.length - likely,
        likely,
        overdue,
        faded: plans.length - overdue,
        intakes: undecided.length,
      },
    };
  }

  /** A node for each memory; one that another of them replaces is shown below that one. */
  private async toMemoryNodes(parent: string, memories: readonly Memory[]): Promise<MemoryNode[]> {
    const [replacements, projects] = await Promise.all([
      this.engine.conflicts.replacements(memories),
      this.engine.projectNames.length > 1
        ? this.engine.hub.projectNames(memories.map(it => it.id))
        : new Map<string, string>(),
    ]);
    const lines = new Map(
      this.engine.intakes
        .linesOf(memories)
        .flatMap(({ memory, heading, text }) => (heading === '' ? [] : [[memory.id, { heading, text }] as const])),
    );
    const toPlacedNode = (parentId: string, memory: Memory): MemoryNode => {
      const [project, line] = [projects.get(memory.id), lines.get(memory.id)];
      return {
        ...this.toMemoryNode(parentId, memory),
        ...(project === undefined ? {} : { project }),
        ...(line === undefined ? {} : { line }),
      };
    };
    if (replacements.size === 0) return memories.map(it => toPlacedNode(parent, it));
    const ids = new Set(memories.map(it => it.id));
    const replacedBy = (id: string): readonly Memory[] => memories.filter(it => replacements.get(it.id)?.id === id);
    const isBelowAnother = (id: string, seen = new Set<string>()): boolean => {
      const replacement = replacements.get(id);
      if (replacement === undefined || !ids.has(replacement.id)) return false;
      // Two that replace each other both keep their place.
      return !seen.has(id) && (!replacements.has(replacement.id) || isBelowAnother(replacement.id, seen.add(id)));
    };
    const toNode = (parentId: string, memory: Memory): MemoryNode => {
      const node = toPlacedNode(parentId, memory);
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

  private toMemoryNode(parent: string, memory: Memory, context?: MemoryNodeContext): MemoryNode {
    const { now } = this.options;
    const details = withEffectiveConfidence(this.engine, memory);
    const end = this.engine.explainer.fadesAt(memory);
    return {
      type: 'memory',
      id: `${parent}/${memory.id}`,
      details,
      age: ageOfState(memory, now),
      fadesSoon: end !== undefined && Date.parse(end) - now.getTime() < fadesSoonMs,
      ...(context === undefined ? {} : { context }),
    };
  }
}

/** All but code and its descriptions. */
const statedKinds = kinds.filter(it => !codeKinds.includes(it));

const topicNames = Object.keys(topics) as readonly Topic[];

/** A string that changes when a node looks different, which the confidence does not change. */
function renderKey(node: ExplorerNode): string {
  return JSON.stringify(node, (key, value: unknown) => (key === 'effectiveConfidence' ? undefined : value));
}

function groupNode(id: GroupId, count: number): GroupNode {
  return { type: 'group', id, count, open: count <= maxRowsExpanded };
}

/** The groups that are not empty. @param mayOpen whether short ones are open */
function groupNodes(groups: readonly (readonly [GroupId, number])[], mayOpen: boolean): readonly GroupNode[] {
  return groups.flatMap(([id, count]) => {
    if (count === 0) return [];
    const node = groupNode(id, count);
    return [{ ...node, open: mayOpen && node.open }];
  });
}

function toNeedsNode({ nodes, counts }: Needs): GroupNode {
  const node = groupNode('needsYou', nodes.length);
  return {
    ...node,
    open: nodes.length <= maxNeedsExpanded,
    needs: counts,
    ...(counts.conflicts < maxConflicts ? {} : { isAtLeast: true }),
  };
}

function totalOf(counts: readonly GroupCount[], isCounted: (it: GroupCount) => boolean): number {
  return counts.filter(isCounted).reduce((total, it) => total + it.count, 0);
}

function isOneOf(values: readonly string[], value: string): boolean {
  return values.some(it => it === value);
}
