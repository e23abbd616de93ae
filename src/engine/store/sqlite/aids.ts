import type { Sql } from '../../database/database.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';

/** Condition on `memories m`: it lacks search aids and may have some. Code is found by its names. */
export const missingAidsSql = `m.source <> 'code-index'
  AND NOT EXISTS (SELECT 1 FROM aids a WHERE a.row = m.row)`;

/** Active memories without search aids, of every scopeId, newest first. */
export async function findMissingAids(sql: Sql, store: StoreKind, limit: number): Promise<Memory[]> {
  const rows = await sql.all(
    `SELECT ${memoryJsonSql()} AS memory FROM memories m WHERE m.status = 'active' AND ${missingAidsSql}
     ORDER BY m.row DESC LIMIT ?`,
    limit,
  );
  return rows.map(it => decodeMemory(it, store));
}

export async function countMissingAids(sql: Sql): Promise<number> {
  const row = await sql.get(`SELECT count(*) AS count FROM memories m WHERE m.status = 'active' AND ${missingAidsSql}`);
  return row!.count as number;
}

/** Search aids by memory id, of those that have any. */
export async function findAids(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
  const rows = await sql.all(
    `SELECT m.id, a.questions, a.keywords FROM memories m JOIN aids a ON a.row = m.row
     WHERE m.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  );
  return new Map(
    rows.map(it => [
      it.id as string,
      { questions: parseStringArray(it.questions), keywords: parseStringArray(it.keywords) },
    ]),
  );
}

/** Replaces the search aids of a memory; empty lists remove them. */
export async function writeAids(sql: Sql, id: string, { questions, keywords }: SearchAids): Promise<void> {
  if (questions.length === 0 && keywords.length === 0) {
    await sql.run('DELETE FROM aids WHERE row = (SELECT row FROM memories WHERE id = ?)', id);
    return;
  }
  await sql.run(
    'INSERT OR REPLACE INTO aids (row, questions, keywords) SELECT row, ?, ? FROM memories WHERE id = ?',
    JSON.stringify(questions),
    JSON.stringify(keywords),
    id,
  );
}
