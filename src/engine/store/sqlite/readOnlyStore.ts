import type { DecayClass, Kind, Lane, Memory, StoreKind } from '../../model/memory.js';
import type { ContradictingMemory } from '../../model/query.js';
import { centrality } from '../../scoring/centrality.js';
import { Database } from '../../database/database.js';
import { findContradictions } from './edges.js';
import { getMemories } from './memoryQueries.js';
import { migrations } from './migrations.js';
import { getRecord } from './records.js';

/** Short, because a process cannot exit while a statement waits for the lock. */
const busyTimeoutMs = 1_000;

/** The fields of an active memory that ranking needs, without its text. */
export type MemorySummaryRow = Pick<
  Memory,
  | 'id'
  | 'kind'
  | 'lane'
  | 'decayClass'
  | 'confidence'
  | 'priority'
  | 'pinned'
  | 'accessCount'
  | 'centrality'
  | 'updatedAt'
  | 'reinforcedAt'
  | 'accessedAt'
  | 'expiresAt'
  | 'dueAt'
> & { readonly status: 'active'; readonly branch?: string };

type SummaryValues = readonly [
  id: string,
  kind: Kind,
  lane: Lane,
  decayClass: DecayClass,
  confidence: number,
  priority: number,
  pinned: number,
  accessCount: number,
  inDegree: number,
  updatedAt: string,
  reinforcedAt: string,
  accessedAt: string | null,
  expiresAt: string | null,
  dueAt: string | null,
  branch: string | null,
];

/**
 * Reads a store's file without an engine, for short-lived processes: creates, migrates, repairs and writes nothing, and
 * starts no thread.
 */
export class ReadOnlyStore {
  private constructor(
    private readonly database: Database,
    readonly kind: StoreKind,
  ) {}

  /**
   * @param file an existing file
   * @returns undefined for a file of another version, which only an engine migrates
   * @throws EngineError storeUnavailable | storeDamaged | storeBusy
   */
  static async open(file: string, kind: StoreKind): Promise<ReadOnlyStore | undefined> {
    const database = await Database.openReader(file, busyTimeoutMs);
    try {
      const row = await database.read.get('PRAGMA user_version');
      if (row?.user_version === migrations.length) return new ReadOnlyStore(database, kind);
    } catch (error) {
      await database.close();
      throw error;
    }
    await database.close();
    return undefined;
  }

  /** Active memories of the shared set, in no particular order, without code. */
  async listActive(): Promise<MemorySummaryRow[]> {
    // One JSON text for all rows: the driver is slower per value than a JSON parser.
    const row = await this.database.read.get(
      `SELECT json_group_array(json_array(id, kind, lane, decay_class, confidence, priority, pinned, access_count,
         in_degree, updated_at, reinforced_at, accessed_at, expires_at, due_at,
         iif(json_valid(provenance), json_extract(provenance, '$.branch'), NULL))) AS list
       FROM memories
       WHERE status = 'active' AND scope_id = '' AND kind NOT IN ('code', 'code-description')`,
    );
    return (JSON.parse(row!.list as string) as SummaryValues[]).map(toSummaryRow);
  }

  /** Existing memories, in no particular order. */
  get(ids: readonly string[]): Promise<Memory[]> {
    return getMemories(this.database.read, this.kind, ids);
  }

  /** Unsettled contradictions of these memories. */
  contradictions(ids: readonly string[]): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
    return findContradictions(this.database.read, ids);
  }

  /** Body of a record of kind `state`. */
  async readState<T>(id: string): Promise<T | undefined> {
    return (await getRecord<T>(this.database.read, 'state', id))?.body;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

function toSummaryRow(row: SummaryValues): MemorySummaryRow {
  const [id, kind, lane, decayClass, confidence, priority, pinned, accessCount, inDegree, updatedAt, reinforcedAt] =
    row;
  const [accessedAt, expiresAt, dueAt, branch] = row.slice(-4) as [
    string | null,
    string | null,
    string | null,
    string | null,
  ];
  return {
    id,
    kind,
    lane,
    decayClass,
    confidence,
    priority,
    pinned: pinned === 1,
    accessCount,
    centrality: centrality(inDegree),
    updatedAt,
    reinforcedAt,
    status: 'active',
    ...(accessedAt === null ? {} : { accessedAt }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(dueAt === null ? {} : { dueAt }),
    ...(branch === null ? {} : { branch }),
  };
}
