import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { isSameLoggedRow, toAuditEntry, type AuditEntry, type LoggedRow } from '../audit.js';
import { LoggedState, mapPages, readStoredState, type OutsideChanges } from '../loggedState.js';
import { copiedTable, readServerPages } from '../move/copiedTables.js';
import { toEdgeOfIds } from '../storedEdge.js';

/** Rows of the audit log that are read at once. */
const pageSize = 1_000;

export interface PostgresOutsideChanges extends OutsideChanges {
  /** Memories whose lane, pin or confidence is not what was last written, with what it is. */
  readonly rows: ReadonlyMap<string, LoggedRow>;
}

/**
 * Reads the audit log, and what another program has changed in rows, edges and vectors, or a restore has brought back.
 * @param sql inside a transaction
 * @param onEntries is given each page of the log
 */
export async function findPostgresOutsideChanges(
  sql: PostgresSql,
  onEntries: (entries: readonly AuditEntry[]) => void = () => undefined,
): Promise<PostgresOutsideChanges> {
  const logged = new LoggedState();
  for (let after = 0; ;) {
    const rows = await sql.all(
      `SELECT seq, at, action, memory_id, actor, detail, hash FROM audit WHERE seq > $1::int
       ORDER BY seq LIMIT ${String(pageSize)}`,
      after,
    );
    if (rows.length === 0) break;
    const entries = rows.map(toAuditEntry);
    onEntries(entries);
    logged.add(entries);
    after = rows.at(-1)!.seq as number;
  }
  const memories = await sql.all('SELECT id, lane, pinned, confidence FROM memories ORDER BY row');
  const changedRows = memories.flatMap(({ id, lane, pinned, confidence }) => {
    const row: LoggedRow = [lane as string, pinned as 0 | 1, confidence as number];
    const before = logged.rows.get(id as string);
    return before === undefined || isSameLoggedRow(before, row) ? [] : [[id as string, row] as const];
  });
  const models = await sql.all('SELECT id FROM models');
  const stored = await readStoredState({
    memories: memories.map(it => it.id as string),
    models: models.map(it => it.id as string),
    edges: mapPages(readServerPages(sql, copiedTable('edges')), toEdgeOfIds),
    vectors: mapPages(readServerPages(sql, copiedTable('vectors')), it => ({
      id: it.id as string,
      model: it.model as string,
      vector: it.vector as Uint8Array,
    })),
  });
  return { ...logged.compare(stored), rows: new Map(changedRows) };
}
