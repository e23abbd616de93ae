import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { sameOfMark, type Edge, type EdgeMark, type EdgeType } from '../../model/edge.js';
import type { StoreKind } from '../../model/memory.js';
import type { ContradictingMemory } from '../../model/query.js';
import type { ConflictPair } from '../store.js';
import { toConflictPair, toEdge } from '../storedEdge.js';
import { fromPostgres, memoryArraySql } from './postgresRows.js';

const edgeColumns =
  'e.source AS source_id, e.target AS target_id, e.type, e.strength, e.reason, e.created_at, e.settled_at, e.outdated, e.marked_by, e.marked_at';

/**
 * Every edge that begins or ends at one of the memories, optionally of the given types only.
 * @param options.isInSets leaves out edges between memories of different sets
 */
export async function findPostgresEdges(
  sql: PostgresSql,
  ids: readonly string[],
  { types, isInSets = false }: { readonly types?: readonly EdgeType[] | undefined; readonly isInSets?: boolean } = {},
): Promise<Edge[]> {
  if (ids.length === 0) return [];
  const ofType = types === undefined ? '' : 'AND type = ANY($2::text[])';
  const rows = await sql.all(
    `SELECT ${edgeColumns} FROM (
       SELECT * FROM edges WHERE source = ANY($1::text[]) ${ofType}
       UNION SELECT * FROM edges WHERE target = ANY($1::text[]) ${ofType}) e
     JOIN memories s ON s.id = e.source JOIN memories t ON t.id = e.target
     ${isInSets ? 'WHERE t.scope_id = s.scope_id' : ''}
     ORDER BY e.created_at, s.row, t.row, e.type`,
    ids,
    ...(types === undefined ? [] : [types]),
  );
  return rows.map(toEdge);
}

/** Memory id -> at most `maxPerMemory` contradicting memories. Memories without contradictions have no entry. */
export async function findPostgresContradictions(
  sql: PostgresSql,
  ids: readonly string[],
  maxPerMemory: number,
): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
  const found = new Map<string, ContradictingMemory[]>();
  if (ids.length === 0) return found;
  const isOpen = "e.outdated IN ('source', 'target') AND e.settled_at IS NULL";
  const rest = 'e.type, e.strength, e.reason, e.created_at, e.marked_by, e.marked_at';
  const rows = await sql.all(
    `WITH requested AS (SELECT id, scope_id FROM memories WHERE id = ANY($1::text[])),
       open AS (
         SELECT r.id AS of, r.scope_id, e.target AS other, FALSE AS newer, ${rest},
           CASE e.outdated WHEN 'source' THEN 'this' WHEN 'target' THEN 'other' END AS mark
         FROM requested r JOIN edges e ON e.source = r.id AND ${isOpen}
         UNION ALL
         SELECT r.id, r.scope_id, e.source, TRUE, ${rest},
           CASE e.outdated WHEN 'target' THEN 'this' WHEN 'source' THEN 'other' END
         FROM requested r JOIN edges e ON e.target = r.id AND ${isOpen})
     SELECT * FROM (
       SELECT open.*, row_number() OVER (
         PARTITION BY open.of ORDER BY open.strength DESC, open.created_at DESC, o.row DESC)::int AS place
       FROM open JOIN memories o ON o.id = open.other AND o.status = 'active' AND o.scope_id = open.scope_id) best
     WHERE place <= $2::int ORDER BY of, place`,
    ids,
    maxPerMemory,
  );
  for (const row of rows) {
    const contradiction: ContradictingMemory = {
      id: row.other as string,
      newer: row.newer as boolean,
      certainty: row.strength as number,
      reason: row.reason as string,
      mark: {
        outdated: row.mark as 'this' | 'other',
        by: row.marked_by as EdgeMark['by'],
        at: row.marked_at as string,
        ...sameOfMark(row.type),
      },
    };
    const contradictions = found.get(row.of as string);
    if (contradictions === undefined) found.set(row.of as string, [contradiction]);
    else contradictions.push(contradiction);
  }
  return found;
}

/** Unsettled contradictions between active memories, newest first. */
export async function findPostgresConflicts(
  sql: PostgresSql,
  kind: StoreKind,
  scopeId: string,
  limit: number,
): Promise<ConflictPair[]> {
  const rows = await sql.all(
    `SELECT ${edgeColumns}, ${memoryArraySql('s')} AS source_memory, ${memoryArraySql('t')} AS target_memory
     FROM edges e JOIN memories s ON s.id = e.source JOIN memories t ON t.id = e.target
     WHERE e.type = 'contradicts' AND e.settled_at IS NULL AND e.outdated IN ('source', 'target')
       AND s.status = 'active' AND t.status = 'active' AND s.scope_id = $1 AND t.scope_id = $1
     ORDER BY e.created_at DESC, s.row DESC, t.row DESC LIMIT $2::bigint`,
    scopeId,
    limit,
  );
  return rows.map(row => {
    const [source, target] = [row.source_memory, row.target_memory].map(memory => fromPostgres({ memory }, kind));
    return toConflictPair(toEdge(row), source!, target!);
  });
}
