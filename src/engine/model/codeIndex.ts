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
  /** Qualified name: `Timetable.canLeave`. */
  readonly name: string;
  readonly kind: SymbolKind;
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
}

export interface CodeFile {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
}

/** A pattern of VS Code's `files.exclude`. */
export interface ExcludePattern {
  readonly pattern: string;
  /** Applies only where a sibling of this name exists; `$(basename)` is the file's name without extension. */
  readonly when?: string;
}

export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

/** Why a file is skipped. */
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
  /** After `cancelled` the next run resumes. */
  readonly status: 'done' | 'cancelled';
  readonly dryRun: boolean;
  /** Number of new and changed files. */
  readonly indexed: number;
  readonly unchanged: number;
  /** Number of indexed files that are missing or no longer code. */
  readonly removed: number;
  /** Number of written pairs of description and code; in a dry run all chunks of the files to be indexed. */
  readonly pairs: number;
  /** Number of archived memories of missing code. */
  readonly archived: number;
  /** Number of texts with a secret, or that the person chose to forget. */
  readonly refused: number;
  /** Number of chunks truncated to the size of a memory. */
  readonly cut: number;
  readonly leftOut: Readonly<Partial<Record<SkippedFileReason, number>>>;
}

export interface IndexStatus {
  readonly files: number;
  readonly pairs: number;
  /** ISO-8601 UTC; absent before the first run. */
  readonly lastAt?: string;
}
