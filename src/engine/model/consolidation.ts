import type { Checkpoint } from './checkpoint.js';
import type { Memory, StoreKind } from './memory.js';

/** Several memories that say nearly the same, and one text for all of them. A person decides. */
export interface MergeProposal {
  /** Eight hexadecimal digits; another when a text of the group changes. */
  readonly id: string;
  readonly store: StoreKind;
  /** Active and unchanged since the proposal; two at least, oldest first. */
  readonly originals: readonly Memory[];
  readonly content: string;
  /** `rule`, or the name of the model that wrote the text. */
  readonly by: string;
  /** 0-1: how alike the least alike of them are. */
  readonly similarity: number;
  /** What that was measured by. */
  readonly measured: 'meaning' | 'words';
}

/** Two similar memories of which one denies the other: for a person to settle under "Conflicts". */
export interface Disagreement {
  readonly store: StoreKind;
  readonly memories: readonly [Memory, Memory];
}

export interface MergeProposals {
  /** Most alike first. */
  readonly proposals: readonly MergeProposal[];
  readonly disagreements: readonly Disagreement[];
}

/** What accepting a proposal did. */
export interface ConsolidationResult {
  readonly id: string;
  /** The active memory that says it all now. */
  readonly merged: Memory;
  /** What was archived for it. */
  readonly archived: readonly Memory[];
  /** The store just before. */
  readonly checkpoint: Checkpoint;
}

/** A consolidation that can be undone. */
export interface PastConsolidation {
  readonly id: string;
  /** ISO-8601 UTC */
  readonly at: string;
  readonly merged: Memory;
  readonly archived: number;
}

/** How far the search for similar memories is. */
export interface ConsolidationProgress {
  readonly done: number;
  readonly total: number;
}
