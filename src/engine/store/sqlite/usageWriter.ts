import { isUnsearchable, type Memory, type StoreKind } from '../../model/memory.js';
import type { UsageFlush } from '../store.js';
import type { SqlTransaction } from '../../database/database.js';
import { insertRows } from '../../database/insertRows.js';
import { reactivate } from '../memoryRow.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';
import type { SqliteTransaction } from './sqliteTransaction.js';
import { sqliteDialect } from './sqliteDialect.js';
import { StoreLogs } from '../sql/storeLogs.js';

/** A few milliseconds of work, then other tasks get the thread. */
const traceBatchSize = 8;
/** Like `traceBatchSize`. */
const countBatchSize = 1_000;

/**
 * Writes access counts and traces, and deletes traces beyond `keepTraces`.
 * @returns ids of archived memories that a recall reactivated
 */
export async function writeUsage(
  sql: SqlTransaction,
  tx: SqliteTransaction,
  usage: UsageFlush,
  { store, keepTraces }: { readonly store: StoreKind; readonly keepTraces: number },
): Promise<readonly string[]> {
  const restored: string[] = [];
  for (const memory of await countUses(sql, usage, store)) {
    if (isUnsearchable(memory.archiveReason)) continue;
    await tx.update(reactivate(memory, usage.at), 'restore', { because: 'recalled' });
    restored.push(memory.id);
  }
  for (let at = 0; at < usage.traces.length; at += traceBatchSize) {
    const batch = usage.traces.slice(at, at + traceBatchSize).map(it => [it.id, it.at, it.text]);
    await insertRows(sql, 'traces (id, at, trace)', batch);
  }
  await new StoreLogs(sql, sqliteDialect).pruneTraces(keepTraces);
  return restored;
}

/** The plus keeps SQLite from scanning all archived memories. */
export const archivedSql = `SELECT ${memoryJsonSql} AS memory FROM memories
  WHERE id IN (SELECT value ->> 0 FROM json_each(?)) AND +status = 'archived' ORDER BY row`;

/**
 * Increments access counts.
 * @returns the recalled memories that are archived
 */
async function countUses(sql: SqlTransaction, { accessed, at }: UsageFlush, kind: StoreKind): Promise<Memory[]> {
  const counts = [...accessed];
  const archived: Memory[] = [];
  for (let from = 0; from < counts.length; from += countBatchSize) {
    const uses = JSON.stringify(counts.slice(from, from + countBatchSize));
    await sql.run(
      `UPDATE memories SET access_count = access_count + (used.value ->> 1), accessed_at = ?2
       FROM json_each(?1) used WHERE memories.id = used.value ->> 0`,
      uses,
      at,
    );
    archived.push(...(await sql.all(archivedSql, uses)).map(it => decodeMemory(it, kind)));
  }
  return archived;
}
