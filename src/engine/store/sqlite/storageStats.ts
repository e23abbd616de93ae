import { stat } from 'node:fs/promises';
import type { InventoryRow } from '../../model/maintenance.js';
import type { DecayClass, Gate, Lane, Status } from '../../model/memory.js';
import type { Sql } from '../../database/database.js';

/**
 * What a memory `m` takes, in bytes: its content and tags in UTF-8, and its largest vector. Not the sum of its vectors:
 * those of a model that somebody tries out for a day must not push memories over a quota. CROSS JOIN keeps the order:
 * SQLite would begin with the vectors, and read all of them for each memory.
 */
const memoryBytesSql = `length(CAST(m.content AS BLOB)) + length(CAST(m.tags AS BLOB)) + coalesce(
  (SELECT max(length(v.vector)) FROM models CROSS JOIN vectors v ON v.model = models.number AND v.row = m.row), 0)`;

/** By id: what each of the memories takes. */
export async function readMemorySizes(sql: Sql, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.all(
    `SELECT m.id, ${memoryBytesSql} AS bytes FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  );
  return new Map(rows.map(it => [it.id as string, it.bytes as number]));
}

/** All memories by sort, with what they take. */
export async function readInventory(sql: Sql): Promise<InventoryRow[]> {
  const rows = await sql.all(
    `SELECT gate, decay_class, pinned, lane, status, source = 'code-index' AS from_code, count(*) AS count, sum(${memoryBytesSql}) AS bytes FROM memories m
     GROUP BY gate, decay_class, pinned, lane, status, from_code`,
  );
  return rows.map(it => ({
    gate: it.gate as Gate,
    decayClass: it.decay_class as DecayClass,
    pinned: it.pinned === 1,
    lane: it.lane as Lane,
    status: it.status as Status,
    fromCode: it.from_code === 1,
    count: it.count as number,
    bytes: it.bytes as number,
  }));
}

/** Ids of the memories that machines archived at exactly this time. */
export async function findAutoArchived(sql: Sql, at: string): Promise<string[]> {
  const rows = await sql.all(
    `SELECT id FROM memories
     WHERE status = 'archived' AND archived_at = ? AND archive_reason IN ('faded', 'expired', 'quota')
     ORDER BY row`,
    at,
  );
  return rows.map(it => it.id as string);
}

/** How much there is besides memories. Bytes of the database with its log, and of both search indexes. */
export async function readStorageStats(
  sql: Sql,
  file: string,
): Promise<{ readonly vectors: number; readonly indexBytes: number; readonly fileBytes: number }> {
  const row = await sql.get(
    `SELECT (SELECT count(*) FROM vectors) AS vectors,
       (SELECT coalesce(sum(length(block)), 0) FROM memory_terms_data) AS terms`,
  );
  const [database, log, index] = await Promise.all([file, `${file}-wal`, `${file}-index`].map(fileSize));
  return {
    vectors: row!.vectors as number,
    indexBytes: (row!.terms as number) + index!,
    fileBytes: database! + log!,
  };
}

/**
 * Writes retention scores. They are no content: the revision stays, so that nothing that reads memories has to begin
 * anew because of them.
 */
export async function saveScores(sql: Sql, scores: ReadonlyMap<string, number>, version: number): Promise<void> {
  await sql.run(
    `UPDATE memories SET retention_score = scores.value, scoring_version = ?
     FROM (SELECT key, value FROM json_each(?)) AS scores WHERE memories.id = scores.key`,
    version,
    JSON.stringify(Object.fromEntries(scores)),
  );
}

async function fileSize(file: string): Promise<number> {
  return stat(file).then(
    it => it.size,
    () => 0,
  );
}
