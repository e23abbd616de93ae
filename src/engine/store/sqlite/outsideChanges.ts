import type { Sql } from '../../database/database.js';
import { toAuditEntry, type AuditEntry } from '../audit.js';
import { LoggedState, mapPages, readStoredState, type OutsideChanges, type StoredState } from '../loggedState.js';
import { copiedTable, readSqlitePages } from '../move/copiedTables.js';
import { toEdgeOfIds } from '../storedEdge.js';

/** Rows of the audit log that are read at once. */
const pageSize = 1_000;

/** The audit log, oldest entries first. */
export async function* readAuditPages(sql: Sql): AsyncGenerator<readonly AuditEntry[]> {
  for (let after = 0; ;) {
    const rows = await sql.all('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', after, pageSize);
    if (rows.length === 0) return;
    yield rows.map(toAuditEntry);
    after = rows.at(-1)!.seq as number;
  }
}

/** The edges and vectors of a store in a file. */
export async function readSqliteState(sql: Sql): Promise<StoredState> {
  const idsOf = async (table: 'memories' | 'models'): Promise<string[]> =>
    (await sql.all(`SELECT id FROM ${table}`)).map(it => it.id as string);
  return readStoredState({
    memories: await idsOf('memories'),
    models: await idsOf('models'),
    edges: mapPages(readSqlitePages(sql, copiedTable('edges')), toEdgeOfIds),
    vectors: mapPages(readSqlitePages(sql, copiedTable('vectors')), it => ({
      id: it.id as string,
      model: it.model as string,
      vector: it.vector as Uint8Array,
    })),
  });
}

/** Changes by another program to edges and vectors, or a restore has brought back. */
export async function findOutsideChanges(sql: Sql): Promise<OutsideChanges> {
  const logged = new LoggedState();
  for await (const entries of readAuditPages(sql)) logged.add(entries);
  return logged.compare(await readSqliteState(sql));
}
