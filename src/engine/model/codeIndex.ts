/** What the code index reads and tells. */

export const symbolKinds = [
  'class',
  'interface',
  'struct',
  'enum',
  'type',
  'trait',
  'function',
  'method',
  'constructor',
  'module',
] as const;
export type SymbolKind = (typeof symbolKinds)[number];

/** A declaration in a file: zero-based lines and characters (UTF-16), end exclusive. */
export interface CodeSymbol {
  /** With what it is in: `Timetable.canLeave`. */
  readonly name: string;
  readonly kind: SymbolKind;
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
}

/** A file as it is read for the index. */
export interface CodeFile {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** A pattern of files that are left out, as in VS Code's `files.exclude`. */
export interface ExcludePattern {
  readonly pattern: string;
  /** Only where a file of this name lies beside it; `$(basename)` is the file's name without its ending. */
  readonly when?: string;
}

export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

/** Why a file is left out. */
export const skippedFileReasons = [
  'ignored',
  'not code',
  'binary',
  'too large',
  'minified',
  'generated',
  'unreadable',
] as const;
export type SkippedFileReason = (typeof skippedFileReasons)[number];

export interface IndexReport {
  /** After `cancelled` the next run goes on where this one stopped. */
  readonly status: 'done' | 'cancelled';
  readonly dryRun: boolean;
  /** Files that were new or changed. */
  readonly indexed: number;
  readonly unchanged: number;
  /** Files that were indexed once and are no longer there, or no longer code. */
  readonly removed: number;
  /** Descriptions with their code that were made anew. In a dry run all of the files that would be indexed. */
  readonly pairs: number;
  /** Memories that went because their code did. */
  readonly archived: number;
  /** Texts that hold a secret, or that a person chose to forget. */
  readonly refused: number;
  /** Pieces of code too long for one memory, of which the beginning is kept. */
  readonly cut: number;
  readonly leftOut: Readonly<Partial<Record<SkippedFileReason, number>>>;
}

export interface IndexStatus {
  readonly files: number;
  readonly pairs: number;
  /** ISO-8601 UTC; undefined before the first time. */
  readonly lastAt?: string;
}
