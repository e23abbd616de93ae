import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { symmetricEdgeTypes, type Edge } from '../../model/edge.js';
import { markEdge, removeEdge, settleConflict } from '../sql/edgeChanges.js';
import type { EdgeTable } from '../transactionBase.js';
import { postgresDialect } from './postgresDialect.js';
import { findPostgresEdges } from './postgresRelations.js';

/** The edges as a transaction writes them. @param at time of new edges */
export function postgresEdgeTable(sql: PostgresSql, at: string): EdgeTable {
  return {
    find: (ids, types) => findPostgresEdges(sql, ids, { types }),
    findInSets: ids => findPostgresEdges(sql, ids, { isInSets: true }),
    insert: edges => insertEdges(sql, edges, at),
    remove: async (source, target, type) => {
      await removeEdge(sql, postgresDialect, { source, target, type });
      await updatePostgresInDegrees(sql, [source, target]);
    },
    settle: (first, second, settledAt) => settleConflict(sql, postgresDialect, [first, second], settledAt),
    mark: mark => markEdge(sql, postgresDialect, mark),
  };
}

/** ON CONFLICT changes no row twice in one statement, so of equal edges the strongest is inserted. */
const insertEdgesSql = `
  WITH given AS (
    SELECT s.id AS a, t.id AS b, type = ANY ($7::text[]) AND s.row < t.row AS reversed, type, strength, reason, place
    FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[]) WITH ORDINALITY
        AS edge (source, target, type, strength, reason, place)
      JOIN memories s ON s.id = edge.source JOIN memories t ON t.id = edge.target
    WHERE s.id <> t.id),
  directed AS (
    SELECT CASE WHEN reversed THEN b ELSE a END AS source, CASE WHEN reversed THEN a ELSE b END AS target,
      type, strength, reason, place
    FROM given)
  INSERT INTO edges AS e (source, target, type, strength, reason, created_at)
  SELECT DISTINCT ON (source, target, type) source, target, type, strength, reason, $6::text
  FROM directed ORDER BY source, target, type, strength DESC, place
  ON CONFLICT (source, target, type) DO UPDATE SET reason = excluded.reason, strength = excluded.strength
  WHERE excluded.strength > e.strength`;

async function insertEdges(
  sql: PostgresSql,
  edges: readonly Pick<Edge, 'source' | 'target' | 'type' | 'strength' | 'reason'>[],
  at: string,
): Promise<void> {
  await sql.run(
    insertEdgesSql,
    edges.map(it => it.source),
    edges.map(it => it.target),
    edges.map(it => it.type),
    edges.map(it => it.strength),
    edges.map(it => it.reason),
    at,
    [...symmetricEdgeTypes],
  );
  await updatePostgresInDegrees(sql, [...new Set(edges.flatMap(it => [it.source, it.target]))]);
}

/** Ids of the memories at the other ends of the edges of some memories. */
export async function findPostgresNeighbors(sql: PostgresSql, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await sql.all(
    `SELECT target AS id FROM edges WHERE source = ANY ($1::text[])
     UNION SELECT source FROM edges WHERE target = ANY ($1::text[])`,
    [...ids],
  );
  return rows.map(it => it.id as string);
}

/**
 * Recounts the edges that point to each of the memories from its own set, of symmetric types those at either end. Counts twice
 * rather than write a row that stays the same, with its entry in each index; in a join, the server would read every memory.
 * @param tables names of the tables, where they are copies
 */
export async function updatePostgresInDegrees(
  sql: PostgresSql,
  ids: readonly string[],
  tables: { readonly memories: string; readonly edges: string } = { memories: 'memories', edges: 'edges' },
): Promise<void> {
  if (ids.length === 0) return;
  const inDegree = `(
    (SELECT count(*) FROM ${tables.edges} e JOIN ${tables.memories} o ON o.id = e.source
       WHERE e.target = m.id AND o.scope_id = m.scope_id) +
    (SELECT count(*) FROM ${tables.edges} e JOIN ${tables.memories} o ON o.id = e.target
       WHERE e.source = m.id AND o.scope_id = m.scope_id AND e.type = ANY ($2::text[])))`;
  await sql.run(
    `UPDATE ${tables.memories} m SET in_degree = ${inDegree}
     WHERE m.id = ANY ($1::text[]) AND m.in_degree <> ${inDegree}`,
    [...ids],
    [...symmetricEdgeTypes],
  );
}
