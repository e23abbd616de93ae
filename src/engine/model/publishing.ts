/**
 * Project files with a published section. `claude` is what Claude Code reads: `CLAUDE.md`, or `.claude/rules/recollect.md`
 * beside an `AGENTS.md`; the others are `AGENTS.md`, `.github/copilot-instructions.md`, `.cursor/rules/recollect.mdc` and
 * `GEMINI.md`.
 */
export const projectTargets = ['claude', 'agents', 'copilot', 'cursor', 'gemini'] as const;
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
  /** Insertions into each file besides the section, by absolute path. Absent in older records. */
  readonly insertions?: Readonly<Record<string, SectionInsertion>>;
}

/** How a section came into a file, so that it can be taken out without a trace. */
export interface SectionInsertion {
  /** The file was created for it. */
  readonly created: boolean;
  /** The line ends that separate it from the text above. */
  readonly gap: string;
}

/** Id of the record, of kind `state`. */
export const publishedRecordId = (target: PublishTarget): string => `published:${target}`;

export interface PublishInput {
  /** Default: those of the settings; for a withdrawal all files of the project. */
  readonly targets?: readonly PublishTarget[];
  /** One of the host's folders; default the first one. */
  readonly folder?: string;
  /** Includes unconfirmed notes, which are marked. Default false. */
  readonly withNotes?: boolean;
}

/** The result of publishing into one file, or of taking out what was published. */
export interface PublishPreview {
  readonly target: PublishTarget;
  /** The project folder; absent for `user`. */
  readonly folder?: string;
  /** The file after resolving symbolic links. */
  readonly file: string;
  /** The link to it by which the target names it; absent where it names the file itself. */
  readonly link?: string;
  /** Absent if there is no file yet. */
  readonly before?: string;
  /** Absent if the file goes: it holds nothing but what was published. */
  readonly after?: string;
  /** Unified; empty when nothing changes. */
  readonly diff: string;
  readonly withNotes: boolean;
  /** Memories in the section. */
  readonly memories: number;
  /** Memories skipped because of an unsettled contradiction. */
  readonly contradicting: number;
  /** Memories skipped because the assistant reads the same in the text around the section, or in a file next to it. */
  readonly alreadySaid: number;
  /** Takes the section out, instead of writing it. */
  readonly withdraws: boolean;
}
