import { stat } from 'node:fs/promises';
import type { InventoryRow } from '../../model/maintenance.js';
import type { Sql } from '../../database/database.js';
import { toInventoryRow } from '../memoryRow.js';
import { questionModelsSql } from '../questionVectors.js';
import type { StorageStats } from '../store.js';

/**
 * Bytes of a memory `m`: content and tags in UTF-8 and the largest vector of its text. Not the sum of the vectors, so that
 * trying out a model for a day does not push memories over a quota. CROSS JOIN fixes the join order: SQLite would otherwise
 * read all vectors for each memory.
 */
const memoryBytesSql = `length(CAST(m.content AS BLOB)) + length(CAST(m.tags AS BLOB)) + coalesce(
  (SELECT max(length(v.vector)) FROM models CROSS JOIN vectors v ON v.model = models.number AND v.row = m.row
   WHERE models.number NOT IN (${questionModelsSql})), 0)`;

/** Memory id -> bytes. */
export async function readMemorySizes(sql: Sql, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.all(
    `SELECT m.id, ${memoryBytesSql} AS bytes FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  );
  return new Map(rows.map(it => [it.id as string, it.bytes as number]));
}

/** Counts and bytes of all memories, by group. */
export async function readInventory(sql: Sql): Promise<InventoryRow[]> {
  const rows = await sql.all(
    `SELECT gate, decay_class, pinned, lane, status, iif(source IN ('code-index', 'import'), source, 'explicit') AS origin,
       instr(provenance, '"author":"') > 0 AS is_shared, count(*) AS count, sum(${memoryBytesSql}) AS bytes FROM memories m
     GROUP BY gate, decay_class, pinned, lane, status, origin, is_shared`,
  );
  return rows.map(toInventoryRow);
}

/** Number of vectors, bytes of those of a model, of both search indexes, and of the database with its log. */
export async function readStorageStats(sql: Sql, file: string, model: string | undefined): Promise<StorageStats> {
  const row = await sql.get(
    `SELECT (SELECT count(*) FROM vectors WHERE model NOT IN (${questionModelsSql})) AS vectors,
       (SELECT coalesce(sum(length(vector)), 0) FROM vectors
        WHERE model = (SELECT number FROM models WHERE id = ?)) AS vector_bytes,
       (SELECT coalesce(sum(length(block)), 0) FROM memory_terms_data) AS terms`,
    model ?? '',
  );
  const [database, log, index] = await Promise.all([file, `${file}-wal`, `${file}-index`].map(fileSize));
  return {
    vectors: row!.vectors as number,
    vectorBytes: row!.vector_bytes as number,
    indexBytes: (row!.terms as number) + index!,
    fileBytes: database! + log!,
  };
}

/** Writes retention scores. They are not content: the revision stays, so that caches and indexes remain valid. */
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
