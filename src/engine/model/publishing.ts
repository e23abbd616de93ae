/** Files of a project that take its section: `CLAUDE.md`, `AGENTS.md`, `.github/copilot-instructions.md`. */
export const projectTargets = ['claude', 'agents', 'copilot'] as const;
export type ProjectTarget = (typeof projectTargets)[number];

/** `user` is the person's own `CLAUDE.md`, which takes the identity page; never a default. */
export const publishTargets = [...projectTargets, 'user'] as const;
export type PublishTarget = (typeof publishTargets)[number];

/** The published sections of a target, in the store that they come from. */
export interface PublishedRecord {
  /** SHA-256 of the text between the markers, newest first: an older checkout has an older section. */
  readonly sections: readonly string[];
  /** The person's last choice. */
  readonly withNotes: boolean;
}

/** Id of the record of kind `state`. */
export const publishedRecordId = (target: PublishTarget): string => `published:${target}`;

export interface PublishInput {
  /** Default: the targets in the settings. */
  readonly targets?: readonly PublishTarget[];
  /** A workspace folder; default: the first one. */
  readonly folder?: string;
  /** Includes unconfirmed notes, marked as such. */
  readonly withNotes?: boolean;
}

/** The rendered change of one file. */
export interface PublishPreview {
  readonly target: PublishTarget;
  /** The project's folder; absent for `user`. */
  readonly folder?: string;
  /** Real path, with symbolic links resolved. */
  readonly file: string;
  /** Absent for a new file. */
  readonly before?: string;
  readonly after: string;
  /** Unified diff; empty without a change. */
  readonly diff: string;
  readonly withNotes: boolean;
  /** Number of memories in the section. */
  readonly memories: number;
  /** Number of memories left out for an open contradiction. */
  readonly contradicting: number;
}
