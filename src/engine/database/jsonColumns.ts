import type { SqlValue } from './database.js';

// SQLite detects damaged pages, but not a changed letter in a cell. One such cell must not make everything else unreadable;
// `verify` counts them.

/** Parses a JSON array of strings; empty for a damaged cell. */
export function parseStringArray(cell: SqlValue | undefined): string[] {
  const value = parseJson(cell);
  return Array.isArray(value) ? value.filter(it => typeof it === 'string') : [];
}

/** Parses a JSON object; undefined for a damaged cell. */
export function parseObject(cell: SqlValue | undefined): object | undefined {
  const value = parseJson(cell);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** The user's own words in a provenance, as JSON text; undefined where it has none. */
export function parseSaid(cell: SqlValue | undefined): string | undefined {
  const { said } = (parseObject(cell) ?? {}) as { readonly said?: unknown };
  return typeof said === 'string' ? said : undefined;
}

function parseJson(cell: SqlValue | undefined): unknown {
  try {
    return JSON.parse(cell as string);
  } catch {
    return undefined;
  }
}
