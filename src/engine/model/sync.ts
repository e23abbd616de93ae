import type { Lane } from './memory.js';

/** The side of a conflict that a person keeps. */
export const syncSides = ['file', 'memory'] as const;
export type SyncSide = (typeof syncSides)[number];

export const missingChoices = ['archive', 'write'] as const;
export type MissingChoice = (typeof missingChoices)[number];

export interface SyncInput {
  /** One of the host's folders; default the first one. */
  readonly folder?: string;
  /** Folder of the Markdown, absolute or within the project folder. Default `.recollect/memory`. */
  readonly mirror?: string;
  /**
   * Absolute folder of the Markdown of the global memory, which is synced in place of the project's. There is no default:
   * global memories are written only where a person wants them.
   */
  readonly globalFolder?: string;
  /** Lane of memories from new files. Default `note`; `confirmed` if a person vouches for them. */
  readonly lane?: Lane;
  /** A person's decisions about conflicts, by file name. */
  readonly decisions?: Readonly<Record<string, SyncSide>>;
  /**
   * A person's decision where the whole folder is gone, empty or a link: archive the memories whose files are missing, or
   * write the files again. Without it nothing is done then.
   */
  readonly missing?: MissingChoice;
  /**
   * Whether a lerim folder also gets what was said in captured sessions, without secrets and personal data (`meta/traces`), and
   * reports of the sync and of maintenance (`workspace`).
   */
  readonly traces?: boolean;
  /** The sync runs by itself: a deleted file archives no memory, because it may come back with another branch. */
  readonly isFollowing?: true;
  /** Reports what would be done, without doing it. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface SyncStep {
  /**
   * Of a file: `written`, or `moved` into or out of the archive. Of a memory: `added` from a new file, `changed`,
   * `archived` because its file was deleted or moved into the archive, `restored`.
   */
  readonly what: 'written' | 'moved' | 'added' | 'changed' | 'archived' | 'restored';
  /** Path below the mirror, with slashes. */
  readonly name: string;
  /** Memory id; absent if a dry run would create the memory. */
  readonly id?: string;
}

/** A change that only a person may decide; neither side was touched. */
export interface SyncConflict {
  readonly name: string;
  readonly id: string;
  /** Text of the file; empty if it was deleted. */
  readonly file: string;
  readonly memory: string;
  /** Unified diff from the file to the memory. */
  readonly diff: string;
  /** Only the file has changed, and the memory is a person's: the file proposes. Else both sides have changed. */
  readonly isProposal: boolean;
}

/** A file that was skipped. */
export interface SkippedFile {
  readonly name: string;
  readonly reason: string;
  /** A memory says the same already: nothing is missing. */
  readonly isKnown?: true;
}

export interface SyncReport {
  /** Set where nothing was done until a person decides, since the folder is gone, empty or a link. */
  readonly missing?: { readonly why: 'gone' | 'link' | 'empty'; readonly memories: number };
  /** The folder with the Markdown. */
  readonly mirror: string;
  /** Meaning of the settings of a lerim folder; sentences for the person. Absent where there is nothing to say. */
  readonly notes?: readonly string[];
  /** Memories and files, each pair once; 0 if there are none. */
  readonly compared: number;
  readonly steps: readonly SyncStep[];
  readonly conflicts: readonly SyncConflict[];
  readonly refused: readonly SkippedFile[];
  /** Names in `decisions` about which nothing was to be decided; absent where there are none. */
  readonly undecided?: readonly string[];
  /** Files that are gone, whose memories wait for a sync that a person asks for; absent where there are none. */
  readonly held?: number;
  /** Transcripts of captured sessions that the folder has; absent where none were asked for. */
  readonly traces?: number;
}

/** Id of a store's record of the folders that were synced with it. */
export const followedMirrorsId = 'mirrors';

/** Folders that were synced with a store. */
export interface FollowedMirrors {
  readonly mirrors: readonly {
    /** Absolute. */
    readonly root: string;
    /** Changes that need a person's word, as of the last sync. */
    readonly waiting: number;
  }[];
}
