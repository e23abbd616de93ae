import type { DecayClass, Gate, Kind } from '../../engine/model/memory.js';
import type { Shown } from '../present.js';

/** What the explorer's tree is made of. Every node knows its id, so that selection and expansion survive a refresh. */
export type ExplorerNode = GroupNode | KindNode | SpecialNode | MemoryNode | MoreNode;

/** First level: a gate or a decay class, by the chosen grouping. */
export interface GroupNode {
  readonly type: 'group';
  readonly id: string;
  readonly group: Group;
  readonly count: number;
  readonly open: boolean;
}

export type Group =
  { readonly by: 'gate'; readonly gate: Gate } | { readonly by: 'decayClass'; readonly decayClass: DecayClass };

export interface KindNode {
  readonly type: 'kind';
  readonly id: string;
  readonly group: Group;
  readonly kind: Kind;
  readonly count: number;
  readonly open: boolean;
}

/** First level, only when not empty: plans that are overdue, and what was archived. */
export interface SpecialNode {
  readonly type: 'special';
  readonly id: 'revisit' | 'archived';
  readonly count: number;
}

export interface MemoryNode {
  readonly type: 'memory';
  readonly id: string;
  readonly shown: Shown;
}

/** Stands for the memories that are not loaded yet. */
export interface MoreNode {
  readonly type: 'more';
  readonly id: string;
  /** The node whose next page it loads. */
  readonly of: string;
  readonly left: number;
}

export function groupId(group: Group): string {
  return group.by === 'gate' ? `gate/${group.gate}` : `class/${group.decayClass}`;
}

export function isMemoryNode(value: unknown): value is MemoryNode {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'memory';
}
