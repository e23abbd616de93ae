import type { Lane } from './memory.js';

/**
 * `recollect`: our own JSON lines. `lerim`: a folder of Markdown with frontmatter. `mcp`: the reference memory server's
 * JSON lines. `copilot`: a folder of Copilot's memory files. `markdown`: the lists of a CLAUDE.md or AGENTS.md.
 */
export const importFormats = ['recollect', 'lerim', 'mcp', 'copilot', 'markdown'] as const;
export type ImportFormat = (typeof importFormats)[number];

export interface ImportInput {
  /** Absolute path of a file or folder. */
  readonly path: string;
  /** Default: recognised by what is there. */
  readonly format?: ImportFormat;
  /** Default `note`; `confirmed` where a person vouches for all of it. */
  readonly lane?: Lane;
  /** Of our own export: a person says that it is theirs, so that lanes, pins and what they decided are kept. */
  readonly own?: boolean;
  readonly signal?: AbortSignal;
  /** Bytes of a file, or files of a folder. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** Something that was not taken. */
export interface ImportRefusal {
  /** `line 12`, or a heading or name in the file. */
  readonly where: string;
  readonly reason: string;
}

/** What became of one file. */
export interface ImportedSource {
  readonly source: string;
  readonly fresh: number;
  readonly known: number;
  readonly refused: number;
  /** The first hundred. */
  readonly refusals: readonly ImportRefusal[];
}

export interface ImportReport {
  readonly format: ImportFormat;
  readonly sources: readonly ImportedSource[];
  /** Edges between memories that were made. */
  readonly edges: number;
}
