import type { LocalizableMessage } from '../../base/localizableMessage.js';
import type { PostgresPool } from '../../database/postgres/postgresPool.js';
import type { Edge, EdgeType } from '../../model/edge.js';
import type { InventoryRow } from '../../model/maintenance.js';
import type { StoreKind } from '../../model/memory.js';
import type { ContradictingMemory } from '../../model/query.js';
import type { EmbeddingProgress, StoreReport } from '../../model/storeReport.js';
import type { TraceFilter, TraceSummary } from '../../model/trace.js';
import type {
  ConflictPair,
  SearchableStore,
  StorageStats,
  Store,
  StoreCheckpoints,
  StoredVector,
  StoreHardDeletion,
  StoreTransaction,
  UsageFlush,
  VectorStore,
} from '../store.js';
import { listenToWrites } from './listenToWrites.js';
import { listPostgresTraceSummaries } from './postgresTraces.js';
import { PostgresMaintenance } from './postgresMaintenance.js';
import { findPostgresConflicts, findPostgresContradictions, findPostgresEdges } from './postgresRelations.js';
import { writePostgresUsage } from './postgresUsage.js';
import { PostgresVectors } from './postgresVectors.js';
import type { PostgresWriter } from './postgresWriter.js';
import { postgresDialect } from './postgresDialect.js';
import { StoreBase } from '../sql/storeBase.js';

/** Parts that a store on a server delegates to. */
export interface PostgresStoreParts {
  readonly writer: PostgresWriter;
  readonly search: SearchableStore;
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;
}

/** A store in one schema of a PostgreSQL server. Runs the transactions; everything else is done by separate objects. */
export class PostgresStore extends StoreBase implements Store {
  readonly notices: readonly LocalizableMessage[] = [];
  readonly file: string;
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;
  private readonly embeddings: PostgresVectors;
  private readonly maintenance: PostgresMaintenance;

  constructor(
    kind: StoreKind,
    private readonly pool: PostgresPool,
    readonly readOnly: boolean,
    private readonly parts: PostgresStoreParts,
  ) {
    super(kind, pool.read, postgresDialect, parts.search);
    this.file = postgresStoreName(pool);
    ({ checkpoints: this.checkpoints, hardDeletion: this.hardDeletion } = parts);
    this.embeddings = new PostgresVectors(pool.read, parts.writer);
    this.maintenance = new PostgresMaintenance(pool);
  }

  listen(onWritten: () => void): () => void {
    return listenToWrites(this.pool, onWritten);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  confirmNotices(): Promise<void> {
    return Promise.resolve();
  }

  write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return this.parts.writer.write(actor, this.parts.writer.now().toISOString(), work);
  }

  flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]> {
    return this.parts.writer.write(actor, usage.at, tx => writePostgresUsage(tx, usage, keepTraces));
  }

  async saveVectors(vectors: ReadonlyMap<string, StoredVector>): Promise<void> {
    if (vectors.size === 0) return;
    await this.parts.writer.write('embedding', this.parts.writer.now().toISOString(), tx => tx.setVectors(vectors));
  }

  async revision(): Promise<number> {
    const row = await this.pool.read.get("SELECT value::int FROM meta WHERE key = 'revision'");
    return row!.value as number;
  }

  async sequence(scopeId: string): Promise<number> {
    const row = await this.pool.read.get('SELECT value FROM sequences WHERE scope_id = $1', scopeId);
    return (row?.value as number | undefined) ?? 0;
  }

  edges(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
    return findPostgresEdges(this.pool.read, ids, { types });
  }

  edgesInSets(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
    return findPostgresEdges(this.pool.read, ids, { types, isInSets: true });
  }

  contradictions(
    ids: readonly string[],
    maxPerMemory: number,
  ): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
    return findPostgresContradictions(this.pool.read, ids, maxPerMemory);
  }

  conflicts(scopeId: string, limit: number): Promise<ConflictPair[]> {
    return findPostgresConflicts(this.pool.read, this.kind, scopeId, limit);
  }

  traceSummaries(filter: TraceFilter): Promise<TraceSummary[]> {
    return listPostgresTraceSummaries(this.pool.read, filter);
  }

  embeddingProgress(model: string): Promise<EmbeddingProgress> {
    return this.embeddings.progress(model);
  }

  missingVectors(model: string, limit: number): Promise<{ readonly id: string; readonly content: string }[]> {
    return this.embeddings.missing(model, limit);
  }

  missingQuestionVectors(
    ...args: Parameters<VectorStore['missingQuestionVectors']>
  ): ReturnType<VectorStore['missingQuestionVectors']> {
    return this.embeddings.missingQuestions(...args);
  }

  vectors(model: string, ids: readonly string[]): Promise<Map<string, Int8Array>> {
    return this.embeddings.load(model, ids);
  }

  pruneUnusedModels(model: string, times: { readonly at: string; readonly unusedSince: string }): Promise<void> {
    return this.embeddings.pruneUnusedModels(model, times);
  }

  /** By this machine's clock. An expiry beyond the duration comes from a clock that was set back since. */
  async acquireLease(task: string, holder: string, durationMs: number): Promise<boolean> {
    const now = this.parts.writer.now().getTime();
    const row = await this.pool.read.get(
      `INSERT INTO leases (task, holder, expires_at) VALUES ($1, $2, $3::float8 + $4::float8)
       ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
         WHERE leases.holder = excluded.holder
           OR leases.expires_at <= $3::float8 OR leases.expires_at > $3::float8 + $4::float8
       RETURNING 1 AS acquired`,
      ...[task, holder, now, durationMs],
    );
    return row !== undefined;
  }

  releaseLease(task: string, holder: string): Promise<void> {
    return this.pool.read.run('DELETE FROM leases WHERE task = $1 AND holder = $2', task, holder);
  }

  memorySizes(ids: readonly string[]): Promise<Map<string, number>> {
    return this.maintenance.memorySizes(ids);
  }

  inventory(): Promise<InventoryRow[]> {
    return this.maintenance.inventory();
  }

  storageStats(model: string | undefined): Promise<StorageStats> {
    return this.maintenance.storageStats(model);
  }

  async verify(): Promise<StoreReport> {
    return { store: this.kind, file: this.file, ...(await this.maintenance.verify()) };
  }
}

/** The store's name for people, `postgres://user@host:5432/database#schema`: without the password. */
export function postgresStoreName({ settings, schema }: Pick<PostgresPool, 'settings' | 'schema'>): string {
  const { user, host, port, database } = settings;
  return `postgres://${user}@${host}:${String(port)}/${database}#${schema}`;
}
