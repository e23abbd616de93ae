import type { StoreKind } from './memory.js';
import type { ModelStatus } from './modelStatus.js';

/** What the audit table records. */
export const auditActions = [
  'create',
  'reinforce',
  'weaken',
  'pin',
  'unpin',
  'archive',
  'restore',
  'promote',
  'feedback',
  'edit',
  'read',
  'link',
  'settle',
  'mark',
  'supersede',
  'merge',
  'export',
  'import',
  'consent',
  'maintain',
  'prune',
  'purge',
  'reset',
  'rollback',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Announced after every commit, also those of other processes (then without ids). */
export interface ChangeEvent {
  readonly store: StoreKind;
  readonly ids: readonly string[];
  /** Present when it is the use of a language model that changed, and no memory. */
  readonly model?: ModelStatus;
}

/** A memory that a told fact contradicts. */
export interface Contradiction {
  readonly id: string;
  readonly content: string;
  /** 0-1. */
  readonly certainty: number;
  /** One sentence that names what differs. */
  readonly reason: string;
  /** False: it is pinned, a person confirmed it and the new one is a note, or it was told later than the new one. */
  readonly weakened: boolean;
}

/** A memory that a new one may contradict: the rules are not sure, and nothing was done about it. */
export interface UncertainRelation {
  readonly id: string;
  readonly content: string;
  /** 0-1: how sure the rules are of what they took it for. */
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

/** One outcome per fact of a remember call. */
export type RememberOutcome =
  | {
      readonly outcome: 'stored';
      readonly id: string;
      readonly content: string;
      readonly store: StoreKind;
      /** Memories that say otherwise: older ones are weaker now, unless a person's word stands against a note. */
      readonly contradicts?: readonly Contradiction[];
      /** Near memories about which nothing is decided, the nearest first; a few. */
      readonly related?: readonly RelatedFact[];
      /** What could not be done of what was asked for beside storing. */
      readonly reason?: string;
      /** What only somebody who understands both could decide. */
      readonly doubts?: readonly UncertainRelation[];
    }
  | {
      readonly outcome: 'reinforced';
      readonly id: string;
      readonly content: string;
      readonly store: StoreKind;
      /** Memories that said otherwise since it was told before. */
      readonly contradicts?: readonly Contradiction[];
    }
  | { readonly outcome: 'refused'; readonly reason: string };

/** How many memories have a vector of the model in use, of those that should. */
export interface EmbeddingProgress {
  readonly embedded: number;
  readonly total: number;
}

export interface StoreReport {
  readonly store: StoreKind;
  readonly file: string;
  readonly memories: number;
  readonly auditEntries: number;
  /** Empty when all is well; otherwise one sentence each. */
  readonly problems: readonly string[];
}
