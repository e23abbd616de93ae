import type { ActionRequest } from '../../engine/model/actionRequest.js';
import type { SensitiveMemory } from '../../engine/model/sensitive.js';
import type { DecayClass, Gate, Kind, Temperature } from '../../engine/model/memory.js';
import type { Conflict, MemoryWithConfidence, PlanToReview, Replacement } from '../../engine/model/conflict.js';

/** A node of the explorer's tree. Ids are stable, so that selection and expansion survive a refresh. */
export type ExplorerNode = GroupNode | KindNode | SectionNode | ConflictNode | MemoryNode | SensitiveNode | MoreNode;

/** A root: a gate, a decay class, or hot or cold, depending on the grouping. */
export interface GroupNode {
  readonly type: 'group';
  readonly id: string;
  readonly group: TreeGroup;
  readonly count: number;
  readonly open: boolean;
}

export type TreeGroup =
  | { readonly by: 'gate'; readonly gate: Gate }
  | { readonly by: 'decayClass'; readonly decayClass: DecayClass }
  | { readonly by: 'temperature'; readonly temperature: Temperature };

export interface KindNode {
  readonly type: 'kind';
  readonly id: string;
  readonly group: TreeGroup;
  readonly kind: Kind;
  readonly count: number;
  readonly open: boolean;
}

/** A root, absent when empty: what assistants have requested, conflicts, plans to review (overdue or faded), texts that are kept encrypted, or archived memories. */
export interface SectionNode {
  readonly type: 'section';
  readonly id: 'requests' | 'conflicts' | 'revisit' | 'sensitive' | 'archived';
  readonly count: number;
  readonly open: boolean;
}

/** Two memories that contradict each other, which are its children. */
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
  /** Memories that it replaces, shown below it. */
  readonly replaced?: readonly MemoryNode[];
}

/** What an assistant requested, a side of a conflict, the reason why a plan is to be reviewed, or what replaced it. */
export type MemoryNodeContext =
  | { readonly request: Omit<ActionRequest, 'memory'> }
  | { readonly side: 'newer' | 'older' }
  | { readonly replacement: Pick<Replacement, 'by' | 'at'> }
  | { readonly planReview: Pick<PlanToReview, 'why' | 'since'> };

/** A text that is kept encrypted; a click shows it. */
export interface SensitiveNode {
  readonly type: 'sensitive';
  readonly id: string;
  readonly memory: SensitiveMemory;
}

/** Stands for the memories that are not loaded yet. */
export interface MoreNode {
  readonly type: 'more';
  readonly id: string;
  /** The node whose next page it loads. */
  readonly parentId: string;
  readonly remaining: number;
}

/** The argument after the id where a row was opened by a click or Enter: the keys still go to the row, as the one that forgets. */
export const rowClicked = 'row clicked';

export function groupId(group: TreeGroup): string {
  switch (group.by) {
    case 'gate':
      return `gate/${group.gate}`;
    case 'decayClass':
      return `class/${group.decayClass}`;
    case 'temperature':
      return `temperature/${group.temperature}`;
  }
}

export function isMemoryNode(value: unknown): value is MemoryNode {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'memory';
}

export function isConflictNode(value: unknown): value is ConflictNode {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'conflict';
}

export function isSensitiveNode(value: unknown): value is SensitiveNode {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'sensitive';
}
