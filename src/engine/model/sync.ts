import type { Lane } from './memory.js';

/** Which side of a conflict a person keeps. */
export const syncSides = ['file', 'memory'] as const;
export type SyncSide = (typeof syncSides)[number];

export interface SyncInput {
  /** One of the host's folders; default the first one. */
  readonly folder?: string;
  /** Where the Markdown lies, absolute or within the folder. Default `.recollect/memory`. */
  readonly mirror?: string;
  /** Of memories that new files become. Default `note`; `confirmed` where a person vouches for them. */
  readonly lane?: Lane;
  /** What a person decided about conflicts, by the name of the file. */
  readonly decisions?: Readonly<Record<string, SyncSide>>;
  /** Says what would be done, and does nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface SyncStep {
  /**
   * On the file: `written`, `moved` into or out of the archive. On the memory: `added` from a new file, `changed`,
   * `archived` since its file was deleted or moved into the archive, `restored`.
   */
  readonly what: 'written' | 'moved' | 'added' | 'changed' | 'archived' | 'restored';
  /** Below the mirror, with slashes. */
  readonly name: string;
  /** Of the memory; absent where a dry run would make it. */
  readonly id?: string;
}

/** Both sides have changed since the last time; each is as it was. */
export interface SyncConflict {
  readonly name: string;
  readonly id: string;
  /** As text of a file; empty where it was deleted. */
  readonly file: string;
  readonly memory: string;
  /** Unified, from the file to the memory. */
  readonly diff: string;
}

export interface SyncReport {
  /** The folder with the Markdown. */
  readonly mirror: string;
  /** Memories of the project and files, each pair once; 0 where there is neither. */
  readonly compared: number;
  readonly steps: readonly SyncStep[];
  readonly conflicts: readonly SyncConflict[];
  /** Files that were left alone, and why. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}
