import type { StoreKind } from './memory.js';

/** A stored memory that is like a new one. */
export interface RelatedFact {
  readonly id: string;
  readonly content: string;
  /** When it was last asserted, ISO-8601 UTC. */
  readonly assertedAt: string;
  /** Whether it probably says the same in other words, as far as an embedder can read that. */
  readonly saysSame?: true;
}

/** A stored memory that a new fact replaces, by the word of its caller. */
export interface ReplacedFact {
  readonly id: string;
  readonly content: string;
  /** A person confirmed it: it stands until they settle which one holds. */
  readonly isUndecided?: true;
}

/** Outcome of one fact of a remember call. */
export type RememberOutcome =
  | {
      readonly outcome: 'stored';
      readonly id: string;
      readonly content: string;
      readonly store: StoreKind;
      /** Name of the project whose memory has it; absent for what holds in all projects. */
      readonly project?: string;
      /** A person said it in a project, without a place, and it reads as what holds of them in all projects. */
      readonly mayHoldEverywhere?: true;
      /** Until when it is kept, ISO-8601 UTC, where it does not last. */
      readonly keptUntil?: string;
      /** Memories that it replaces now. */
      readonly replaces?: readonly ReplacedFact[];
      /** Memories that may be of the same subject, the likeliest first: about them nothing is stated. */
      readonly related?: readonly RelatedFact[];
      /** Parts of the request that failed, besides storing. */
      readonly reason?: string;
    }
  | {
      readonly outcome: 'reinforced';
      readonly id: string;
      readonly content: string;
      readonly store: StoreKind;
      /** Name of the project whose memory has it; absent for what holds in all projects. */
      readonly project?: string;
      /** Until when it is kept, ISO-8601 UTC, where it does not last. */
      readonly keptUntil?: string;
      /** Memories that it replaces now. */
      readonly replaces?: readonly ReplacedFact[];
      /** Parts of the request that failed, besides reinforcing. */
      readonly reason?: string;
    }
  | { readonly outcome: 'refused'; readonly reason: string };
