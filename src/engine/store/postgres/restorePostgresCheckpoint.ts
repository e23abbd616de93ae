import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import { memoryColumns } from '../memoryRow.js';
import { restoredRecords } from '../restoredRecords.js';
import { checkpointTable, type CopiedPostgresTable } from './checkpointTables.js';
import { updatePostgresInDegrees } from './postgresEdges.js';
import { findPostgresOutsideChanges } from './postgresOutsideChanges.js';
import { indexMemoryText, insertSaidTerms, PostgresTermCounts, storedTextOf } from './postgresTermCounts.js';
import type { PostgresTransaction } from './postgresTransaction.js';
import { isOfQuestionsSql } from '../questionVectors.js';
import { saveVectorRows, toVectorRow } from './vectorRows.js';

/** Rows that are read at once. */
const pageSize = 500;

const comparedColumns = ['row', ...memoryColumns, 'in_degree'];
const restoredColumns = [...comparedColumns, 'terms'];
const edgeColumns = [
  ...['source', 'target', 'type', 'strength', 'reason', 'created_at'],
  ...['settled_at', 'outdated', 'marked_by', 'marked_at'],
];

const because = { because: 'a checkpoint was restored' };

/** A checkpoint's copies of the tables. */
type Copies = (table: CopiedPostgresTable) => string;

/** Ids of memories by what the restore does with them. */
interface RestoredIds {
  /** Not in the checkpoint. */
  readonly gone: readonly string[];
  /** Only in the checkpoint, and not purged since. */
  readonly back: readonly string[];
  /** In both, with another value. */
  readonly changed: readonly string[];
}

/**
 * Makes the store equal to a checkpoint, row by row where they differ. Kept: the audit log, which is appended to; the revision,
 * which rises; traces; vectors of unchanged texts. Purged memories stay purged.
 * @returns numbers of added, removed and changed memories
 */
export async function restorePostgresCheckpoint(
  sql: PostgresSql,
  tx: PostgresTransaction,
  id: string,
  detail: Readonly<Record<string, unknown>>,
): Promise<{ readonly back: number; readonly gone: number; readonly changed: number }> {
  const copies: Copies = table => checkpointTable(id, table);
  const revision = await tx.revision();
  const ids = await compareMemories(sql, copies);
  const aids = await idsOf(
    sql,
    `SELECT coalesce(a.id, o.id) AS id FROM aids a FULL JOIN ${copies('aids')} o ON o.id = a.id
     WHERE (a.questions, a.keywords) IS DISTINCT FROM (o.questions, o.keywords)`,
  );
  await restoreTermCounts(sql, copies, ids, aids);
  await restoreMemories(sql, copies, ids, revision);
  await restoreSaidTerms(sql, ids);
  await restoreAids(sql, copies, aids, revision);
  await restoreVectors(sql, copies, [...new Set([...ids.changed, ...ids.back, ...aids])]);
  await restoreEdges(sql, copies);
  await sql.run('DELETE FROM sequences');
  await sql.run(`INSERT INTO sequences (scope_id, value) SELECT scope_id, value FROM ${copies('sequences')}`);
  await sql.run('DELETE FROM records WHERE kind = ANY($1::text[])', restoredRecords);
  await sql.run(`INSERT INTO records (kind, id, at, body) SELECT kind, id, at, body FROM ${copies('records')}`);
  await tx.log('rollback', { ...detail, gone: ids.gone.length, back: ids.back.length });
  tx.logMany(
    'rollback',
    ids.gone.map(it => [it, because]),
  );
  tx.logMany('create', await findUnlogged(sql, ids));
  const outside = await findPostgresOutsideChanges(sql);
  tx.logMany(
    'restore',
    [...outside.rows].map(([it, row]) => [it, { row, ...because }]),
  );
  tx.logState(outside);
  return { back: ids.back.length, gone: ids.gone.length, changed: ids.changed.length };
}

