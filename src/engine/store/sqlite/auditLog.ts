import type { Sql } from '../../database/database.js';
import { readMeta } from '../../database/storeState.js';
import type { AuditAction } from '../../model/auditAction.js';
import type { CountedItems } from '../../model/maintenance.js';
import { aidsEdit, toShownDetail, type AuditRow } from '../audit.js';
import type { HistoryLine } from '../store.js';

const insertSql = `INSERT INTO audit (seq, at, action, memory_id, actor, detail, hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)`;

/** Appends entries, given as rows of their columns. */
export async function insertAuditRows(sql: Pick<Sql, 'run'>, rows: readonly AuditRow[]): Promise<void> {
  await sql.run(insertSql, JSON.stringify(rows));
}

/** The audit log of a memory, oldest first. */
export async function readHistory(sql: Sql, memoryId: string): Promise<HistoryLine[]> {
  const rows = await sql.all('SELECT at, action, actor, detail FROM audit WHERE memory_id = ? ORDER BY seq', memoryId);
  return rows.map(it => ({
    at: it.at as string,
    action: it.action as AuditAction,
    actor: it.actor as string,
    detail: toShownDetail(it.detail),
  }));
}

/** Ids of the memories whose search aids were edited. */
export async function findEditedAids(sql: Sql, memoryIds: readonly string[]): Promise<readonly string[]> {
  const rows = await sql.all(
    `SELECT DISTINCT memory_id FROM audit WHERE memory_id IN (SELECT value FROM json_each(?))
       AND action = 'edit' AND iif(json_valid(detail), detail ->> 'change', NULL) = ?`,
    JSON.stringify(memoryIds),
    aidsEdit.change,
  );
  return rows.map(it => it.memory_id as string);
}

/** Whether the log holds the entry that once was its head. */
export async function hasAuditHead(sql: Sql, head: string): Promise<boolean> {
  const [seq, hash] = head.split(':');
  if (hash === undefined) return true;
  const row = await sql.get(
    'SELECT EXISTS (SELECT 1 FROM audit WHERE seq = ? AND hash = ?) AS found',
    Number(seq),
    hash,
  );
  return row!.found === 1;
}

/**
 * Counts what was created, archived and deleted after an entry, by UTC day; in the whole log where it has no such entry.
 * What came from another store was created there, and what went to one is not deleted.
 */
export async function countItems(sql: Sql, afterHead: string): Promise<CountedItems> {
  const from = afterHead !== '' && (await hasAuditHead(sql, afterHead)) ? Number.parseInt(afterHead, 10) : 0;
  const head = await readMeta(sql, 'auditHead');
  const rows = await sql.all(
    `SELECT substr(at, 1, 10) AS day, sum(action = 'create' AND detail ->> 'moved' IS NULL) AS created,
       sum(action = 'archive') AS archived, sum(action IN ('prune', 'purge')) AS deleted
     FROM audit WHERE seq > ? AND seq <= ? AND action IN ('create', 'archive', 'prune', 'purge')
     GROUP BY day ORDER BY day`,
    from,
    Number.parseInt(head, 10) || 0,
  );
  const days = rows.map(({ day, created, archived, deleted }) => [day, { created, archived, deleted }] as const);
  return { isWhole: from === 0, head, days: Object.fromEntries(days) as CountedItems['days'] };
}

/** The audit log from a moment on, oldest first. */
export async function readAuditLog(sql: Sql, since: string): Promise<(HistoryLine & { readonly memoryId?: string })[]> {
  const rows = await sql.all(
    "SELECT at, action, memory_id, actor, detail FROM audit WHERE at >= ? AND action <> 'digest' ORDER BY seq",
    since,
  );
  return rows.map(it => ({
    at: it.at as string,
    action: it.action as AuditAction,
    ...(it.memory_id === null ? {} : { memoryId: it.memory_id as string }),
    actor: it.actor as string,
    detail: toShownDetail(it.detail),
  }));
}
