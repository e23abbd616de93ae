import type { Sql } from './database.js';

export async function readMeta(sql: Sql, key: 'revision' | 'auditHead' | 'contentHash'): Promise<string> {
  return ((await sql.get('SELECT value FROM meta WHERE key = ?', key))?.value as string | undefined) ?? '';
}

export async function writeMeta(sql: Sql, values: { revision?: string; auditHead?: string }): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await sql.run('INSERT OR REPLACE INTO meta SELECT key, value FROM json_each(?)', JSON.stringify(values));
}

/** SQL for the write counter of a scope; no row before its first write. */
export const sequenceSql = (scopeId: string): string => `SELECT value FROM sequences WHERE scope_id = ${scopeId}`;

/** The write counter of a scope; 0 before its first write. */
export async function readSequence(sql: Sql, scopeId: string): Promise<number> {
  return ((await sql.get(sequenceSql('?1'), scopeId))?.value as number | undefined) ?? 0;
}

/** The state of a store that a writer continues from. */
export interface StoreWriteState {
  /** Of the schema. */
  readonly version: number;
  readonly revision: number;
  readonly auditHead: string;
  /** The highest row of `memories`; 0 where there is none. */
  readonly lastRow: number;
  /** Number of each model in `vectors`, by model id. */
  readonly models: Readonly<Record<string, number>>;
  readonly scopeId: string;
  /** Write counter of `scopeId`. */
  readonly sequence: number;
}

export async function loadWriteState(sql: Sql, scopeId = ''): Promise<StoreWriteState> {
  const row = (await sql.get(
    `SELECT (SELECT user_version FROM pragma_user_version) AS version,
       (SELECT value FROM meta WHERE key = 'revision') AS revision,
       (SELECT value FROM meta WHERE key = 'auditHead') AS head,
       (SELECT coalesce(max(row), 0) FROM memories) AS last,
       (SELECT json_group_object(id, number) FROM models) AS models,
       coalesce((${sequenceSql('?1')}), 0) AS sequence`,
    scopeId,
  ))!;
  return {
    scopeId,
    version: row.version as number,
    sequence: row.sequence as number,
    revision: Number(row.revision),
    auditHead: row.head as string,
    lastRow: row.last as number,
    models: JSON.parse(row.models as string) as Record<string, number>,
  };
}

/** The state of a store that a reader compares with; it changes with every write. */
export interface StoreReadState {
  readonly revision: number;
  /** Write counter of one scope. */
  readonly sequence: number;
  /** Number of memories that were written after the given revision. */
  readonly changedCount: number;
}

export async function loadReadState(sql: Sql, scopeId = '', afterRevision = Infinity): Promise<StoreReadState> {
  const row = await sql.get(
    `SELECT value, (${sequenceSql('?1')}) AS sequence,
       (SELECT count(*) FROM memories WHERE change > ?2) AS since FROM meta WHERE key = 'revision'`,
    scopeId,
    afterRevision,
  );
  return {
    revision: Number(row?.value),
    sequence: (row?.sequence as number | null | undefined) ?? 0,
    changedCount: (row?.since as number | undefined) ?? 0,
  };
}
