import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import type { Contradictions } from '../store.js';
import type { Sql } from '../../database/database.js';
import { maxContradictions, openContradictionsSql, decodeContradictions, type ContradictionValues } from './edges.js';
import { sequenceSql } from '../../database/storeState.js';
import { toMemory, type MemoryRowValues } from '../memoryRow.js';
import { memoryJsonSql } from './memoryRows.js';

/** Candidates of a recall as JSON, for `decodeCandidates`. */
export interface EncodedCandidates {
  readonly memories: string;
  /** The candidates' search aids. */
  readonly aids: string;
  /** The candidates' contradictions. */
  readonly contradictions: string;
  /** Revision of the store, read in the same statement. */
  readonly revision: number;
  readonly sequence: number;
}

/** The decoded candidates of a recall. */
export interface FetchedCandidates {
  /** By row; deleted memories are missing. */
  readonly memories: ReadonlyMap<number, Memory>;
  /** By row, of those that have any. */
  readonly aids: ReadonlyMap<number, SearchAids>;
  readonly contradictions: Contradictions;
}

const contradictionsQuery = openContradictionsSql('SELECT value AS memory_row FROM json_each(?1)', [
  'contradicting_row',
  `iif(contradicting_row IN (SELECT memory_row FROM requested), NULL, (SELECT ${memoryJsonSql} FROM memories WHERE row = contradicting_row))`,
]);
type ContradictionWithMemory = readonly [...ContradictionValues, row: number, memory: MemoryRowValues | null];

// CROSS JOIN fixes the join order: SQLite would otherwise start with every memory.
const candidatesSql = `WITH ${contradictionsQuery.tables}
  SELECT (SELECT value FROM meta WHERE key = 'revision') AS revision, coalesce((${sequenceSql('?3')}), 0) AS sequence, (${contradictionsQuery.list}) AS contradictions,
    (SELECT json_group_array(json_array(row, ${memoryJsonSql})) FROM requested CROSS JOIN memories ON row = memory_row) AS memories,
    (SELECT json_group_array(json_array(row, json(questions), json(keywords))) FROM requested CROSS JOIN aids ON row = memory_row) AS aids`;

/**
 * Reads the memories of these rows, their contradictions, the revision and the write counter of a scopeId from one
 * snapshot. A single statement, because a round trip takes as long as reading the rows.
 */
export async function fetchCandidates(sql: Sql, rows: readonly number[], scopeId: string): Promise<EncodedCandidates> {
  const read = (await sql.get(candidatesSql, JSON.stringify(rows), maxContradictions, scopeId))!;
  return {
    memories: read.memories as string,
    aids: read.aids as string,
    contradictions: read.contradictions as string,
    revision: Number(read.revision),
    sequence: read.sequence as number,
  };
}

export function decodeCandidates(
  read: Pick<EncodedCandidates, 'memories' | 'aids' | 'contradictions'>,
  store: StoreKind,
): FetchedCandidates {
  const values = JSON.parse(read.memories) as readonly (readonly [row: number, memory: MemoryRowValues])[];
  const memories = new Map(values.map(([row, memoryValues]) => [row, toMemory(memoryValues, store)]));
  const aids = JSON.parse(read.aids) as readonly (readonly [row: number, questions: string[], keywords: string[]])[];
  const contradicting = JSON.parse(read.contradictions) as readonly ContradictionWithMemory[];
  const contradictingMemories = new Map<string, Memory>();
  for (const [, id, , , , , , , , row, memoryValues] of contradicting) {
    const memory = memoryValues === null ? memories.get(row) : toMemory(memoryValues, store);
    if (memory !== undefined) contradictingMemories.set(id, memory);
  }
  return {
    memories,
    aids: new Map(aids.map(([row, questions, keywords]) => [row, { questions, keywords }])),
    contradictions: { byMemoryId: decodeContradictions(contradicting), memories: contradictingMemories },
  };
}
