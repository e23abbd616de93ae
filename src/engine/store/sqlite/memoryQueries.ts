import type { Sql, SqlRow } from '../../database/database.js';
import { statuses, type Memory, type StoreKind } from '../../model/memory.js';
import type { GroupCount, MemorySet, Period } from '../../model/query.js';
import type { ConflictPair, StoreFilter } from '../store.js';
import type { HotSince } from '../../scoring/temperature.js';
import { findUnresolvedConflicts } from './edges.js';
import { buildFilterSql, isHotSql } from './filterSql.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';

/** Memories per page of a full scan: a few milliseconds of reading. */
const scanPageSize = 250;

export const groupsSql = `SELECT gate, decay_class AS decayClass, kind, status, count(*) AS count FROM memories
  WHERE scope_id = ? GROUP BY decay_class, gate, kind, status`;

/** INDEXED BY: SQLite would rather count all from another index than read the rows of a period. */
export const groupsOfPeriodSql = `SELECT gate, decay_class AS decayClass, kind, status, count(*) AS count
  FROM memories INDEXED BY memories_by_time
  WHERE scope_id = ? AND status IN (${statuses.map(it => `'${it}'`).join(', ')}) AND created_at >= ? AND created_at < ?
  GROUP BY decay_class, gate, kind, status`;

/** Existing memories, in no particular order. */
export async function getMemories(sql: Sql, store: StoreKind, ids: readonly string[]): Promise<Memory[]> {
  const query = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE id IN (SELECT value FROM json_each(?))`;
  return decodeMemories(await sql.all(query, JSON.stringify(ids)), store);
}

/** Ids that match a full id or the last eight digits of one; at most three, enough to see that a reference is ambiguous. */
export async function resolveIds(sql: Sql, reference: string): Promise<string[]> {
  const query = 'SELECT id FROM memories WHERE id = ? OR substr(id, -8) = ? LIMIT 3';
  return (await sql.all(query, reference, reference)).map(it => it.id as string);
}

/** Newest first. */
export async function listMemories(
  sql: Sql,
  store: StoreKind,
  filter: StoreFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<Memory[]> {
  const { where, params } = buildFilterSql(filter);
  const query = `SELECT ${memoryJsonSql()} AS memory FROM memories m WHERE ${where}
    ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
  return decodeMemories(await sql.all(query, ...params, page.limit, page.offset), store);
}

export async function countMemories(sql: Sql, filter: StoreFilter): Promise<number> {
  const { where, params } = buildFilterSql(filter);
  const row = await sql.get(`SELECT count(*) AS count FROM memories m WHERE ${where}`, ...params);
  return row?.count as number;
}

export async function countGroups(sql: Sql, scopeId: string, period?: Period): Promise<GroupCount[]> {
  const rows =
    period === undefined
      ? await sql.all(groupsSql, scopeId)
      : await sql.all(groupsOfPeriodSql, scopeId, period.since, period.until);
  return rows as unknown as GroupCount[];
}

/** Reads every row of the set: no index has the times. */
export async function countTemperatureGroups(sql: Sql, scopeId: string, since: HotSince): Promise<GroupCount[]> {
  const { condition, params } = isHotSql(since);
  const rows = await sql.all(
    `SELECT gate, decay_class AS decayClass, kind, status, iif(${condition}, 'hot', 'cold') AS temperature, count(*) AS count
     FROM memories m WHERE scope_id = ? GROUP BY decay_class, gate, kind, status, temperature`,
    ...params,
    scopeId,
  );
  return rows as unknown as GroupCount[];
}

/** The isolated sets, by name. */
export async function listSets(sql: Sql): Promise<MemorySet[]> {
  const query = `SELECT scope_id AS scopeId, count(*) FILTER (WHERE status = 'active') AS active,
      count(*) FILTER (WHERE status <> 'active') AS archived
    FROM memories WHERE scope_id > '' GROUP BY scope_id ORDER BY scope_id`;
  return (await sql.all(query)) as unknown as MemorySet[];
}

/** Memories with a location in a document. */
export async function listAnchoredMemories(sql: Sql, store: StoreKind): Promise<Memory[]> {
  return decodeMemories(
    await sql.all(`SELECT ${memoryJsonSql()} AS memory FROM memories WHERE uri IS NOT NULL`),
    store,
  );
}

/** Pages of all memories, oldest first. */
export async function* scanMemories(
  sql: Sql,
  store: StoreKind,
  filter: StoreFilter | undefined,
): AsyncIterable<readonly Memory[]> {
  const { where, params } = filter === undefined ? { where: 'TRUE', params: [] } : buildFilterSql(filter);
  // NOT INDEXED: with an index, SQLite would collect and sort all remaining rows for every page.
  const query = `SELECT row, ${memoryJsonSql()} AS memory FROM memories m NOT INDEXED
    WHERE row > ? AND ${where} ORDER BY row LIMIT ?`;
  for (let after = 0; ;) {
    const rows = await sql.all(query, after, ...params, scanPageSize);
    if (rows.length === 0) return;
    yield decodeMemories(rows, store);
    after = rows.at(-1)!.row as number;
  }
}

/** Unsettled contradictions between active memories, newest first. */
export async function findConflictPairs(
  sql: Sql,
  store: StoreKind,
  scopeId: string,
  limit: number,
): Promise<ConflictPair[]> {
  const edges = await findUnresolvedConflicts(sql, scopeId, limit);
  const ids = [...new Set(edges.flatMap(it => [it.source, it.target]))];
  const memories = new Map((await getMemories(sql, store, ids)).map(it => [it.id, it]));
  return edges.flatMap(edge => {
    const [source, target] = [memories.get(edge.source), memories.get(edge.target)];
    if (source === undefined || target === undefined) return [];
    // The source was stored later, but the target may have been asserted again since, or at a later time.
    const [newer, older] = source.reinforcedAt >= target.reinforcedAt ? [source, target] : [target, source];
    return [{ newer, older, edge }];
  });
}

export function decodeMemories(rows: readonly SqlRow[], store: StoreKind): Memory[] {
  return rows.map(it => decodeMemory(it, store));
}
