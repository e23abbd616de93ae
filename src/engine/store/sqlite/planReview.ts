import { userArchiveReasons } from '../../model/memory.js';
import type { SqlRow, Sql } from '../../database/database.js';
import { memoryJsonSql } from './memoryRows.js';

/** Rows of the plans to review, in the order of `MemoryRepository.plansToReview`. */
export async function findPlansToReview(sql: Sql, scopeId: string, at: string, limit: number): Promise<SqlRow[]> {
  // A plus disables an index: the one of the set, which contains memories of every gate, and the one of all plans where
  // only a few are overdue.
  const all = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE +scope_id = ?1`;
  const plans = `${all} AND gate = 'promissory'`;
  const userReasons = JSON.stringify([...userArchiveReasons, 'merged']);
  const isAutoArchived = 'archive_reason NOT IN (SELECT value FROM json_each(?2))';
  const overdue = await sql.all(
    `${all} AND +gate = 'promissory' AND due_at < ?3 AND (+status = 'active' OR +status = 'archived' AND ${isAutoArchived})
     ORDER BY due_at, id LIMIT ?4`,
    scopeId,
    userReasons,
    at,
    limit,
  );
  const archived = await sql.all(
    `${plans} AND status = 'archived' AND ${isAutoArchived} AND (due_at IS NULL OR due_at >= ?3) ORDER BY archived_at DESC, id LIMIT ?4`,
    scopeId,
    userReasons,
    at,
    limit,
  );
  const decaying = await sql.all(
    `${plans} AND status = 'active' AND pinned = 0 AND decay_class <> 'permanent' AND (due_at IS NULL OR due_at >= ?2)
     ORDER BY max(updated_at, reinforced_at), id LIMIT ?3`,
    scopeId,
    at,
    limit,
  );
  return [...overdue, ...archived, ...decaying];
}
