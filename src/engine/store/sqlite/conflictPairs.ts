import type { Sql } from '../../database/database.js';
import type { StoreKind } from '../../model/memory.js';
import type { ConflictPair } from '../store.js';
import { StoreMemories } from '../sql/storeMemories.js';
import { findUnresolvedConflicts } from './edges.js';
import { sqliteDialect } from './sqliteDialect.js';

/** Unsettled contradictions between active memories, newest first. */
export async function findConflictPairs(
  sql: Sql,
  store: StoreKind,
  scopeId: string,
  limit: number,
): Promise<ConflictPair[]> {
  const edges = await findUnresolvedConflicts(sql, scopeId, limit);
  const ids = [...new Set(edges.flatMap(it => [it.source, it.target]))];
  const memories = new Map((await new StoreMemories(sql, sqliteDialect, store).get(ids)).map(it => [it.id, it]));
  return edges.flatMap(edge => {
    const [source, target] = [memories.get(edge.source), memories.get(edge.target)];
    if (source === undefined || target === undefined) return [];
    // The source was stored later, but the target may have been asserted again since, or at a later time.
    const [newer, older] = source.reinforcedAt >= target.reinforcedAt ? [source, target] : [target, source];
    return [{ newer, older, edge }];
  });
}
