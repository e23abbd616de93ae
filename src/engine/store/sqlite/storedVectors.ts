import { toInt8Components } from '../../base/int8Vector.js';
import type { EmbeddingProgress } from '../../model/storeReport.js';
import { questionModel } from '../questionVectors.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import type { Database, Sql } from '../../database/database.js';

/** Rows deleted per transaction, so that other writes do not wait long. */
const deleteBatchSize = 5_000;
/** Rows read per statement: a few milliseconds, which a recall may have to wait. */
const scanBatchSize = 1_000;

const missingVectorsSql = `SELECT id, content FROM memories m
  WHERE row > ?2 AND row <= ?3 AND NOT EXISTS (
    SELECT 1 FROM vectors v WHERE v.row = m.row AND v.model = (SELECT number FROM models WHERE id = ?1))
  ORDER BY row DESC LIMIT ?4`;

/** Counts memories, and those with a vector of the model. */
export async function readEmbeddingProgress(sql: Sql, model: string): Promise<EmbeddingProgress> {
  const row = await sql.get(
    `SELECT count(*) AS total, count(v.row) AS embedded FROM memories m
     LEFT JOIN vectors v ON v.row = m.row AND v.model = (SELECT number FROM models WHERE id = ?)`,
    model,
  );
  return { embedded: row!.embedded as number, total: row!.total as number };
}

/** Memories without a vector of the model, newest first. */
export async function findMissingVectors(
  sql: Sql,
  model: string,
  limit: number,
): Promise<{ readonly id: string; readonly content: string }[]> {
  const found: { readonly id: string; readonly content: string }[] = [];
  const last = await sql.get('SELECT max(row) AS row FROM memories');
  for (let row = (last?.row as number | null) ?? 0; row > 0 && found.length < limit; row -= scanBatchSize) {
    const rows = await sql.all(missingVectorsSql, model, row - scanBatchSize, row, limit - found.length);
    found.push(...rows.map(it => ({ id: it.id as string, content: it.content as string })));
  }
  return found;
}

/** Memories with a vector of the model whose questions have none, newest first. */
export async function findMissingQuestionVectors(
  sql: Sql,
  model: string,
  limit: number,
): Promise<{ readonly id: string; readonly content: string; readonly questions: readonly string[] }[]> {
  const rows = await sql.all(
    `SELECT m.id, m.content, a.questions FROM aids a JOIN memories m ON m.row = a.row
       JOIN vectors v ON v.model = (SELECT number FROM models WHERE id = ?) AND v.row = a.row
     WHERE a.questions <> '[]' AND NOT EXISTS (
       SELECT 1 FROM vectors q WHERE q.model = (SELECT number FROM models WHERE id = ?) AND q.row = a.row)
     ORDER BY m.row DESC LIMIT ?`,
    model,
    questionModel(model),
    limit,
  );
  return rows.map(it => ({
    id: it.id as string,
    content: it.content as string,
    questions: parseStringArray(it.questions),
  }));
}

/** The encoded vectors of questions of these rows (questionVectors.ts), by row. */
export async function loadQuestionVectors(
  sql: Sql,
  model: string,
  rows: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const found = await sql.all(
    `SELECT row, vector FROM vectors
     WHERE model = (SELECT number FROM models WHERE id = ?) AND row IN (SELECT value FROM json_each(?))`,
    questionModel(model),
    JSON.stringify(rows),
  );
  return new Map(found.map(it => [it.row as number, it.vector as Uint8Array]));
}

/** Existing vectors of a model by memory id. */
export async function loadVectors(sql: Sql, model: string, ids: readonly string[]): Promise<Map<string, Int8Array>> {
  const rows = await sql.all(
    `SELECT m.id, v.vector FROM memories m JOIN vectors v ON v.row = m.row
     WHERE v.model = (SELECT number FROM models WHERE id = ?) AND m.id IN (SELECT value FROM json_each(?))`,
    model,
    JSON.stringify(ids),
  );
  return new Map(rows.map(it => [it.id as string, toInt8Components(it.vector as Uint8Array)]));
}

/**
 * Records the use of `model` at the time `at`, and deletes the vectors of models unused since `unusedSince`. An
 * unrecorded model counts as used now. Times are ISO-8601 UTC.
 */
export async function pruneUnusedModels(
  database: Database,
  model: string,
  { at, unusedSince }: { readonly at: string; readonly unusedSince: string },
): Promise<void> {
  if (await isUseRecorded(database.read, model, { at, unusedSince })) return;
  const unusedModels = await database.write(async sql => {
    for (const it of [model, questionModel(model)])
      await sql.run("INSERT OR REPLACE INTO meta VALUES ('modelUsed:' || ?, ?)", it, at);
    await sql.run("INSERT OR IGNORE INTO meta SELECT 'modelUsed:' || id, ? FROM models", at);
    return sql.all(
      "SELECT number, id FROM models JOIN meta ON key = 'modelUsed:' || id WHERE id NOT IN (?, ?) AND value < ?",
      model,
      questionModel(model),
      unusedSince,
    );
  });
  for (const { number, id } of unusedModels) {
    for (let left = true; left;) {
      left = await database.write(async sql => {
        const some = 'SELECT row FROM vectors WHERE model = ? LIMIT ?';
        await sql.run(`DELETE FROM vectors WHERE model = ? AND row IN (${some})`, number!, number!, deleteBatchSize);
        return (await sql.get('SELECT 1 FROM vectors WHERE model = ?', number!)) !== undefined;
      });
    }
    await database.write(async sql => {
      await sql.run('DELETE FROM models WHERE number = ? AND number NOT IN (SELECT model FROM vectors)', number!);
      await sql.run("DELETE FROM meta WHERE key = 'modelUsed:' || ?", id!);
    });
  }
}

/**
 * Whether the use is already recorded for this day and no other model needs an update: the usual case at every start.
 */
async function isUseRecorded(
  sql: Sql,
  model: string,
  { at, unusedSince }: { readonly at: string; readonly unusedSince: string },
): Promise<boolean> {
  const row = await sql.get(
    `SELECT substr(value, 1, 10) = substr(?1, 1, 10) AND NOT EXISTS (
       SELECT 1 FROM models LEFT JOIN meta u ON u.key = 'modelUsed:' || id
         WHERE id NOT IN (?2, ?4) AND ifnull(u.value, '') < ?3
     ) AS noted FROM meta WHERE key = 'modelUsed:' || ?2`,
    at,
    model,
    unusedSince,
    questionModel(model),
  );
  return row?.noted === 1;
}
