import { isUnsearchable, type Memory, type StoreKind } from '../../model/memory.js';
import type { UsageFlush } from '../store.js';
import type { SqlTransaction } from '../../database/database.js';
import { insertRows } from '../../database/insertRows.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';
import type { SqliteTransaction } from './sqliteTransaction.js';

/** Some milliseconds of work: whoever else wants the thread gets it in between. */
const traceBatchSize = 8;
/** The same of counts. */
const countBatchSize = 1_000;

/**
 * Writes what recalls used and told: counts, traces, lines of the audit log; traces beyond `keepTraces` go.
 * @returns the memories that a recall brought back from the archive
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
  tx.logReads(usage.reads);
  // Trace ids are UUIDv7, so their order is their age.
  await sql.run('DELETE FROM traces WHERE id <= (SELECT id FROM traces ORDER BY id DESC LIMIT 1 OFFSET ?)', keepTraces);
  return restored;
}

/** The plus keeps SQLite from going through all that is archived. */
export const archivedSql = `SELECT ${memoryJsonSql()} AS memory FROM memories
  WHERE id IN (SELECT value ->> 0 FROM json_each(?)) AND +status = 'archived' ORDER BY row`;

/** Counts how often memories were recalled. @returns those of them that are archived */
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

/** A memory made active again; its time of fading starts anew. */
function reactivate(memory: Memory, at: string): Memory {
  const { archivedAt, archiveReason, ...rest } = memory;
  return { ...rest, status: 'active', updatedAt: at };
}
