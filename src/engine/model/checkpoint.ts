import type { StoreKind } from './memory.js';

/** Origin of a copy: a person, the engine before a large change, or the daily backup. */
export const checkpointOrigins = ['person', 'engine', 'backup'] as const;
export type CheckpointOrigin = (typeof checkpointOrigins)[number];

/** A copy of one whole store in a separate file. */
export interface Checkpoint {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly store: StoreKind;
  /** The copied database file. */
  readonly of: string;
  readonly file: string;
  /** ISO-8601 UTC */
  readonly at: string;
  /** Why it was made, in words. */
  readonly reason: string;
  readonly origin: CheckpointOrigin;
  readonly bytes: number;
  /** Memories of any status; undefined if the file cannot be read. */
  readonly memories: number | undefined;
}

/** Result of restoring a checkpoint. */
export interface RestoreResult {
  readonly restored: Checkpoint;
  /** The state before, which undoes the restore. */
  readonly before: Checkpoint;
  /** Numbers of added, removed and changed memories. */
  readonly back: number;
  readonly gone: number;
  readonly changed: number;
}
