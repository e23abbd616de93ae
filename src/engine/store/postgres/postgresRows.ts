import type { PostgresRow } from '../../database/postgres/postgresConnection.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import { memoryColumns, toMemory, type MemoryRowValues } from '../memoryRow.js';

/**
 * SQL of a memory as a JSON array for `fromPostgres`.
 * @param table name or alias of `memories`
 */
export function memoryArraySql(table = 'memories'): string {
  return `json_build_array(${[...memoryColumns, 'in_degree'].map(it => `${table}.${it}`).join(', ')})`;
}

/** @param row with the column `memory`, made by `memoryArraySql` */
export function fromPostgres(row: PostgresRow, store: StoreKind): Memory {
  return toMemory(row.memory as MemoryRowValues, store);
}

/** JSON text for a cast to json or jsonb, which reads every text in it but an escaped NUL and half a surrogate pair. */
export function readableJsonSql(text: string): string {
  return String.raw`regexp_replace(${text}, '\\u(?:0000|[dD][89a-fA-F]..)', '\\ufffd', 'g')`;
}

/** Terms with their positions, as PostgreSQL reads a `tsvector`: at most 255 positions a term, up to 16,383. */
export function toTsvector(terms: readonly string[]): string {
  const positions = new Map<string, number[]>();
  for (const [i, term] of terms.entries()) {
    const list = positions.get(term) ?? [];
    if (list.length < maxPositionsPerLexeme) list.push(Math.min(i + 1, maxPosition));
    positions.set(term, list);
  }
  return [...positions].map(([term, list]) => `${quoteLexeme(term)}:${list.join(',')}`).join(' ');
}

/** A term as it stands in a `tsvector` or `tsquery`. */
export function quoteLexeme(term: string): string {
  return `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** https://www.postgresql.org/docs/15/textsearch-limitations.html */
const maxPositionsPerLexeme = 255;
const maxPosition = 16_383;
