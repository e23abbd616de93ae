import type { Checkpoint } from './checkpoint.js';
import type { Memory, StoreKind } from './memory.js';

/** Near-duplicate memories and one text to replace them. A person decides. */
export interface MergeProposal {
  /** Eight hexadecimal digits; changes with the texts of the group. */
  readonly id: string;
  readonly store: StoreKind;
  /** At least two, active and unchanged since the proposal, oldest first. */
  readonly originals: readonly Memory[];
  readonly content: string;
  /** `rule`, or the name of the model that wrote the text. */
  readonly by: string;
  /** Similarity of the least similar pair, 0-1. */
  readonly similarity: number;
  /** Measure of the similarity. */
  readonly measured: 'meaning' | 'words';
}

/** Two similar memories that contradict each other; a person settles them under "Conflicts". */
export interface Disagreement {
  readonly store: StoreKind;
  readonly memories: readonly [Memory, Memory];
}

export interface MergeProposals {
  /** Most similar first. */
  readonly proposals: readonly MergeProposal[];
  readonly disagreements: readonly Disagreement[];
}

/** Result of accepting a proposal. */
export interface ConsolidationResult {
  readonly id: string;
  /** The active memory with the merged content. */
  readonly merged: Memory;
  /** The archived originals. */
  readonly archived: readonly Memory[];
  /** The store before the merge. */
  readonly checkpoint: Checkpoint;
}

/** A merge that can be undone. */
export interface PastConsolidation {
  readonly id: string;
  /** ISO-8601 UTC */
  readonly at: string;
  readonly merged: Memory;
  readonly archived: number;
}

/** Progress of the search for similar memories. */
export interface ConsolidationProgress {
  readonly done: number;
  readonly total: number;
}
