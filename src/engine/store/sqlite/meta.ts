import type { Sql } from './database.js';

export async function meta(sql: Sql, key: 'revision' | 'auditHead'): Promise<string> {
  return ((await sql.get('SELECT value FROM meta WHERE key = ?', key))?.value as string | undefined) ?? '';
}

export async function setMeta(sql: Sql, key: 'revision' | 'auditHead', value: string): Promise<void> {
  await sql.run('UPDATE meta SET value = ? WHERE key = ?', value, key);
}

/** Where a store stands: it moves with every write. */
export interface Moment {
  readonly revision: number;
  /** Write counter of one scopeId. */
  readonly sequence: number;
}

export async function moment(sql: Sql, scopeId: string): Promise<Moment> {
  const row = await sql.get(
    "SELECT value, (SELECT value FROM sequences WHERE scope_id = ?) AS sequence FROM meta WHERE key = 'revision'",
    scopeId,
  );
  return { revision: Number(row?.value), sequence: (row?.sequence as number | null | undefined) ?? 0 };
}
