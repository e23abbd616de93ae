import type { MemoryRowValues } from '../memoryRow.js';

/** A row by names of columns, its cells as the driver gives them. */
export type SharedRow = Readonly<Record<string, unknown>>;

/** Values that both drivers bind alike. */
export type SharedValue = string | number | null;

/** One connection to either database. */
export interface SharedSql {
  all(sql: string, ...values: readonly SharedValue[]): Promise<readonly SharedRow[]>;
  get(sql: string, ...values: readonly SharedValue[]): Promise<SharedRow | undefined>;
  run(sql: string, ...values: readonly SharedValue[]): Promise<void>;
}

/**
 * SQL that the databases write differently, and hints to their planners; a query that uses it is written once for both. Names
 * of columns are those of `memories m`.
 */
export interface SqlDialect {
  /** The text bound at a place, which counts from 1. */
  readonly text: (place: number) => string;
  /** The whole number bound at a place. */
  readonly integer: (place: number) => string;
  /** Condition: a text is in a JSON array. */
  readonly isIn: (text: string, list: string) => string;
  /** A field of a JSON text, as text; NULL where it has none. */
  readonly field: (json: string, name: string) => string;
  /** Number of rows of a group, of those for which a condition holds. */
  readonly count: (condition?: string) => string;
  /** A text in the order of its bytes. */
  readonly byBytes: (text: string) => string;
  /** The last of some texts in the order of their bytes. */
  readonly latest: (...texts: readonly string[]) => string;
  /** The last eight characters of an id. */
  readonly handle: (id: string) => string;
  /** A column by which no index shall be chosen. */
  readonly unindexed: (column: string) => string;
  /** The table in the order of its rows, and by set, status and time. */
  readonly inOrder: string;
  readonly byTime: string;
  /** Condition: the row `a` of `aids` is of the memory `m`. */
  readonly isAidOf: string;
  /** Condition: a memory has every tag of a JSON array. */
  readonly hasTags: (list: string) => string;
  /** Condition: a text fits a pattern of {@link containing}. */
  readonly fits: (text: string, pattern: string) => string;
  /** A pattern for what contains a text in any case, as Unicode knows it; undefined where no text can. */
  readonly containing: (text: string) => string | undefined;
  /** A memory in one cell, for {@link toRow}. */
  readonly memory: string;
  readonly toRow: (cell: unknown) => MemoryRowValues;
  /** A page of the memories for which a condition holds, newest first, each in a cell `memory`. */
  readonly page: (where: string, limit: string, offset: string) => string;
}

/** The cases of a character, in a class of a pattern; undefined where it has one. A few have no counterpart of one character. */
export function caseClass(character: string): string | undefined {
  const cases = new Set(
    [character, character.toLowerCase(), character.toUpperCase()].filter(it => it.length === character.length),
  );
  return cases.size > 1 ? `[${[...cases].join('')}]` : undefined;
}
