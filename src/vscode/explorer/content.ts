import type { MemoryEngine } from '../../engine/engine.js';
import { callLimits } from '../../engine/model/config.js';
import { decayClasses, gates, kinds, type Memory } from '../../engine/model/memory.js';
import type { GroupCount, ListInput } from '../../engine/model/query.js';
import { findMemories } from '../find.js';
import type { Shown } from '../present.js';
import type { Grouping } from '../settings.js';
import {
  groupId,
  type ConflictNode,
  type ExplorerNode,
  type Group,
  type GroupNode,
  type KindNode,
  type MemoryNode,
  type SpecialNode,
} from './nodes.js';

/** Memories loaded at a time: enough for a screen, little for a store of a hundred thousand. */
export const pageSize = 200;
/** Up to here everything is shown unfolded. */
const fewMemories = 40;
/** Pairs of memories that contradict each other, at most: nobody settles more in one go. */
const conflictsShown = 500;
/** Rows of a group on top that still leave the others in sight. */
const openUpTo = 10;

/** How the tree looks apart from the memories themselves. */
export interface ExplorerView {
  readonly grouping: Grouping;
  /** As typed; empty = everything. */
  readonly filter: string;
  /** Node id -> pages of it that are loaded; absent = one. */
  readonly pages: ReadonlyMap<string, number>;
}

export interface Overview {
  readonly nodes: readonly ExplorerNode[];
  readonly active: number;
  readonly archived: number;
}

/**
 * What the tree shows at one moment. Counts come from the store, memories are read page by page; only a filter, which
 * finds a limited number, is held in whole. Made anew after each change.
 */
export class ExplorerContent {
  private filtered: Promise<readonly Memory[]> | undefined;
  private first: Promise<Overview> | undefined;
  private counts: Promise<readonly GroupCount[]> | undefined;
  /** Node id -> its children, of those that were asked for. */
  private readonly loaded = new Map<string, Promise<readonly ExplorerNode[]>>();
  private readonly nodes = new Map<string, ExplorerNode>();

  constructor(
    private readonly engine: MemoryEngine,
    private readonly view: ExplorerView,
  ) {}

  /** The first level. */
  overview(): Promise<Overview> {
    return (this.first ??= this.loadOverview().then(overview => {
      this.know(overview.nodes);
      return overview;
    }));
  }

  childrenOf(node: ExplorerNode): Promise<readonly ExplorerNode[]> {
    const known = this.loaded.get(node.id);
    if (known !== undefined) return known;
    const children = this.loadChildren(node).then(nodes => {
      this.know(nodes);
      return nodes;
    });
    this.loaded.set(node.id, children);
    return children;
  }

  /** A node as it is in this content, when it was loaded. */
  node(id: string): ExplorerNode | undefined {
    return this.nodes.get(id);
  }

  /** Loads what another content was asked for, so that this one can take its place at once. */
  async loadLike(other: ExplorerContent): Promise<void> {
    const load = async (nodes: readonly ExplorerNode[]): Promise<void> => {
      for (const node of nodes) if (other.loaded.has(node.id)) await load(await this.childrenOf(node));
    };
    await load((await this.overview()).nodes);
  }

  /**
   * What of another content looks different in this one, of what was loaded there.
   * @returns ids of nodes that look different themselves or have other children, none below another; or `all`, when the
   *   first level has other nodes
   */
  async changedSince(other: ExplorerContent): Promise<readonly string[] | 'all'> {
    const changed: string[] = [];
    const compare = async (before: readonly ExplorerNode[], now: readonly ExplorerNode[]): Promise<boolean> => {
      if (before.length !== now.length || before.some((it, index) => it.id !== now[index]!.id)) return false;
      for (const [index, node] of now.entries()) {
        const children = other.loaded.get(node.id);
        const same =
          look(before[index]!) === look(node) &&
          (children === undefined || (await compare(await children, await this.childrenOf(node))));
        if (!same) changed.push(node.id);
      }
      return true;
    };
    return (await compare((await other.overview()).nodes, (await this.overview()).nodes)) ? changed : 'all';
  }

  private know(nodes: readonly ExplorerNode[]): void {
    for (const it of nodes) this.nodes.set(it.id, it);
  }

  private async loadOverview(): Promise<Overview> {
    const counts = await this.groupCounts();
    const active = counts.filter(it => it.status === 'active');
    const archived = sum(counts.filter(it => it.status === 'archived'));
    const total = sum(active);
    if (this.isFiltered()) {
      const found = await this.found();
      return { nodes: this.groups(found.map(asCount), found.length), active: total, archived };
    }
    const [conflicts, revisits] = await Promise.all([this.conflicts(), this.revisits()]);
    const nodes: ExplorerNode[] = [];
    if (conflicts.length > 0) nodes.push(special('conflicts', conflicts.length));
    if (revisits.length > 0) nodes.push(special('revisit', revisits.length));
    nodes.push(...this.groups(active, total));
    if (archived > 0) nodes.push(special('archived', archived));
    return { nodes, active: total, archived };
  }

