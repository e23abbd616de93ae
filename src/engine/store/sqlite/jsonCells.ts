import type { SqlValue } from './database.js';

// SQLite notices damage to its pages, and none to a letter within a cell: one such cell must not keep a person from all
// that is stored beside it. `verify` counts them.

/** The strings of a cell that holds them as a JSON array; none of a damaged one. */
export function stringsOf(cell: SqlValue | undefined): string[] {
  const value = parsed(cell);
  return Array.isArray(value) ? value.filter(it => typeof it === 'string') : [];
}

/** The JSON object of a cell; undefined of a damaged one. */
export function objectOf(cell: SqlValue | undefined): object | undefined {
  const value = parsed(cell);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function parsed(cell: SqlValue | undefined): unknown {
  try {
    return JSON.parse(cell as string);
  } catch {
    return undefined;
  }
}
