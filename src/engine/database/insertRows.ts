import type { Sql, SqlValue } from './database.js';

/** Rows per statement: few sizes, so that few statements are prepared, and any number of rows takes few of them. */
const rowsPerStatement = [64, 32, 16, 8, 4, 2, 1];

/**
 * Inserts rows in order, many per statement, as a call of the driver costs as much as writing a row.
 * @param target table with optional columns, as SQL
 */
export async function insertRows(sql: Sql, target: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
  for (let at = 0; at < rows.length;) {
    const size = rowsPerStatement.find(it => it <= rows.length - at)!;
    const batch = rows.slice(at, at + size);
    await sql.run(`INSERT INTO ${target} VALUES ${valuesClause(size, batch[0]!.length)}`, ...batch.flat());
    at += size;
  }
}

function valuesClause(rows: number, values: number): string {
  const row = `(?${', ?'.repeat(values - 1)})`;
  return row + `, ${row}`.repeat(rows - 1);
}
