import type { RecordKind, StoreRecord } from '../store.js';
import type { SqlRow, Sql } from '../../database/database.js';
import { parseObject } from '../../database/jsonColumns.js';

/** Newest first. */
export async function listRecords<T>(sql: Sql, kind: RecordKind, limit: number): Promise<StoreRecord<T>[]> {
  const rows = await sql.all('SELECT * FROM records WHERE kind = ? ORDER BY at DESC, id DESC LIMIT ?', kind, limit);
  return rows.flatMap(it => toRecord<T>(it) ?? []);
}

export async function getRecord<T>(sql: Sql, kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
  const row = await sql.get('SELECT * FROM records WHERE kind = ? AND id = ?', kind, id);
  return row && toRecord<T>(row);
}

export async function putRecord(sql: Sql, kind: RecordKind, id: string, body: unknown, at: string): Promise<void> {
  await sql.run('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)', kind, id, at, JSON.stringify(body));
}

export async function deleteRecord(sql: Sql, kind: RecordKind, id: string): Promise<void> {
  await sql.run('DELETE FROM records WHERE kind = ? AND id = ?', kind, id);
}

function toRecord<T>(row: SqlRow): StoreRecord<T> | undefined {
  const body = parseObject(row.body) as T | undefined;
  return body && { id: row.id as string, at: row.at as string, body };
}
