import { symmetricEdgeTypes, type Edge, type EdgeMark, type EdgeType } from '../../model/edge.js';
import type { ContradictingMemory } from '../../model/query.js';
import type { SqlRow, Sql } from '../../database/database.js';
import { realTextSql } from './memoryRows.js';

// CROSS JOIN holds SQLite to the order: it would else begin with every memory.

/** Every edge that begins or ends at one of the memories; of these types alone where given. */
export async function findEdges(sql: Sql, ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
  const rows = await sql.all(
    `WITH wanted AS (SELECT row FROM memories WHERE id IN (SELECT value FROM json_each(?1))),
       typed AS (SELECT value FROM json_each(?2)),
       touching AS (
         SELECT e.* FROM wanted CROSS JOIN edges e ON e.source = wanted.row WHERE ?2 IS NULL OR e.type IN typed
         UNION SELECT e.* FROM wanted CROSS JOIN edges e ON e.target = wanted.row WHERE ?2 IS NULL OR e.type IN typed)
     SELECT e.*, s.id AS source_id, t.id AS target_id
     FROM touching e CROSS JOIN memories s ON s.row = e.source CROSS JOIN memories t ON t.row = e.target
     ORDER BY e.created_at, e.source, e.target, e.type`,
    JSON.stringify(ids),
    types === undefined ? null : JSON.stringify(types),
  );
  return rows.map(toEdge);
}

/** Of the memories that contradict one, the most certain ones count in an answer; more would be an answer of their own. */
export const maxContradictions = 3;

/** What `openContradictions` tells of one opposite: whose it is, and what it is. */
export type ContradictionValues = readonly [
  of: string,
  id: string,
  newer: 0 | 1,
  certainty: string,
  reason: string,
  outdated: 'this' | 'other' | 'none' | null,
  markedBy: EdgeMark['by'] | null,
  markedAt: string | null,
];

/**
 * The SQL of what contradicts some memories, as the tables of a WITH and one JSON text of them: the driver takes longer over
 * each value that it hands out than JSON does. Of each one's contradictions with active memories that no person has settled
 * the ?2 most certain, and of equally certain ones the newest.
 * @param memoryRowsSql SQL of the rows of the memories, as `its_row`, from ?1
 * @param extraColumns values that follow, of the row `other`
 */
export function openContradictionsSql(
  memoryRowsSql: string,
  extraColumns: readonly string[] = [],
): { readonly tables: string; readonly list: string } {
  const isOpen = "(type = 'contradicts' OR outdated IS NOT NULL) AND settled_at IS NULL";
  const ofId = '(SELECT id FROM memories WHERE row = its_row)';
  const values = [
    ofId,
    'other_id',
    'newer',
    realTextSql('strength'),
    'reason',
    'mark',
    'marked_by',
    'marked_at',
    ...extraColumns,
  ];
  return {
    tables: `asked AS (${memoryRowsSql}),
      open AS (
        SELECT its_row, target AS other, 0 AS newer, strength, reason, created_at, marked_by, marked_at,
          CASE outdated WHEN 'source' THEN 'this' WHEN 'target' THEN 'other' ELSE outdated END AS mark
        FROM asked CROSS JOIN edges ON source = its_row AND ${isOpen}
        UNION ALL
        SELECT its_row, source, 1, strength, reason, created_at, marked_by, marked_at,
          CASE outdated WHEN 'target' THEN 'this' WHEN 'source' THEN 'other' ELSE outdated END
        FROM asked CROSS JOIN edges ON target = its_row AND ${isOpen}),
      best AS (
        SELECT its_row, other, o.id AS other_id, newer, strength, reason, mark, marked_by, marked_at, row_number() OVER (
          PARTITION BY its_row ORDER BY strength DESC, open.created_at DESC, other DESC) AS place
        FROM open CROSS JOIN memories o ON o.row = other AND o.status = 'active')`,
    list: `SELECT json_group_array(json_array(${values.join(', ')})) AS list
      FROM (SELECT * FROM best WHERE place <= ?2 ORDER BY its_row, place)`,
  };
}

