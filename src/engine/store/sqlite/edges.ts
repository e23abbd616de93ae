import { sameOfMark, symmetricEdgeTypes, type Edge, type EdgeMark, type EdgeType } from '../../model/edge.js';
import type { ContradictingMemory } from '../../model/query.js';
import type { Sql } from '../../database/database.js';
import { toEdge } from '../storedEdge.js';
import { realTextSql } from './memoryRows.js';

// CROSS JOIN fixes the join order: SQLite would otherwise start with every memory.

/** Every edge that begins or ends at one of the memories, optionally of the given types only. */
export function findEdges(sql: Sql, ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
  return readEdges(sql, 'TRUE', ids, types);
}

/**
 * Like `findEdges`, without the edges between memories that a person has put into different sets: these rest until both
 * are in one.
 */
export function findEdgesInSets(sql: Sql, ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
  return readEdges(sql, 't.scope_id = s.scope_id', ids, types);
}

/** @param condition on the source `s` and the target `t` */
async function readEdges(
  sql: Sql,
  condition: string,
  ids: readonly string[],
  types: readonly EdgeType[] | undefined,
): Promise<Edge[]> {
  const rows = await sql.all(
    `WITH wanted AS (SELECT row FROM memories WHERE id IN (SELECT value FROM json_each(?1))),
       typed AS (SELECT value FROM json_each(?2)),
       touching AS (
         SELECT e.* FROM wanted CROSS JOIN edges e ON e.source = wanted.row WHERE ?2 IS NULL OR e.type IN typed
         UNION SELECT e.* FROM wanted CROSS JOIN edges e ON e.target = wanted.row WHERE ?2 IS NULL OR e.type IN typed)
     SELECT e.*, s.id AS source_id, t.id AS target_id
     FROM touching e CROSS JOIN memories s ON s.row = e.source
       CROSS JOIN memories t ON t.row = e.target AND ${condition}
     ORDER BY e.created_at, e.source, e.target, e.type`,
    JSON.stringify(ids),
    types === undefined ? null : JSON.stringify(types),
  );
  return rows.map(toEdge);
}

/** Contradictions shown per memory, the most certain ones; more would be an answer in themselves. */
export const maxContradictions = 3;

/** One row of `openContradictionsSql`: a memory, and one that contradicts it. */
export type ContradictionValues = readonly [
  of: string,
  id: string,
  newer: 0 | 1,
  certainty: string,
  reason: string,
  outdated: 'this' | 'other',
  markedBy: EdgeMark['by'],
  markedAt: string,
  type: EdgeType,
];

/**
 * SQL of the unsettled statements that one of two memories no longer holds, for some memories: per memory the ?2 most certain ones, then the newest, with active
 * memories. Consists of the tables of a WITH clause and a query for one JSON text, because the driver is slower per
 * value than a JSON parser.
 * @param memoryRowsSql query for the memories' rows as `memory_row`; may use ?1
 * @param extraColumns more columns, which may use the contradicting memory's row `contradicting_row`
 */
export function openContradictionsSql(
  memoryRowsSql: string,
  extraColumns: readonly string[] = [],
): { readonly tables: string; readonly list: string } {
  const isOpen = "outdated IN ('source', 'target') AND settled_at IS NULL";
  const ofId = '(SELECT id FROM memories WHERE row = memory_row)';
  const values = [
    ofId,
    'contradicting_id',
    'newer',
    realTextSql('strength'),
    'reason',
    'mark',
    'marked_by',
    'marked_at',
    'type',
    ...extraColumns,
  ];
  return {
    tables: `requested AS (${memoryRowsSql}),
      open AS (
        SELECT memory_row, target AS contradicting_row, 0 AS newer, type, strength, reason, created_at, marked_by, marked_at,
          CASE outdated WHEN 'source' THEN 'this' WHEN 'target' THEN 'other' END AS mark
        FROM requested CROSS JOIN edges ON source = memory_row AND ${isOpen}
        UNION ALL
        SELECT memory_row, source, 1, type, strength, reason, created_at, marked_by, marked_at,
          CASE outdated WHEN 'target' THEN 'this' WHEN 'source' THEN 'other' END
        FROM requested CROSS JOIN edges ON target = memory_row AND ${isOpen}),
      best AS (
        SELECT memory_row, contradicting_row, o.id AS contradicting_id, newer, type, strength, reason, mark, marked_by, marked_at, row_number() OVER (
          PARTITION BY memory_row ORDER BY strength DESC, open.created_at DESC, contradicting_row DESC) AS place
        FROM open CROSS JOIN memories o ON o.row = contradicting_row AND o.status = 'active'
          AND o.scope_id = (SELECT scope_id FROM memories WHERE row = memory_row))`,
    list: `SELECT json_group_array(json_array(${values.join(', ')})) AS list
      FROM (SELECT * FROM best WHERE place <= ?2 ORDER BY memory_row, place)`,
  };
}

/** By memory id, in the given order. */
export function decodeContradictions(
  rows: readonly (readonly [...ContradictionValues, ...unknown[]])[],
): Map<string, ContradictingMemory[]> {
  const found = new Map<string, ContradictingMemory[]>();
  for (const [of, id, newer, certainty, reason, outdated, by, at, type] of rows) {
    const contradiction: ContradictingMemory = {
      id,
      newer: newer === 1,
      certainty: Number(certainty),
      reason,
      mark: { outdated, by, at, ...sameOfMark(type) },
    };
    const contradictions = found.get(of);
    if (contradictions === undefined) found.set(of, [contradiction]);
    else contradictions.push(contradiction);
  }
  return found;
}

