import type { Memory, StoreKind } from '../../model/memory.js';
import type { SqlRow } from '../../database/database.js';
import { memoryColumns, toMemory, type MemoryRowValues } from '../memoryRow.js';

/** REAL columns are read as text with all digits, because SQLite rounds numbers in JSON. */
const realColumns: readonly (typeof memoryColumns)[number][] = ['confidence', 'retention_score'];

/** SQL of a real number as text with all its digits, or NULL. */
export const realTextSql = (column: string): string => `iif(${column} IS NULL, NULL, printf('%!.17g', ${column}))`;

/**
 * SQL of a memory as one JSON text for `decodeMemory`. The driver is slower per value than a JSON parser: sixty rows of
 * thirty-seven columns took 0.83 instead of 0.27 ms.
 */
export const memoryJsonSql = `json_array(${memoryColumns.map(it => (realColumns.includes(it) ? realTextSql(it) : it)).join(', ')}, in_degree)`;

/** @param row with the column `memory` */
export function decodeMemory(row: SqlRow, store: StoreKind): Memory {
  return toMemory(JSON.parse(row.memory as string) as MemoryRowValues, store);
}
