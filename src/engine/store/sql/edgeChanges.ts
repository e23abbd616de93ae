import { symmetricEdgeTypes, type EdgeType } from '../../model/edge.js';
import type { EdgeMarkInput } from '../storedEdge.js';
import type { SharedSql, SqlDialect } from './sharedSql.js';

/** Condition: an edge is between two memories, whose ids are bound at two places, from the one to the other or either way. */
function isBetween({ endOf, text }: SqlDialect, first: number, second: number, eitherWay: boolean): string {
  const [one, other] = [first, second].map(it => endOf(text(it)));
  const forth = `(source = ${one} AND target = ${other})`;
  return eitherWay ? `(${forth} OR (source = ${other} AND target = ${one}))` : forth;
}

/** Removes one edge; an edge of a symmetric type in either direction. */
export async function removeEdge(
  sql: SharedSql,
  dialect: SqlDialect,
  { source, target, type }: { readonly source: string; readonly target: string; readonly type: EdgeType },
): Promise<void> {
  const isEdge = isBetween(dialect, 1, 2, symmetricEdgeTypes.includes(type));
  await sql.run(`DELETE FROM edges WHERE ${isEdge} AND type = ${dialect.text(3)}`, source, target, type);
}

/** Marks the contradiction between two memories as settled, or without a time as open. A settled one keeps its time. */
export async function settleConflict(
  sql: SharedSql,
  dialect: SqlDialect,
  ends: readonly [string, string],
  at: string | undefined,
): Promise<void> {
  const time = dialect.text(3);
  await sql.run(
    `UPDATE edges SET settled_at = ${time}
     WHERE type = 'contradicts' AND (settled_at IS NULL) <> (${time} IS NULL) AND ${isBetween(dialect, 1, 2, true)}`,
    ...ends,
    at ?? null,
  );
}

/** Marks one end of the edge between two memories as outdated; without an id it marks that both ends hold. */
export async function markEdge(
  sql: SharedSql,
  dialect: SqlDialect,
  { ends, outdatedId, type, by, at }: EdgeMarkInput,
): Promise<void> {
  const { text, endOf } = dialect;
  await sql.run(
    `UPDATE edges SET marked_by = ${text(3)}, marked_at = ${text(4)}, outdated = CASE
       WHEN ${text(5)} IS NULL THEN 'none' WHEN source = ${endOf(text(5))} THEN 'source' ELSE 'target' END
     WHERE type = ${text(6)} AND ${isBetween(dialect, 1, 2, true)}`,
    ...[ends[0], ends[1], by, at, outdatedId ?? null, type],
  );
}