async function compareMemories(sql: PostgresSql, copies: Copies): Promise<RestoredIds> {
  const row = (table: string): string => `(${comparedColumns.map(it => `${table}.${it}`).join(', ')})`;
  return {
    gone: await idsOf(
      sql,
      `SELECT id FROM memories m WHERE NOT EXISTS (SELECT 1 FROM ${copies('memories')} o WHERE o.id = m.id) ORDER BY row`,
    ),
    back: await idsOf(
      sql,
      `SELECT id FROM ${copies('memories')} o WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = o.id)
         AND NOT EXISTS (SELECT 1 FROM audit WHERE memory_id = o.id AND action = 'purge') ORDER BY row`,
    ),
    changed: await idsOf(
      sql,
      `SELECT m.id FROM memories m JOIN ${copies('memories')} o ON o.id = m.id
       WHERE ${row('m')} IS DISTINCT FROM ${row('o')} ORDER BY m.row`,
    ),
  };
}

/** Counts the terms of texts that go as gone, and those of texts that come as there. */
async function restoreTermCounts(
  sql: PostgresSql,
  copies: Copies,
  { gone, back, changed }: RestoredIds,
  aids: readonly string[],
): Promise<void> {
  const counts = new PostgresTermCounts();
  const rewritten = await idsOf(
    sql,
    `SELECT m.id FROM memories m JOIN ${copies('memories')} o ON o.id = m.id
     WHERE m.id = ANY($1::text[]) AND (m.content, m.tags, m.provenance) IS DISTINCT FROM (o.content, o.tags, o.provenance)`,
    changed,
  );
  const countTexts = (table: string, ids: readonly string[], sign: 1 | -1): Promise<void> =>
    forEachPage(ids, async page => {
      const rows = await sql.all(`SELECT content, tags, provenance FROM ${table} WHERE id = ANY($1::text[])`, page);
      for (const it of rows) counts.addMemory(indexMemoryText(storedTextOf(it)), sign);
    });
  const countAids = (table: string, ids: readonly string[], sign: 1 | -1): Promise<void> =>
    forEachPage(ids, async page => {
      for (const { questions, keywords } of await sql.all(
        `SELECT questions, keywords FROM ${table} WHERE id = ANY($1::text[])`,
        page,
      )) {
        const [asked, named] = [questions, keywords].map(it => parseStringArray(it as string));
        counts.addAids({ questions: asked!, keywords: named! }, sign);
      }
    });
  await countTexts('memories', [...gone, ...rewritten], -1);
  await countTexts(copies('memories'), [...back, ...rewritten], 1);
  await countAids('aids', aids, -1);
  await countAids(copies('aids'), await withoutPurged(sql, aids), 1);
  await counts.save(sql);
}

async function withoutPurged(sql: PostgresSql, ids: readonly string[]): Promise<readonly string[]> {
  const purged = new Set(
    await idsOf(sql, "SELECT memory_id AS id FROM audit WHERE memory_id = ANY($1::text[]) AND action = 'purge'", ids),
  );
  return ids.filter(it => !purged.has(it));
}

async function restoreMemories(
  sql: PostgresSql,
  copies: Copies,
  { gone, back, changed }: RestoredIds,
  revision: number,
): Promise<void> {
  // Vectors of unchanged texts stay.
  await sql.run(
    `DELETE FROM vectors v USING memories m, ${copies('memories')} o
     WHERE v.id = m.id AND m.id = ANY($1::text[]) AND o.id = m.id AND o.content_hash <> m.content_hash`,
    changed,
  );
  await sql.run('DELETE FROM memories WHERE id = ANY($1::text[])', gone);
  // Two memories may have swapped what has to be unique at every moment.
  await sql.run(
    `UPDATE memories m SET row = -m.row, content_hash = 'restoring ' || m.id FROM ${copies('memories')} o
     WHERE m.id = ANY($1::text[]) AND o.id = m.id
       AND (m.row, m.scope_id, m.content_hash) IS DISTINCT FROM (o.row, o.scope_id, o.content_hash)`,
    changed,
  );
  await sql.run(
    `UPDATE memories m SET change = $2::int, ${restoredColumns.map(it => `${it} = o.${it}`).join(', ')}
     FROM ${copies('memories')} o WHERE m.id = o.id AND m.id = ANY($1::text[])`,
    changed,
    revision,
  );
  await sql.run(
    `INSERT INTO memories (${restoredColumns.join(', ')}, change)
     SELECT ${restoredColumns.join(', ')}, $2::int FROM ${copies('memories')} WHERE id = ANY($1::text[])`,
    back,
    revision,
  );
}

