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

/** The heads of the audit logs at one moment, to be kept where nothing on this machine can change it. */
export interface AuditAnchor {
  /** ISO-8601 UTC. */
  readonly at: string;
  /** By the store's folder below the data folder, such as `global`. */
  readonly heads: Readonly<Record<string, string>>;
}