/** By memory id, in the order given. */
export function decodeContradictions(
  rows: readonly (readonly [...ContradictionValues, ...unknown[]])[],
): Map<string, ContradictingMemory[]> {
  const found = new Map<string, ContradictingMemory[]>();
  for (const [of, id, newer, certainty, reason, outdated, by, at] of rows) {
    const contradiction: ContradictingMemory = {
      id,
      newer: newer === 1,
      certainty: Number(certainty),
      reason,
      ...(outdated === null ? {} : { mark: { outdated, by: by!, at: at! } }),
    };
    const contradictions = found.get(of);
    if (contradictions === undefined) found.set(of, [contradiction]);
    else contradictions.push(contradiction);
  }
  return found;
}

const contradictionsOfIds = openContradictionsSql(
  'SELECT row AS its_row FROM memories WHERE id IN (SELECT value FROM json_each(?1))',
);
const contradictionsSql = `WITH ${contradictionsOfIds.tables} ${contradictionsOfIds.list}`;

/** Memory id -> what contradicts it, of those that anything does. */
export async function findContradictions(
  sql: Sql,
  ids: readonly string[],
  maxPerMemory = maxContradictions,
): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
  const { list } = (await sql.get(contradictionsSql, JSON.stringify(ids), maxPerMemory))!;
  return decodeContradictions(JSON.parse(list as string) as ContradictionValues[]);
}

/**
 * Rows of unsettled contradictions between active memories, newest first: both memories' ids with the edge. Contradictions
 * are few, so they are read first (a cross join keeps that order), and not all memories of the set.
 */
export async function findUnresolvedConflicts(sql: Sql, scopeId: string, limit: number): Promise<Edge[]> {
  const rows = await sql.all(
    `SELECT e.*, s.id AS source_id, t.id AS target_id
     FROM edges e CROSS JOIN memories s ON s.row = e.source CROSS JOIN memories t ON t.row = e.target
     WHERE e.type = 'contradicts' AND e.settled_at IS NULL
       AND s.status = 'active' AND t.status = 'active' AND s.scope_id = ? AND t.scope_id = ?
     ORDER BY e.created_at DESC, e.source DESC, e.target DESC LIMIT ?`,
    scopeId,
    scopeId,
    limit,
  );
  return rows.map(toEdge);
}

/**
 * Inserts edges and counts them at the memories they point to; of a type that holds both ways at both ends. One that is
 * there already keeps the greater strength.
 */
export async function insertEdges(
  sql: Sql,
  edges: readonly Pick<Edge, 'source' | 'target' | 'type' | 'strength' | 'reason'>[],
  at: string,
): Promise<void> {
  const wanted = JSON.stringify(edges.map(it => [it.source, it.target, it.type, it.strength, it.reason]));
  const symmetric = JSON.stringify(symmetricEdgeTypes);
  await sql.run(
    `WITH told AS (
       SELECT s.row AS a, t.row AS b, value ->> 2 AS type, value ->> 3 AS strength, value ->> 4 AS reason
       FROM json_each(?) JOIN memories s ON s.id = value ->> 0 JOIN memories t ON t.id = value ->> 1
       WHERE s.row <> t.row)
     INSERT INTO edges (source, target, type, strength, reason, created_at)
     SELECT iif(both AND a < b, b, a), iif(both AND a < b, a, b), type, strength, reason, ?
     FROM (SELECT *, type IN (SELECT value FROM json_each(?)) AS both FROM told) WHERE true
     ON CONFLICT DO UPDATE SET
       reason = iif(excluded.strength > strength, excluded.reason, reason), strength = max(strength, excluded.strength)`,
    wanted,
    at,
    symmetric,
  );
  await updateInDegrees(sql, 'id', [...new Set(edges.flatMap(it => [it.source, it.target]))]);
}

/** Removes every edge of a memory that is about to be deleted. */
export async function removeAllEdges(sql: Sql, id: string): Promise<void> {
  const row = 'SELECT row FROM memories WHERE id = ?1';
  const touching = await sql.all(
    `SELECT target AS row FROM edges WHERE source = (${row}) UNION SELECT source FROM edges WHERE target = (${row})`,
    id,
  );
  if (touching.length === 0) return;
  await sql.run(`DELETE FROM edges WHERE source = (${row}) OR target = (${row})`, id);
  await updateInDegrees(
    sql,
    'row',
    touching.map(it => it.row as number),
  );
}

