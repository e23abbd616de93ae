import type { StoreKind } from './memory.js';

/** Result of checking one store. */
export interface StoreReport {
  readonly store: StoreKind;
  readonly file: string;
  readonly memories: number;
  readonly auditEntries: number;
  /** One sentence each; empty for a healthy store. */
  readonly problems: readonly string[];
}

/** Number of memories with a vector of the current model, out of those that should have one. */
export interface EmbeddingProgress {
  readonly embedded: number;
  readonly total: number;
}
