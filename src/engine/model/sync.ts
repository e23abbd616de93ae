import type { Lane } from './memory.js';

/** The side of a conflict to keep. */
export const syncSides = ['file', 'memory'] as const;
export type SyncSide = (typeof syncSides)[number];

export interface SyncInput {
  /** A workspace folder; default: the first one. */
  readonly folder?: string;
  /** The folder with the Markdown files, absolute or relative to `folder`. Default: `.recollect/memory`. */
  readonly mirror?: string;
  /** Lane of memories from new files. Default: `note`; `confirmed` where the person vouches for them. */
  readonly lane?: Lane;
  /** Decided conflicts, by file name. */
  readonly decisions?: Readonly<Record<string, SyncSide>>;
  /** Reports what would be done, and writes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface SyncStep {
  /**
   * On the file: `written`, or `moved` into or out of the archive. On the memory: `added` from a new file, `changed`,
   * `archived` because its file was deleted or archived, `restored`.
   */
  readonly what: 'written' | 'moved' | 'added' | 'changed' | 'archived' | 'restored';
  /** Path below the mirror, with slashes. */
  readonly name: string;
  /** Id of the memory; absent where a dry run would add it. */
  readonly id?: string;
}

/** A memory and a file that both changed since the last sync. Neither was touched. */
export interface SyncConflict {
  readonly name: string;
  readonly id: string;
  /** Text of the file; empty where it was deleted. */
  readonly file: string;
  /** Text of the file that the memory would give. */
  readonly memory: string;
  /** Unified diff, from the file to the memory. */
  readonly diff: string;
}

export interface SyncReport {
  /** The folder with the Markdown files. */
  readonly mirror: string;
  /** Number of compared memories and files; a pair counts once. */
  readonly compared: number;
  readonly steps: readonly SyncStep[];
  readonly conflicts: readonly SyncConflict[];
  /** Skipped files with the reason. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}
