/** Project files with a published section: `CLAUDE.md`, `AGENTS.md`, `.github/copilot-instructions.md`. */
export const projectTargets = ['claude', 'agents', 'copilot'] as const;
export type ProjectTarget = (typeof projectTargets)[number];

/** `user` is the person's `CLAUDE.md`, which gets the identity document on explicit request only. */
export const publishTargets = [...projectTargets, 'user'] as const;
export type PublishTarget = (typeof publishTargets)[number];

/** Written sections of a target; stored in the store that they were taken from. */
export interface PublishedRecord {
  /** SHA-256 of the text between the markers, latest first: an older checkout has an older section. */
  readonly sections: readonly string[];
  /** The person's last choice. */
  readonly withNotes: boolean;
}

/** Id of the record, of kind `state`. */
export const publishedRecordId = (target: PublishTarget): string => `published:${target}`;

export interface PublishInput {
  /** Default: those of the settings. */
  readonly targets?: readonly PublishTarget[];
  /** One of the host's folders; default the first one. */
  readonly folder?: string;
  /** Includes unconfirmed notes, which are marked. Default false. */
  readonly withNotes?: boolean;
}

/** The result of publishing into one file. */
export interface PublishPreview {
  readonly target: PublishTarget;
  /** The project folder; absent for `user`. */
  readonly folder?: string;
  /** The file after resolving symbolic links. */
  readonly file: string;
  /** Absent if there is no file yet. */
  readonly before?: string;
  readonly after: string;
  /** Unified; empty when nothing changes. */
  readonly diff: string;
  readonly withNotes: boolean;
  /** Memories in the section. */
  readonly memories: number;
  /** Memories skipped because of an unsettled contradiction. */
  readonly contradicting: number;
}
