import { toInt8Components } from '../../base/int8Vector.js';
import { sameOfMark, type EdgeMark } from '../../model/edge.js';
import type { Memory, MemorySource, StoreKind } from '../../model/memory.js';
import { centrality } from '../../scoring/centrality.js';
import { warningKinds } from '../../model/guards.js';
import { readMeta } from '../../database/storeState.js';
import { guardRecordPrefix } from '../guardFile.js';
import { Database } from '../../database/database.js';
import { StoreMemories } from '../sql/storeMemories.js';
import { schemaVersion } from './schemaVersion.js';
import { sqliteDialect } from './sqliteDialect.js';
import { StoreLogs } from '../sql/storeLogs.js';

/** Short, because a process cannot exit while a statement waits for the lock. */
const busyTimeoutMs = 1_000;

/** An active memory as the briefing weighs it: its text is loaded where it has a place. */
export interface ActiveMemoryRow extends Pick<
  Memory,
  | 'id'
  | 'gate'
  | 'kind'
  | 'lane'
  | 'decayClass'
  | 'confidence'
  | 'pinned'
  | 'accessCount'
  | 'reinforcementCount'
  | 'tags'
  | 'centrality'
  | 'createdAt'
  | 'updatedAt'
  | 'reinforcedAt'
  | 'accessedAt'
  | 'expiresAt'
  | 'dueAt'
> {
  readonly status: 'active';
  /** The text's beginning. */
  readonly content: string;
  readonly source: MemorySource;
  readonly branch?: string;
  /** The imported file. */
  readonly file?: string;
  /** Whether a member of the team shared it. */
  readonly isShared: boolean;
}

/** An active memory that a tool call of an assistant may be about. */
export interface GuardRow extends Pick<Memory, 'id' | 'content' | 'gate' | 'kind' | 'lane'> {
  readonly source: MemorySource;
  /** Of the document that it is anchored to. */
  readonly uri?: string;
  readonly symbol?: string;
  /** Whether a person wants to be asked before. */
  readonly asks: boolean;
}

/** In characters: enough of a text to see what it is. */
const openingLength = 400;