const contradictionsOfIds = openContradictionsSql(
  'SELECT row AS memory_row FROM memories WHERE id IN (SELECT value FROM json_each(?1))',
);
const contradictionsSql = `WITH ${contradictionsOfIds.tables} ${contradictionsOfIds.list}`;

/** Memory id -> contradicting memories. Memories without contradictions have no entry. */
export async function findContradictions(
  sql: Sql,
  ids: readonly string[],
  maxPerMemory = maxContradictions,
): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
  const { list } = (await sql.get(contradictionsSql, JSON.stringify(ids), maxPerMemory))!;
  return decodeContradictions(JSON.parse(list as string) as ContradictionValues[]);
}

/**
 * Pairs of active memories with a stated replacement between them, newest first. CROSS JOIN reads the few contradictions before the
 * many memories.
 */
export async function findUnresolvedConflicts(sql: Sql, scopeId: string, limit: number): Promise<Edge[]> {
  const rows = await sql.all(
    `SELECT e.*, s.id AS source_id, t.id AS target_id
     FROM edges e CROSS JOIN memories s ON s.row = e.source CROSS JOIN memories t ON t.row = e.target
     WHERE e.type = 'contradicts' AND e.settled_at IS NULL AND e.outdated IN ('source', 'target')
       AND s.status = 'active' AND t.status = 'active' AND s.scope_id = ? AND t.scope_id = ?
     ORDER BY e.created_at DESC, e.source DESC, e.target DESC LIMIT ?`,
    scopeId,
    scopeId,
    limit,
  );
  return rows.map(toEdge);
}

/**
 * Inserts edges and updates the in-degrees: of the target, and for symmetric types of both ends. An existing edge keeps
 * the greater strength.
 */
export async function insertEdges(
  sql: Sql,
  edges: readonly Pick<Edge, 'source' | 'target' | 'type' | 'strength' | 'reason'>[],
  at: string,
): Promise<void> {
  const wanted = JSON.stringify(edges.map(it => [it.source, it.target, it.type, it.strength, it.reason]));
  const symmetric = JSON.stringify(symmetricEdgeTypes);
  await sql.run(
    `WITH input AS (
       SELECT s.row AS a, t.row AS b, value ->> 2 AS type, value ->> 3 AS strength, value ->> 4 AS reason
       FROM json_each(?) JOIN memories s ON s.id = value ->> 0 JOIN memories t ON t.id = value ->> 1
       WHERE s.row <> t.row)
     INSERT INTO edges (source, target, type, strength, reason, created_at)
     SELECT iif(both AND a < b, b, a), iif(both AND a < b, a, b), type, strength, reason, ?
     FROM (SELECT *, type IN (SELECT value FROM json_each(?)) AS both FROM input) WHERE true
     ON CONFLICT DO UPDATE SET
       reason = iif(excluded.strength > strength, excluded.reason, reason), strength = max(strength, excluded.strength)`,
    wanted,
    at,
    symmetric,
  );
  await updateInDegrees(sql, 'id', [...new Set(edges.flatMap(it => [it.source, it.target]))]);
}

/** Removes every edge of a memory before the memory is deleted. @returns ids of the memories at their other ends */
export async function removeAllEdges(sql: Sql, id: string): Promise<readonly string[]> {
  const row = 'SELECT row FROM memories WHERE id = ?1';
  const touching = await sql.all(
    `SELECT row, id FROM memories WHERE row IN (
       SELECT target FROM edges WHERE source = (${row}) UNION SELECT source FROM edges WHERE target = (${row}))`,
    id,
  );
  if (touching.length === 0) return [];
  await sql.run(`DELETE FROM edges WHERE source = (${row}) OR target = (${row})`, id);
  await updateInDegrees(
    sql,
    'row',
    touching.map(it => it.row as number),
  );
  return touching.map(it => it.id as string);
}

/** Recounts the edges that point to a memory and to its neighbors, after it was put into another set. */
export async function updateInDegreesAround(sql: Sql, id: string): Promise<void> {
  const rows = await sql.all(
    `WITH own AS (SELECT row FROM memories WHERE id = ?)
     SELECT row FROM own UNION SELECT target FROM own CROSS JOIN edges ON source = row
       UNION SELECT source FROM own CROSS JOIN edges ON target = row`,
    id,
  );
  await updateInDegrees(
    sql,
    'row',
    rows.map(it => it.row as number),
  );
}

/**
 * Recounts the edges that point to each of the memories from its own set.
 * @param key column of the values
 */
export async function updateInDegrees(
  sql: Sql,
  key: 'row' | 'id',
  values: readonly (string | number)[],
): Promise<void> {
  const both = JSON.stringify(symmetricEdgeTypes);
  await sql.run(
    `UPDATE memories SET in_degree =
       (SELECT count(*) FROM edges e CROSS JOIN memories o ON o.row = e.source
          WHERE e.target = memories.row AND o.scope_id = memories.scope_id) +
       (SELECT count(*) FROM edges e CROSS JOIN memories o ON o.row = e.target
          WHERE e.source = memories.row AND o.scope_id = memories.scope_id
            AND e.type IN (SELECT value FROM json_each(?)))
     WHERE ${key} IN (SELECT value FROM json_each(?))`,
    both,
    JSON.stringify(values),
  );
}
