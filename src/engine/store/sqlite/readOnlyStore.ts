import type { DecayClass, Kind, Lane, Memory, StoreKind } from '../../model/memory.js';
import type { ContradictingMemory } from '../../model/query.js';
import { centrality } from '../../scoring/centrality.js';
import { Database } from '../../database/database.js';
import { findContradictions } from './edges.js';
import { getMemories } from './memoryQueries.js';
import { migrations } from './migrations.js';
import { getRecord } from './records.js';

/** Who is in a hurry waits no longer for another program: a process cannot end while a statement waits. */
const busyTimeoutMs = 1_000;

/** What ranks an active memory among its like, without its text. */
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
> & { readonly accessedAt?: string; readonly expiresAt?: string; readonly status: 'active' };

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
];

/**
 * A store's file for who only looks and is in a hurry: it makes, migrates, repairs and writes nothing, and starts no
 * thread.
 */
export class ReadOnlyStore {
  private constructor(
    private readonly database: Database,
    private readonly kind: StoreKind,
  ) {}

  /**
   * @param file that exists
   * @returns undefined for a file of another version, which only an engine brings up to date
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

  /** Active memories in no set of their own, in no particular order; without what is sensitive, and without code. */
  async listActive(): Promise<MemorySummaryRow[]> {
    // One text for all of them: the driver takes longer over each value that it hands out than JSON does.
    const row = await this.database.read.get(
      `SELECT json_group_array(json_array(id, kind, lane, decay_class, confidence, priority, pinned, access_count,
         in_degree, updated_at, reinforced_at, accessed_at, expires_at)) AS list
       FROM memories
       WHERE status = 'active' AND scope_id = '' AND sensitive = 0 AND kind NOT IN ('code', 'code-description')`,
    );
    return (JSON.parse(row!.list as string) as SummaryValues[]).map(toSummaryRow);
  }

  /** Those that exist, in no particular order. */
  get(ids: readonly string[]): Promise<Memory[]> {
    return getMemories(this.database.read, this.kind, ids);
  }

  /** Contradictions of these memories that no person has settled. */
  contradictions(ids: readonly string[]): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
    return findContradictions(this.database.read, ids);
  }

  /** A record of kind `state`. */
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
  const [accessedAt, expiresAt] = row.slice(-2) as [string | null, string | null];
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
  };
}
