import type { Lane } from './memory.js';

/**
 * `recollect`: Recollect's own JSON lines. `lerim`: a folder of Markdown with frontmatter. `mcp`: the reference memory server's
 * JSON lines. `copilot`: a folder of Copilot's memory files. `markdown`: the lists of a CLAUDE.md or AGENTS.md.
 */
export const importFormats = ['recollect', 'lerim', 'mcp', 'copilot', 'markdown'] as const;
export type ImportFormat = (typeof importFormats)[number];

export interface ImportInput {
  /** Absolute path of a file or folder. */
  readonly path: string;
  /** Default: detected. */
  readonly format?: ImportFormat;
  /** Default: `note`; `confirmed` where the person vouches for everything. */
  readonly lane?: Lane;
  /** The person vouches that an export is their own: lanes, pins and decisions are taken over. */
  readonly own?: boolean;
  readonly signal?: AbortSignal;
  /** Bytes of a file, or files of a folder. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** An item that was not imported. */
export interface ImportRefusal {
  /** `line 12`, or a name within the source. */
  readonly where: string;
  readonly reason: string;
}

/** Counts of one file. */
export interface ImportedSource {
  readonly source: string;
  readonly fresh: number;
  readonly known: number;
  readonly refused: number;
  /** At most a hundred. */
  readonly refusals: readonly ImportRefusal[];
}

export interface ImportReport {
  readonly format: ImportFormat;
  readonly sources: readonly ImportedSource[];
  /** Number of created edges. */
  readonly edges: number;
}
