import type { Memory, StoreKind } from '../../model/memory.js';
import type { FirstReads } from '../store.js';
import type { Sql } from './database.js';
import { writeStateSql, writeStateOf, type WriteState } from './meta.js';
import { memoryOf, memoryText } from './rows.js';

/** What a write asked first, as one committed state of the file answered it. */
export interface ReadAhead {
  readonly reads: FirstReads;
  readonly state: WriteState;
  /** Of `reads.ids`, those that exist. */
  readonly memories: readonly Memory[];
  /** That say `reads.contentHashes`, oldest first. */
  readonly saying: readonly Memory[];
}

/** Something was written between what a write had read ahead and its turn: nothing it did on it may stay. */
export class Outdated extends Error {}

/** In one statement, and so of one state of the file. */
const readAheadSql = `SELECT 'state' AS what, 0 AS row, json_object${writeStateSql('?1')} AS memory
  UNION ALL SELECT 'known', row, ${memoryText()} FROM memories WHERE id IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT 'saying', row, ${memoryText()} FROM memories
    WHERE scope_id = ?1 AND content_hash IN (SELECT value FROM json_each(?3))
  ORDER BY row`;

/** Answers a write's first questions on the connection that reads, while the other one waits for its turn to write. */
export async function readAhead(sql: Sql, reads: FirstReads, kind: StoreKind): Promise<ReadAhead> {
  const { scopeId, ids, contentHashes } = reads;
  const rows = await sql.all(readAheadSql, scopeId, JSON.stringify(ids), JSON.stringify(contentHashes));
  const of = (what: string): Memory[] => rows.filter(it => it.what === what).map(it => memoryOf(it, kind));
  const state = rows.find(it => it.what === 'state')!.memory as string;
  return { reads, state: writeStateOf(state, scopeId), memories: of('known'), saying: of('saying') };
}
