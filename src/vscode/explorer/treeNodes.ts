import type { DecayClass, Gate, Kind } from '../../engine/model/memory.js';
import type { Conflict, MemoryWithConfidence, PlanToReview } from '../../engine/model/conflict.js';

/** What the explorer's tree is made of. Every node knows its id, so that selection and expansion survive a refresh. */
export type ExplorerNode = GroupNode | KindNode | SectionNode | ConflictNode | MemoryNode | MoreNode;

/** First level: a gate or a decay class, by the chosen grouping. */
export interface GroupNode {
  readonly type: 'group';
  readonly id: string;
  readonly group: TreeGroup;
  readonly count: number;
  readonly open: boolean;
}

export type TreeGroup =
  { readonly by: 'gate'; readonly gate: Gate } | { readonly by: 'decayClass'; readonly decayClass: DecayClass };

export interface KindNode {
  readonly type: 'kind';
  readonly id: string;
  readonly group: TreeGroup;
  readonly kind: Kind;
  readonly count: number;
  readonly open: boolean;
}

/** First level, only when not empty: what contradicts, plans that are overdue or have faded, and what was archived. */
export interface SectionNode {
  readonly type: 'section';
  readonly id: 'conflicts' | 'revisit' | 'archived';
  readonly count: number;
  readonly open: boolean;
}

/** Two memories that contradict each other; they are its children. */
export interface ConflictNode {
  readonly type: 'conflict';
  readonly id: string;
  readonly conflict: Conflict;
}

export interface MemoryNode {
  readonly type: 'memory';
  readonly id: string;
  readonly details: MemoryWithConfidence;
  /** Why the row is shown where it is; absent in the groups. */
  readonly context?: MemoryNodeContext;
}

/** A side of a conflict, or a plan to revisit. */
export type MemoryNodeContext =
  { readonly side: 'newer' | 'older' } | { readonly planReview: Pick<PlanToReview, 'why' | 'since'> };

/** Stands for the memories that are not loaded yet. */
export interface MoreNode {
  readonly type: 'more';
  readonly id: string;
  /** The node whose next page it loads. */
  readonly parentId: string;
  readonly remaining: number;
}

export function groupId(group: TreeGroup): string {
  return group.by === 'gate' ? `gate/${group.gate}` : `class/${group.decayClass}`;
}

export function isMemoryNode(value: unknown): value is MemoryNode {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'memory';
}

export function isConflictNode(value: unknown): value is ConflictNode {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'conflict';
}
