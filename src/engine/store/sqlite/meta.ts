import type { Sql } from './database.js';

export async function meta(sql: Sql, key: 'revision' | 'auditHead'): Promise<string> {
  return ((await sql.get('SELECT value FROM meta WHERE key = ?', key))?.value as string | undefined) ?? '';
}

export async function setMeta(sql: Sql, key: 'revision' | 'auditHead', value: string): Promise<void> {
  await sql.run('UPDATE meta SET value = ? WHERE key = ?', value, key);
}
