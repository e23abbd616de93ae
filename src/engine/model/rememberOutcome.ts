import type { StoreKind } from './memory.js';

/** A stored memory that contradicts a new fact. */
export interface Contradiction {
  readonly id: string;
  readonly content: string;
  /** 0-1. */
  readonly certainty: number;
  /** One sentence that names the difference. */
  readonly reason: string;
  /**
   * Whether the stored memory lost confidence. False if it is pinned, if a person confirmed it and the new fact is a
   * note, or if it was asserted later than the new fact.
   */
  readonly weakened: boolean;
}

/** A stored memory that a new fact may contradict: the rules are not certain, and nothing was changed. */
export interface UncertainRelation {
  readonly id: string;
  readonly content: string;
  /** 0-1: certainty of the rules about the relation they found. */
  readonly certainty: number;
  readonly reason: string;
}

/** A stored memory that is near a new one. */
export interface RelatedFact {
  readonly id: string;
  readonly content: string;
  /** When it was last asserted, ISO-8601 UTC. */
  readonly assertedAt: string;
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
      /** Until when it is kept, ISO-8601 UTC, where it does not last. */
      readonly keptUntil?: string;
      /** Contradicting memories. Older ones lost confidence, unless a person confirmed them and this is a note. */
      readonly contradicts?: readonly Contradiction[];
      /** Near memories about which nothing is decided, the nearest first. */
      readonly related?: readonly RelatedFact[];
      /** What could not be done of the request beside storing. */
      readonly reason?: string;
      /** Relations that need someone who understands both texts. */
      readonly doubts?: readonly UncertainRelation[];
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
      /** Memories stored since the fact was last asserted that contradict it. */
      readonly contradicts?: readonly Contradiction[];
      /** What could not be done of the request beside reinforcing. */
      readonly reason?: string;
    }
  | { readonly outcome: 'refused'; readonly reason: string };