  private async loadChildren(node: ExplorerNode): Promise<readonly ExplorerNode[]> {
    switch (node.type) {
      case 'group':
        return this.kinds(node);
      case 'kind':
        return this.memoriesOfKind(node);
      case 'special':
        if (node.id === 'conflicts') return this.conflicts();
        if (node.id === 'revisit') return this.revisits();
        return this.page(node.id, node.count, { statuses: ['archived'] });
      case 'conflict':
        return (['newer', 'older'] as const).map(side => {
          const shown = node.conflict[side];
          return { type: 'memory', id: `${node.id}/${shown.memory.id}`, shown, because: { side } };
        });
      case 'memory':
      case 'more':
        return [];
    }
  }

  /** Counting reads every memory. */
  private groupCounts(): Promise<readonly GroupCount[]> {
    return (this.counts ??= this.engine.groups());
  }

  private groups(counts: readonly GroupCount[], total: number): GroupNode[] {
    const all: Group[] =
      this.view.grouping === 'gate'
        ? gates.map(gate => ({ by: 'gate', gate }))
        : decayClasses.map(decayClass => ({ by: 'decayClass', decayClass }));
    const open = this.isFiltered() || total <= fewMemories;
    return all.flatMap(group => {
      const count = sum(counts.filter(it => belongs(it, group)));
      return count === 0 ? [] : [{ type: 'group', id: groupId(group), group, count, open } as const];
    });
  }

  private async kinds(parent: GroupNode): Promise<KindNode[]> {
    const source = this.isFiltered()
      ? (await this.found()).map(asCount)
      : (await this.groupCounts()).filter(it => it.status === 'active');
    const counts = source.filter(it => belongs(it, parent.group));
    return kinds.flatMap(kind => {
      const count = sum(counts.filter(it => it.kind === kind));
      const id = `${parent.id}/${kind}`;
      return count === 0 ? [] : [{ type: 'kind', id, group: parent.group, kind, count, open: parent.open } as const];
    });
  }

  private async memoriesOfKind(node: KindNode): Promise<readonly ExplorerNode[]> {
    const { group, kind } = node;
    if (this.isFiltered()) {
      const found = (await this.found()).filter(it => it.kind === kind && belongs(it, group));
      return found.map(it => this.memory(node.id, it));
    }
    const byGroup = group.by === 'gate' ? { gates: [group.gate] } : { decayClasses: [group.decayClass] };
    return this.page(node.id, node.count, { ...byGroup, kinds: [kind] });
  }

  private async page(parent: string, count: number, filter: ListInput): Promise<readonly ExplorerNode[]> {
    const wanted = (this.view.pages.get(parent) ?? 1) * pageSize;
    const memories: Memory[] = [];
    while (memories.length < wanted) {
      const limit = Math.min(callLimits.page, wanted - memories.length);
      const next = await this.engine.list({ ...filter, limit, offset: memories.length });
      memories.push(...next);
      if (next.length < limit) break;
    }
    const nodes: ExplorerNode[] = memories.map(it => this.memory(parent, it));
    const left = count - memories.length;
    if (memories.length === wanted && left > 0) nodes.push({ type: 'more', id: `${parent}/more`, of: parent, left });
    return nodes;
  }

  private async conflicts(): Promise<readonly ConflictNode[]> {
    const found = await this.engine.truth.conflicts({ limit: conflictsShown });
    return found.map(conflict => {
      const id = `conflicts/${conflict.newer.memory.id}/${conflict.older.memory.id}`;
      return { type: 'conflict', id, conflict };
    });
  }

  private async revisits(): Promise<readonly MemoryNode[]> {
    return (await this.engine.revisits.list()).map(({ memory, effectiveConfidence, ...revisit }) => {
      const shown = { memory, effectiveConfidence };
      return { type: 'memory', id: `revisit/${memory.id}`, shown, because: { revisit } };
    });
  }

  private found(): Promise<readonly Memory[]> {
    return (this.filtered ??= findMemories(this.engine, this.view.filter));
  }

  private isFiltered(): boolean {
    return this.view.filter !== '';
  }

  private memory(parent: string, memory: Memory): MemoryNode {
    return { type: 'memory', id: `${parent}/${memory.id}`, shown: shown(this.engine, memory) };
  }
}

export function shown(engine: MemoryEngine, memory: Memory): Shown {
  return { memory, effectiveConfidence: engine.effectiveConfidence(memory) };
}

/** Confidence fades all the time; what is shown is whole percents. */
function look(node: ExplorerNode): string {
  return JSON.stringify(node, (key, value: unknown) =>
    key === 'effectiveConfidence' ? Math.round(Number(value)) : value,
  );
}

function belongs(it: Pick<GroupCount, 'gate' | 'decayClass'>, group: Group): boolean {
  return group.by === 'gate' ? it.gate === group.gate : it.decayClass === group.decayClass;
}

function asCount({ gate, decayClass, kind, status }: Memory): GroupCount {
  return { gate, decayClass, kind, status, count: 1 };
}

function sum(counts: readonly GroupCount[]): number {
  return counts.reduce((total, it) => total + it.count, 0);
}

/** What waits for a decision is open, unless there is so much of it that nothing else could be seen. */
function special(id: SpecialNode['id'], count: number): SpecialNode {
  return { type: 'special', id, count, open: id !== 'archived' && count <= openUpTo };
}
