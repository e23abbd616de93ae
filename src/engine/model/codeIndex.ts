import type { Memory } from './memory.js';

/** Kinds of symbols that the code index reads. */
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

/** A declaration in a file: zero-based lines and UTF-16 columns, end exclusive. */
export interface CodeSymbol {
  /** Qualified by its container: `Timetable.canLeave`. */
  readonly name: string;
  readonly kind: SymbolKind;
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
}

/** A file to index. */
export interface CodeFile {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** A pattern of excluded files, as in VS Code's `files.exclude`. */
export interface ExcludePattern {
  readonly pattern: string;
  /** Applies only if a sibling file with this name exists; `$(basename)` is the file name without extension. */
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
  'named like a secret',
] as const;
export type SkippedFileReason = (typeof skippedFileReasons)[number];

/** A file or declaration that was skipped because it could not be described. */
export interface FailedItem {
  /** Relative to the project. */
  readonly file: string;
  /** Absent where it is the whole file. */
  readonly symbol?: string;
  readonly problem: string;
}

export interface IndexReport {
  /** After `cancelled` the next run continues where this one stopped. */
  readonly status: 'done' | 'cancelled';
  readonly dryRun: boolean;
  /** New or changed files. */
  readonly indexed: number;
  readonly unchanged: number;
  /** Formerly indexed files that were deleted or are no longer code. */
  readonly removed: number;
  /** New pairs of description and code; in a dry run all pairs of the files to index. */
  readonly pairs: number;
  /** Memories archived because their code is gone. */
  readonly archived: number;
  /** Texts that contain a secret or that a person forgot. */
  readonly refused: number;
  /** Of the files that these are from, relative to the project; absent where there are none. */
  readonly refusedFiles?: readonly string[];
  /** Code chunks that were truncated to the maximum length of a memory. */
  readonly cut: number;
  readonly leftOut: Readonly<Partial<Record<SkippedFileReason, number>>>;
  /** Skipped because they could not be described; the rest is indexed. */
  readonly failed: readonly FailedItem[];
  /** Declarations without a comment that a language model described; absent where none is enabled. */
  readonly describedByModel?: number;
  /** Declarations that wait for a later run: each run asks for some, within the day's budget. Absent where none wait. */
  readonly waitingForModel?: number;
}

/** Descriptions by rule of code that nothing else describes. */
export interface UndescribedCode {
  readonly memories: readonly Memory[];
  /** How many there are in all. */
  readonly total: number;
}

export interface IndexStatus {
  readonly files: number;
  readonly pairs: number;
  /** Files and declarations that neither a comment nor a model nor an assistant describes. */
  readonly undescribed: number;
  /** ISO-8601 UTC; undefined before the first run. */
  readonly lastAt?: string;
}