/** Removes one edge, whichever way round it is told when its type holds both ways. */
export async function removeEdge(sql: Sql, source: string, target: string, type: EdgeType): Promise<void> {
  const ends = '(SELECT row FROM memories WHERE id = ?1), (SELECT row FROM memories WHERE id = ?2)';
  const back = '(SELECT row FROM memories WHERE id = ?2), (SELECT row FROM memories WHERE id = ?1)';
  const either = symmetricEdgeTypes.includes(type) ? `IN (VALUES (${ends}), (${back}))` : `= (${ends})`;
  await sql.run(`DELETE FROM edges WHERE (source, target) ${either} AND type = ?3`, source, target, type);
  await updateInDegrees(sql, 'id', [source, target]);
}

/** Marks the contradiction between two memories as settled, or with no time as open; a settled one keeps its time. */
export async function setConflictSettled(
  sql: Sql,
  first: string,
  second: string,
  at: string | undefined,
): Promise<void> {
  await sql.run(
    `UPDATE edges SET settled_at = ?1 WHERE type = 'contradicts' AND (settled_at IS NULL) <> (?1 IS NULL) AND (
       (source = (SELECT row FROM memories WHERE id = ?2) AND target = (SELECT row FROM memories WHERE id = ?3)) OR
       (source = (SELECT row FROM memories WHERE id = ?3) AND target = (SELECT row FROM memories WHERE id = ?2)))`,
    at ?? null,
    first,
    second,
  );
}

/** Marks one end of the edge between two memories as outdated, or with no id that both hold. */
export async function markEdge(
  sql: Sql,
  {
    ends,
    outdatedId,
    type,
    by,
    at,
  }: {
    readonly ends: readonly [string, string];
    readonly outdatedId: string | undefined;
    readonly type: EdgeType;
    readonly by: EdgeMark['by'];
    readonly at: string;
  },
): Promise<void> {
  const row = (n: number): string => `(SELECT row FROM memories WHERE id = ?${n})`;
  await sql.run(
    `UPDATE edges SET marked_by = ?1, marked_at = ?2, outdated = CASE WHEN ?5 IS NULL THEN 'none'
       WHEN source = ${row(5)} THEN 'source' ELSE 'target' END
     WHERE type = ?6 AND ((source = ${row(3)} AND target = ${row(4)}) OR (source = ${row(4)} AND target = ${row(3)}))`,
    by,
    at,
    ends[0],
    ends[1],
    outdatedId ?? null,
    type,
  );
}

/** Whether a person has settled the contradiction between two memories. */
export async function isConflictSettled(sql: Sql, first: string, second: string): Promise<boolean> {
  const edges = await findEdges(sql, [first, second], ['contradicts']);
  return edges.some(
    it => it.settledAt !== undefined && [it.source, it.target].every(end => end === first || end === second),
  );
}

/** Counts the edges that point to each of the memories. @param key what they are named by */
export async function updateInDegrees(
  sql: Sql,
  key: 'row' | 'id',
  values: readonly (string | number)[],
): Promise<void> {
  const both = JSON.stringify(symmetricEdgeTypes);
  await sql.run(
    `UPDATE memories SET in_degree =
       (SELECT count(*) FROM edges WHERE target = memories.row) +
       (SELECT count(*) FROM edges WHERE source = memories.row AND type IN (SELECT value FROM json_each(?)))
     WHERE ${key} IN (SELECT value FROM json_each(?))`,
    both,
    JSON.stringify(values),
  );
}

function toEdge(row: SqlRow): Edge {
  return {
    source: row.source_id as string,
    target: row.target_id as string,
    type: row.type as EdgeType,
    strength: row.strength as number,
    reason: row.reason as string,
    createdAt: row.created_at as string,
    ...(row.settled_at === null ? {} : { settledAt: row.settled_at as string }),
    ...(row.outdated === null || row.outdated === undefined
      ? {}
      : {
          mark: {
            outdated: row.outdated as EdgeMark['outdated'],
            by: row.marked_by as EdgeMark['by'],
            at: row.marked_at as string,
          },
        }),
  };
}
