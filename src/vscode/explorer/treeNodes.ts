import type { ActionRequest } from '../../engine/model/actionRequest.js';
import type { Intake, LinePlace } from '../../engine/model/intake.js';
import type { SensitiveMemory } from '../../engine/model/sensitive.js';
import type { DecayClass, Gate } from '../../engine/model/memory.js';
import type { Conflict, MemoryWithConfidence, PlanToReview, Replacement } from '../../engine/model/conflict.js';
import type { RecordedChange } from '../undo/undoHistory.js';

/** A node of the explorer's tree. Ids are stable, so that selection and expansion survive a refresh. */
export type ExplorerNode =
  UndoNode | GroupNode | ConflictNode | IntakeNode | MemoryNode | SensitiveNode | MoreNode | AllMemoriesNode;

/** The gates in plain words: each topic has the memories of its gates. */
export const topics = {
  rules: ['correction', 'behavioral'],
  facts: ['epistemic'],
  people: ['relational'],
  plans: ['promissory'],
} as const satisfies Readonly<Record<string, readonly Gate[]>>;
export type Topic = keyof typeof topics;

export type GroupId =
  'needsYou' | 'recent' | Topic | 'everywhere' | `lasts/${DecayClass}` | 'code' | 'sensitive' | 'forgotten';

/** A root with rows below it; absent when empty. */
export interface GroupNode {
  readonly type: 'group';
  readonly id: GroupId;
  readonly count: number;
  /** Whether there are more than counted. */
  readonly isAtLeast?: true;
  readonly open: boolean;
  /** Of `needsYou`: how many rows of each sort. */
  readonly needs?: NeedCounts;
}

export interface NeedCounts {
  readonly requests: number;
  readonly conflicts: number;
  /** Pairs of which one may replace the other. */
  readonly likely: number;
  readonly overdue: number;
  readonly faded: number;
  readonly intakes: number;
}

/** Two memories of which one no longer holds by an assistant's word, or perhaps, for a person to settle. */
export interface ConflictNode {
  readonly type: 'conflict';
  readonly id: string;
  readonly conflict: Conflict;
}

/** An import, or the statements of captured sessions, with what is undecided. */
export interface IntakeNode {
  readonly type: 'intake';
  readonly id: string;
  readonly intake: Intake;
}

export interface MemoryNode {
  readonly type: 'memory';
  readonly id: string;
  readonly details: MemoryWithConfidence;
  /** Of its creation, or of its end where it is not active. */
  readonly age: Age;
  /** Its project, where several are open. */
  readonly project?: string;
  /** Whether it fades within two weeks unless it is used. */
  readonly fadesSoon: boolean;
  /** Why the row is shown where it is; absent in the groups. */
  readonly context?: MemoryNodeContext;
  /** Of an imported one: the heading that it was below, and its text without that; absent where it was below none. */
  readonly line?: Pick<LinePlace, 'heading' | 'text'>;
  /** Memories that it replaces, shown below it. */
  readonly replaced?: readonly MemoryNode[];
}

/** How long ago, in the largest unit that fits. */
export interface Age {
  readonly count: number;
  readonly unit: 'minute' | 'hour' | 'day' | 'week' | 'year';
}

/** An assistant's request, the reason why a plan is to be reviewed, or what replaced it. */
export type MemoryNodeContext =
  | { readonly request: Omit<ActionRequest, 'memory'> }
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
  readonly shown: number;
  readonly total: number;
  /** Whether there are more than `total`. */
  readonly isAtLeast?: true;
}

/** Undoes the last change, until the next one. */
export interface UndoNode {
  readonly type: 'undo';
  readonly id: 'undo';
  readonly change: RecordedChange;
  /** Of its memory, where it is one. */
  readonly text?: string;
}

/** Opens the page of all memories: the first row where there are very many. */
export interface AllMemoriesNode {
  readonly type: 'all';
  readonly id: 'all';
  readonly count: number;
}

/** The argument after the id where a row was opened by a click or Enter: the keys still go to the row, as the one that forgets. */
export const rowClicked = 'row clicked';

/** The argument of the command that opens all memories: the keys go to its search field. */
export const toSearch = 'to search';

export function isMemoryNode(value: unknown): value is MemoryNode {
  return isNode(value, 'memory');
}

export function isConflictNode(value: unknown): value is ConflictNode {
  return isNode(value, 'conflict');
}

export function isSensitiveNode(value: unknown): value is SensitiveNode {
  return isNode(value, 'sensitive');
}

function isNode(value: unknown, type: ExplorerNode['type']): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type;
}
