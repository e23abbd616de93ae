import type { SqlValue } from './database.js';

// SQLite notices damage to its pages, and none to a letter within a cell: one such cell must not keep a person from all
// that is stored beside it. `verify` counts them.

/** The strings of a cell that holds them as a JSON array; none of a damaged one. */
export function parseStringArray(cell: SqlValue | undefined): string[] {
  const value = parseJson(cell);
  return Array.isArray(value) ? value.filter(it => typeof it === 'string') : [];
}

/** The JSON object of a cell; undefined of a damaged one. */
export function parseObject(cell: SqlValue | undefined): object | undefined {
  const value = parseJson(cell);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function parseJson(cell: SqlValue | undefined): unknown {
  try {
    return JSON.parse(cell as string);
  } catch {
    return undefined;
  }
}