/** A judgement that one memory no longer holds because of another one, or says the same; the newer one stands for it. */
export interface ReplacementRow {
  readonly older: string;
  readonly newer: string;
  readonly by: EdgeMark['by'];
  readonly at: string;
  readonly isSame?: boolean;
}

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
      if (row?.user_version === schemaVersion) return new ReadOnlyStore(database, kind);
    } catch (error) {
      await database.close();
      throw error;
    }
    await database.close();
    return undefined;
  }

  /** Active memories of the shared set, in no particular order, without code. */
  async listActive(): Promise<readonly ActiveMemoryRow[]> {
    // One JSON text for all rows: the driver is slower per value than a JSON parser.
    const origin = (field: string): string =>
      `iif(json_valid(provenance), json_extract(provenance, '$.${field}'), NULL)`;
    const fields: Readonly<Record<Exclude<keyof ActiveMemoryRow, 'status'>, string>> = {
      id: 'id',
      gate: 'gate',
      kind: 'kind',
      lane: 'lane',
      decayClass: 'decay_class',
      confidence: 'confidence',
      pinned: "json(iif(pinned, 'true', 'false'))",
      accessCount: 'access_count',
      reinforcementCount: 'reinforcement_count',
      tags: 'iif(json_valid(tags), json(tags), json_array())',
      centrality: 'in_degree',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
      reinforcedAt: 'reinforced_at',
      accessedAt: 'accessed_at',
      expiresAt: 'expires_at',
      dueAt: 'due_at',
      content: `substr(content, 1, ${openingLength})`,
      source: 'source',
      branch: origin('branch'),
      file: origin('file'),
      isShared: `json(iif(${origin('author')} IS NULL, 'false', 'true'))`,
    };
    const names = Object.keys(fields);
    const row = await this.database.read.get(
      `SELECT json_group_array(json_array(${Object.values(fields).join(', ')})) AS list
       FROM memories
       WHERE status = 'active' AND scope_id = '' AND kind NOT IN ('code', 'code-description')`,
    );
    return (JSON.parse(row!.list as string) as (readonly unknown[])[]).map(values => {
      const present = names.flatMap((name, i) => (values[i] === null ? [] : [[name, values[i]] as const]));
      const found = Object.fromEntries(present) as unknown as ActiveMemoryRow;
      return { ...found, centrality: centrality(found.centrality), status: 'active' };
    });
  }

  /** Memories that may guard a tool call, the most certain and newest first: anchored memories, warnings, and a person's guards. */
  async listGuardRows(limit: number): Promise<readonly GuardRow[]> {
    const symbol = "iif(json_valid(provenance), json_extract(provenance, '$.symbol'), NULL)";
    const asks = `EXISTS (SELECT 1 FROM records WHERE records.kind = 'state' AND records.id = '${guardRecordPrefix}' || memories.id)`;
    const warning = `(gate = 'correction' OR kind IN (SELECT value FROM json_each(?)))`;
    const rows = await this.database.read.all(
      `SELECT id, content, gate, kind, lane, source, uri, ${symbol} AS symbol, ${asks} AS asks
       FROM memories
       WHERE status = 'active' AND scope_id = '' AND kind NOT IN ('code', 'code-description', 'summary')
         AND (${warning} OR uri IS NOT NULL OR ${asks})
       ORDER BY asks DESC, lane = 'confirmed' DESC, reinforced_at DESC, id LIMIT ?`,
      JSON.stringify(warningKinds),
      limit,
    );
    return rows.map(({ uri, symbol: declaration, asks: isGuard, ...row }) => ({
      ...(row as unknown as Omit<GuardRow, 'asks'>),
      ...(typeof uri === 'string' ? { uri } : {}),
      ...(typeof declaration === 'string' ? { symbol: declaration } : {}),
      asks: isGuard === 1,
    }));
  }

  /** Content revision, as the store counts it. */
  async revision(): Promise<number> {
    return Number(await readMeta(this.database.read, 'revision'));
  }

  /** Memories that a person or a model called outdated, and what replaced them; without what was settled since. */
  async replacements(): Promise<readonly ReplacementRow[]> {
    const rows = await this.database.read.all(
      `SELECT s.id AS source_id, t.id AS target_id, e.type, e.outdated, e.marked_by, e.marked_at
       FROM edges e CROSS JOIN memories s ON s.row = e.source CROSS JOIN memories t ON t.row = e.target
       WHERE e.outdated IN ('source', 'target') AND e.settled_at IS NULL AND s.scope_id = '' AND t.scope_id = ''
         AND iif(e.outdated = 'source', t.status, s.status) = 'active'`,
    );
    return rows.map(({ source_id: source, target_id: target, type, outdated, marked_by: by, marked_at: at }) => {
      const [older, newer] = (outdated === 'source' ? [source, target] : [target, source]) as [string, string];
      return { older, newer, by: by as EdgeMark['by'], at: at as string, ...sameOfMark(type) };
    });
  }

  /** Conflicts that a person settled: the loser, and the memory that replaces it. */
  async supersessions(): Promise<readonly ReplacementRow[]> {
    const rows = await this.database.read.all(
      `SELECT s.id AS newer, t.id AS older, e.created_at AS at
       FROM edges e CROSS JOIN memories s ON s.row = e.source CROSS JOIN memories t ON t.row = e.target
       WHERE e.type = 'supersedes' AND s.status = 'active' AND t.status = 'superseded' AND s.scope_id = ''`,
    );
    return rows.map(it => ({
      newer: it.newer as string,
      older: it.older as string,
      by: 'person',
      at: it.at as string,
    }));
  }

  /**
   * int8 vectors by memory id, of the newest version of a model that has any.
   * @param name of the model
   */
  async vectors(name: string, ids: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    const rows = await this.database.read.all(
      `SELECT m.id, v.vector FROM memories m JOIN vectors v ON v.row = m.row
       WHERE m.id IN (SELECT value FROM json_each(?1)) AND v.model = (
         SELECT max(number) FROM models WHERE substr(id, 1, length(?2) + 1) = ?2 || '@' AND instr(id, '#') = 0)`,
      JSON.stringify(ids),
      name,
    );
    return new Map(rows.map(it => [it.id as string, toInt8Components(it.vector as Uint8Array)]));
  }

  /** Existing memories, in no particular order. */
  get(ids: readonly string[]): Promise<Memory[]> {
    return new StoreMemories(this.database.read, sqliteDialect, this.kind).get(ids);
  }

  /** Body of a record of kind `state`. */
  async readState<T>(id: string): Promise<T | undefined> {
    return (await new StoreLogs(this.database.read, sqliteDialect).record<T>('state', id))?.body;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
