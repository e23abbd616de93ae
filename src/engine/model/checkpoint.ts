import type { StoreKind } from './memory.js';

/** Who asked for a copy: a person, the engine before something large, or the daily backup. */
export const checkpointOrigins = ['person', 'engine', 'backup'] as const;
export type CheckpointOrigin = (typeof checkpointOrigins)[number];

/** A copy of one whole store, in a file of its own. */
export interface Checkpoint {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly store: StoreKind;
  /** The database file it is a copy of. */
  readonly of: string;
  readonly file: string;
  /** ISO-8601 UTC */
  readonly at: string;
  /** Why it was made, in words. */
  readonly reason: string;
  readonly origin: CheckpointOrigin;
  readonly bytes: number;
  /** Memories of every status; undefined when the file cannot be read. */
  readonly memories: number | undefined;
}

/** What a restored checkpoint changed. */
export interface RestoreResult {
  readonly restored: Checkpoint;
  /** The state just before, so that the restoration can be undone. */
  readonly before: Checkpoint;
  /** Memories that are there again, that are gone, and that are as they were. */
  readonly back: number;
  readonly gone: number;
  readonly changed: number;
}
