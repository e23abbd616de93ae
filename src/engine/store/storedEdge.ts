import type { Edge, EdgeMark, EdgeType } from '../model/edge.js';
import type { Memory } from '../model/memory.js';
import type { ConflictPair } from './store.js';

/** A judgement on the edge between two memories, in either direction. */
export interface EdgeMarkInput {
  readonly ends: readonly [string, string];
  /** The end that no longer holds; undefined where both hold. */
  readonly outdatedId: string | undefined;
  readonly type: EdgeType;
  readonly by: EdgeMark['by'];
  readonly at: string;
}

/** @param row of the table `edges`, with the ids of both ends as `source_id` and `target_id` */
export function toEdge(row: Readonly<Record<string, unknown>>): Edge {
  return {
    source: row.source_id as string,
    target: row.target_id as string,
    type: row.type as EdgeType,
    strength: row.strength as number,
    reason: row.reason as string,
    createdAt: row.created_at as string,
    ...(row.settled_at === null ? {} : { settledAt: row.settled_at as string }),
    ...(row.outdated === null
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

/** @param row of the table `edges`, with the ids of both ends as `source` and `target` */
export function toEdgeOfIds(row: Readonly<Record<string, unknown>>): Edge {
  return toEdge({ ...row, source_id: row.source, target_id: row.target });
}

/** Whether this end of an edge was stated to be outdated. */
export function isOutdatedEnd({ source, target, mark }: Edge, id: string): boolean {
  return (mark?.outdated === 'source' && source === id) || (mark?.outdated === 'target' && target === id);
}

/** The ends of a contradiction by age: the target may have been asserted again after the source was stored. */
export function toConflictPair(edge: Edge, source: Memory, target: Memory): ConflictPair {
  const [newer, older] = source.reinforcedAt >= target.reinforcedAt ? [source, target] : [target, source];
  return { newer, older, edge };
}
