import type { Sql } from '../../database/database.js';
import type { AuditRow } from '../audit.js';

const insertSql = `INSERT INTO audit (seq, at, action, memory_id, actor, detail, hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)`;

/** Appends entries, given as rows of their columns. */
export async function insertAuditRows(sql: Pick<Sql, 'run'>, rows: readonly AuditRow[]): Promise<void> {
  await sql.run(insertSql, JSON.stringify(rows));
}
