import type { Gate, Kind, Lane, Memory, StoreKind } from './memory.js';

/**
 * `recollect`: Recollect's JSON lines. `lerim`: a folder of Markdown with frontmatter. `mcp`: JSON lines of the
 * reference memory server. `copilot`: a folder of Copilot's memory files. `markdown`: lists of a CLAUDE.md or
 * AGENTS.md.
 */
export const importFormats = ['recollect', 'lerim', 'mcp', 'copilot', 'markdown'] as const;
export type ImportFormat = (typeof importFormats)[number];

export interface ImportInput {
  /** Absolute path of a file or folder. */
  readonly path: string;
  /** Default: detected. */
  readonly format?: ImportFormat;
  /** Default `note`; `confirmed` if a person vouches for everything. */
  readonly lane?: Lane;
  /** A person states that this is their own export: keeps lanes, pins and decisions. */
  readonly own?: boolean;
  /** Writes nothing; the report says what would be kept. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Bytes of a file, or files of a folder. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** An item that was not imported, or that a person should look at. */
export interface ImportRefusal {
  /** `line 12`, or a heading or name in the file. */
  readonly where: string;
  readonly reason: string;
  /** Whether there is nothing in it to remember, such as a heading alone: nothing is missing then. */
  readonly isPassedOver?: boolean;
}

/** A fact that would be kept. */
export interface ImportPreview {
  readonly where: string;
  readonly content: string;
  readonly store: StoreKind;
  readonly gate: Gate;
  readonly kind: Kind;
}

/** Result for one file. */
export interface ImportedSource {
  readonly source: string;
  readonly fresh: number;
  readonly known: number;
  readonly refused: number;
  /** Of what was left out and what was passed over, the first hundred. */
  readonly refusals: readonly ImportRefusal[];
  /** What has nothing to remember in it; absent where there is none. */
  readonly passedOver?: number;
  /** New memories whose text looks as if it were there to steer an assistant, and why; the first hundred. */
  readonly careful?: readonly ImportRefusal[];
  /** Of a dry run: all that would be new. */
  readonly preview?: readonly ImportPreview[];
}

export interface ImportReport {
  /** To take it back by; absent where nothing was written. */
  readonly id?: string;
  readonly format: ImportFormat;
  readonly sources: readonly ImportedSource[];
  /** What the settings of the folder mean here, and which files are not read with it; sentences for the person. Absent where there is nothing to say. */
  readonly notes?: readonly string[];
  /** Edges created between memories. */
  readonly edges: number;
}

/** An import that can be taken back. */
export interface PastImport {
  readonly id: string;
  readonly at: string;
  /** Base name of what was imported. */
  readonly source: string;
  /** New memories that it made. */
  readonly memories: number;
}

/** An import that was taken back. */
export interface ImportUndo extends PastImport {
  readonly removed: number;
  /** Older memories that it had reinforced or weakened, and that are as before. */
  readonly restored: number;
  /** Of its memories those that were changed, confirmed or said again since: they stay. */
  readonly kept: readonly Memory[];
}

/** A line of an imported file in other words than its memory. */
export interface ChangedLine {
  readonly memory: Memory;
  /** As the file says it now. */
  readonly text: string;
  readonly where: string;
}

/** An imported file that says something else than it did. */
export interface ChangedImport {
  /** Path below the project, with slashes, or an absolute one. */
  readonly file: string;
  /** Present where the file is gone: then all its lines are. */
  readonly isMissing?: boolean;
  readonly added: readonly { readonly text: string; readonly where: string }[];
  readonly changed: readonly ChangedLine[];
  /** Memories whose line is gone. */
  readonly gone: readonly Memory[];
}
