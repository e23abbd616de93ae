/** Files of a project that take its section: `CLAUDE.md`, `AGENTS.md`, `.github/copilot-instructions.md`. */
export const projectTargets = ['claude', 'agents', 'copilot'] as const;
export type ProjectTarget = (typeof projectTargets)[number];

/** `user` is the person's own `CLAUDE.md`, which takes the identity document; only where somebody asks for it. */
export const publishTargets = [...projectTargets, 'user'] as const;
export type PublishTarget = (typeof publishTargets)[number];

/** What was written into the sections of a target; in the store that it was taken from. */
export interface PublishedRecord {
  /** SHA-256 of what stood between the markers, the last one first: an older checkout has an older one. */
  readonly sections: readonly string[];
  /** As the person wanted it last. */
  readonly withNotes: boolean;
}

/** The id of that record, of kind `state`. */
export const publishedRecordId = (target: PublishTarget): string => `published:${target}`;

export interface PublishInput {
  /** Default: those of the settings. */
  readonly targets?: readonly PublishTarget[];
  /** One of the host's folders; default the first one. */
  readonly folder?: string;
  /** What a model noted and nobody confirmed is left out unless this is set; it is marked then. */
  readonly withNotes?: boolean;
}

/** What publishing would make of one file. */
export interface PublishPreview {
  readonly target: PublishTarget;
  /** The project's folder; absent for `user`. */
  readonly folder?: string;
  /** Where the text lies: behind any symbolic link. */
  readonly file: string;
  /** Absent where there is no file yet. */
  readonly before?: string;
  readonly after: string;
  /** Unified; empty when nothing changes. */
  readonly diff: string;
  readonly withNotes: boolean;
  /** Memories in the section. */
  readonly memories: number;
  /** Memories left out because they contradict each other and nobody has settled it. */
  readonly contradicting: number;
}
