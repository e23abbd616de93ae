import type { Memory, StoreKind } from '../../model/memory.js';
import type { Contradictions } from '../store.js';
import type { Sql } from '../../database/database.js';
import { maxContradictions, openContradictionsSql, decodeContradictions, type ContradictionValues } from './edges.js';
import { sequenceSql } from '../../database/storeState.js';
import { memoryJsonSql, toMemory, type MemoryRowValues } from './memoryRows.js';

/** What a file tells of the candidates of a recall, as text for `candidatesOf`. */
export interface EncodedCandidates {
  readonly memories: string;
  /** What contradicts them. */
  readonly contradictions: string;
  /** Of the store, and of a scopeId, at the same moment. */
  readonly revision: number;
  readonly sequence: number;
}

/** The memories that may be in an answer. */
export interface FetchedCandidates {
  /** By row; one that is gone is missing. */
  readonly memories: ReadonlyMap<number, Memory>;
  readonly contradictions: Contradictions;
}

const contradictionsQuery = openContradictionsSql('SELECT value AS its_row FROM json_each(?1)', [
  'other',
  `iif(other IN (SELECT its_row FROM asked), NULL, (SELECT ${memoryJsonSql()} FROM memories WHERE row = other))`,
]);
type ContradictionWithMemory = readonly [...ContradictionValues, row: number, memory: MemoryRowValues | null];

// CROSS JOIN holds SQLite to the order: it would else begin with every memory.
const candidatesSql = `WITH ${contradictionsQuery.tables}
  SELECT (SELECT value FROM meta WHERE key = 'revision') AS revision, coalesce((${sequenceSql('?3')}), 0) AS sequence, (${contradictionsQuery.list}) AS opposites,
    (SELECT json_group_array(json_array(row, ${memoryJsonSql()})) FROM asked CROSS JOIN memories ON row = its_row) AS memories`;

/**
 * The memories of these rows, what contradicts them, and where the store and the write counter of a scopeId stand, all of one
 * moment. In one statement: a trip to the file takes as long as what is read there.
 */
export async function fetchCandidates(sql: Sql, rows: readonly number[], scopeId: string): Promise<EncodedCandidates> {
  const read = (await sql.get(candidatesSql, JSON.stringify(rows), maxContradictions, scopeId))!;
  const [memories, contradictions] = [read.memories as string, read.opposites as string];
  return { memories, contradictions, revision: Number(read.revision), sequence: read.sequence as number };
}

export function decodeCandidates(
  read: Pick<EncodedCandidates, 'memories' | 'contradictions'>,
  store: StoreKind,
): FetchedCandidates {
  const values = JSON.parse(read.memories) as readonly (readonly [row: number, memory: MemoryRowValues])[];
  const memories = new Map(values.map(([row, memoryValues]) => [row, toMemory(memoryValues, store)]));
  const contradicting = JSON.parse(read.contradictions) as readonly ContradictionWithMemory[];
  const contradictingMemories = new Map<string, Memory>();
  for (const [, id, , , , , , , row, memoryValues] of contradicting) {
    const memory = memoryValues === null ? memories.get(row) : toMemory(memoryValues, store);
    if (memory !== undefined) contradictingMemories.set(id, memory);
  }
  return {
    memories,
    contradictions: { byMemoryId: decodeContradictions(contradicting), memories: contradictingMemories },
  };
}