/** Copies have none of them. */
async function restoreSaidTerms(sql: PostgresSql, { back, changed }: RestoredIds): Promise<void> {
  await forEachPage([...back, ...changed], async page => {
    await sql.run('DELETE FROM said WHERE id = ANY($1::text[])', page);
    const rows = await sql.all('SELECT id, content, tags, provenance FROM memories WHERE id = ANY($1::text[])', page);
    await insertSaidTerms(sql, new Map(rows.map(it => [it.id as string, indexMemoryText(storedTextOf(it))])));
  });
}

async function restoreAids(sql: PostgresSql, copies: Copies, ids: readonly string[], revision: number): Promise<void> {
  await sql.run('UPDATE memories SET change = $2::int WHERE id = ANY($1::text[])', ids, revision);
  await sql.run('DELETE FROM aids WHERE id = ANY($1::text[])', ids);
  await sql.run(`DELETE FROM vectors v WHERE id = ANY($1::text[]) AND ${isOfQuestionsSql}`, ids);
  await sql.run(
    `INSERT INTO aids (id, questions, keywords, terms) SELECT id, questions, keywords, terms FROM ${copies('aids')} o
     WHERE id = ANY($1::text[]) AND EXISTS (SELECT 1 FROM memories m WHERE m.id = o.id)`,
    ids,
  );
}

/** Adds the vectors that restored memories lack; those of unchanged texts stayed. */
async function restoreVectors(sql: PostgresSql, copies: Copies, ids: readonly string[]): Promise<void> {
  const isMissing = 'NOT EXISTS (SELECT 1 FROM vectors v WHERE v.id = o.id AND v.model = o.model)';
  const missing = await idsOf(
    sql,
    `SELECT DISTINCT id FROM ${copies('vectors')} o WHERE id = ANY($1::text[]) AND ${isMissing}`,
    ids,
  );
  await forEachPage(missing, async page => {
    const rows = await sql.all(
      `SELECT o.id, o.model, o.vector FROM ${copies('vectors')} o WHERE o.id = ANY($1::text[]) AND ${isMissing}`,
      page,
    );
    await saveVectorRows(sql, rows.map(toVectorRow));
  });
}

async function restoreEdges(sql: PostgresSql, copies: Copies): Promise<void> {
  const isWhole = `EXISTS (SELECT 1 FROM memories WHERE id = o.source) AND EXISTS (SELECT 1 FROM memories WHERE id = o.target)`;
  const row = (table: string): string => `(${edgeColumns.map(it => `${table}.${it}`).join(', ')})`;
  const hasKey = 'e.source = o.source AND e.target = o.target AND e.type = o.type';
  await sql.run(
    `DELETE FROM edges e WHERE NOT EXISTS (
       SELECT 1 FROM ${copies('edges')} o WHERE ${hasKey} AND ${row('e')} IS NOT DISTINCT FROM ${row('o')})`,
  );
  await sql.run(
    `INSERT INTO edges (${edgeColumns.join(', ')}) SELECT ${edgeColumns.join(', ')} FROM ${copies('edges')} o
     WHERE ${isWhole} AND NOT EXISTS (SELECT 1 FROM edges e WHERE ${hasKey})`,
  );
  // Neighbors of what was purged since.
  const neighbors = await idsOf(
    sql,
    `SELECT source AS id FROM ${copies('edges')} o WHERE NOT (${isWhole})
     UNION SELECT target FROM ${copies('edges')} o WHERE NOT (${isWhole})`,
  );
  await updatePostgresInDegrees(sql, neighbors);
}

/** Added memories without an audit line: the log was reset after the checkpoint was made. */
async function findUnlogged(sql: PostgresSql, { back, changed }: RestoredIds): Promise<[id: string, detail: object][]> {
  const rows = await sql.all(
    `SELECT m.id, m.content_hash, m.lane FROM memories m WHERE m.id = ANY($1::text[])
       AND NOT EXISTS (SELECT 1 FROM audit a WHERE a.memory_id = m.id AND a.action = 'create') ORDER BY m.row`,
    [...changed, ...back],
  );
  return rows.map(it => [it.id as string, { contentHash: it.content_hash, lane: it.lane, ...because }]);
}

/** @param query for `id` */
async function idsOf(sql: PostgresSql, query: string, ...values: readonly unknown[]): Promise<readonly string[]> {
  return (await sql.all(query, ...values)).map(it => it.id as string);
}

async function forEachPage(ids: readonly string[], work: (page: readonly string[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < ids.length; from += pageSize) await work(ids.slice(from, from + pageSize));
}
