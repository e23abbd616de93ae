import type { Memory, StoreKind } from '../../model/memory.js';
import type { Opposites } from '../store.js';
import type { Sql } from './database.js';
import { mostOpposites, openContradictions, oppositesFrom, type OppositeValues } from './edges.js';
import { sequenceSql } from './meta.js';
import { memoryText, toMemory, type MemoryValues } from './rows.js';

/** What a file tells of the candidates of a recall, as text for `candidatesOf`. */
export interface CandidatesRead {
  readonly memories: string;
  /** What contradicts them. */
  readonly opposites: string;
  /** Of the store, and of a scopeId, at the same moment. */
  readonly revision: number;
  readonly sequence: number;
}

/** The memories that may be in an answer. */
export interface Candidates {
  /** By row; one that is gone is missing. */
  readonly memories: ReadonlyMap<number, Memory>;
  readonly opposites: Opposites;
}

const opposites = openContradictions('SELECT value AS its_row FROM json_each(?1)', [
  'other',
  `iif(other IN (SELECT its_row FROM asked), NULL, (SELECT ${memoryText()} FROM memories WHERE row = other))`,
]);
type OppositeWithMemory = readonly [...OppositeValues, row: number, memory: MemoryValues | null];

// CROSS JOIN holds SQLite to the order: it would else begin with every memory.
const candidatesSql = `WITH ${opposites.tables}
  SELECT (SELECT value FROM meta WHERE key = 'revision') AS revision, coalesce((${sequenceSql('?3')}), 0) AS sequence, (${opposites.list}) AS opposites,
    (SELECT json_group_array(json_array(row, ${memoryText()})) FROM asked CROSS JOIN memories ON row = its_row) AS memories`;

/**
 * The memories of these rows, what contradicts them, and where the store and the write counter of a scopeId stand, all of one
 * moment. In one statement: a trip to the file takes as long as what is read there.
 */
export async function readCandidates(sql: Sql, rows: readonly number[], scopeId: string): Promise<CandidatesRead> {
  const read = (await sql.get(candidatesSql, JSON.stringify(rows), mostOpposites, scopeId))!;
  const [memories, opposites] = [read.memories as string, read.opposites as string];
  return { memories, opposites, revision: Number(read.revision), sequence: read.sequence as number };
}

export function candidatesOf(read: Pick<CandidatesRead, 'memories' | 'opposites'>, store: StoreKind): Candidates {
  const values = JSON.parse(read.memories) as readonly (readonly [row: number, memory: MemoryValues])[];
  const memories = new Map(values.map(([row, its]) => [row, toMemory(its, store)]));
  const contradicting = JSON.parse(read.opposites) as readonly OppositeWithMemory[];
  const others = new Map<string, Memory>();
  for (const [, id, , , , row, its] of contradicting) {
    const memory = its === null ? memories.get(row) : toMemory(its, store);
    if (memory !== undefined) others.set(id, memory);
  }
  return { memories, opposites: { of: oppositesFrom(contradicting), memories: others } };
}
