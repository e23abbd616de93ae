import type { LocalizableMessage } from '../../base/localizableMessage.js';
import type { PostgresPool } from '../../database/postgres/postgresPool.js';
import type { Edge, EdgeType } from '../../model/edge.js';
import type { CountedItems, InventoryRow } from '../../model/maintenance.js';
import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import type { ContradictingMemory, GroupCount, MemorySet, Period } from '../../model/query.js';
import type { EmbeddingProgress, StoreReport } from '../../model/storeReport.js';
import type { Trace, TraceFilter, TraceSummary } from '../../model/trace.js';
import type { ComparisonOptions, ComparisonSession } from '../factComparison.js';
import type {
  ConflictPair,
  HistoryLine,
  RecordKind,
  SearchableStore,
  SearchResult,
  StorageStats,
  Store,
  StoreCheckpoints,
  StoredVector,
  StoreFilter,
  StoreHardDeletion,
  StoreQuery,
  StoreRecord,
  StoreTransaction,
  UsageFlush,
  VectorStore,
} from '../store.js';
import { listenToWrites } from './listenToWrites.js';
import { listPostgresTraceSummaries } from './postgresTraces.js';
import { PostgresMaintenance } from './postgresMaintenance.js';
import { StoreMemories } from '../sql/storeMemories.js';
import { findPostgresConflicts, findPostgresContradictions, findPostgresEdges } from './postgresRelations.js';
import { writePostgresUsage } from './postgresUsage.js';
import { PostgresVectors } from './postgresVectors.js';
import type { PostgresWriter } from './postgresWriter.js';
import { postgresDialect } from './postgresDialect.js';
import { StoreLogs } from '../sql/storeLogs.js';

const defaultRecordLimit = 1_000;

/** Parts that a store on a server delegates to. */
export interface PostgresStoreParts {
  readonly writer: PostgresWriter;
  readonly search: SearchableStore;
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;
}

/** A store in one schema of a PostgreSQL server. Runs the transactions; everything else is done by separate objects. */
export class PostgresStore implements Store {
  readonly notices: readonly LocalizableMessage[] = [];
  readonly file: string;
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;
  private readonly memories: StoreMemories;
  private readonly logs: StoreLogs;
  private readonly embeddings: PostgresVectors;
  private readonly maintenance: PostgresMaintenance;

  constructor(
    readonly kind: StoreKind,
    private readonly pool: PostgresPool,
    readonly readOnly: boolean,
    private readonly parts: PostgresStoreParts,
  ) {
    this.file = postgresStoreName(pool);
    ({ checkpoints: this.checkpoints, hardDeletion: this.hardDeletion } = parts);
    this.memories = new StoreMemories(pool.read, postgresDialect, kind);
    this.logs = new StoreLogs(pool.read, postgresDialect);
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

  get(ids: readonly string[]): Promise<Memory[]> {
    return this.memories.get(ids);
  }

  resolve(reference: string): Promise<string[]> {
    return this.memories.resolve(reference);
  }

  list(filter: StoreFilter, page: { limit: number; offset: number }): Promise<Memory[]> {
    return this.memories.list(filter, page);
  }

  aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
    return this.memories.aids(ids);
  }

  missingAids(limit: number): Promise<Memory[]> {
    return this.memories.missingAids(limit);
  }

  countMissingAids(): Promise<number> {
    return this.memories.countMissingAids();
  }

  count(filter: StoreFilter): Promise<number> {
    return this.memories.count(filter);
  }

  groups(scopeId: string, period?: Period): Promise<GroupCount[]> {
    return this.memories.groups(scopeId, period);
  }

  sets(): Promise<MemorySet[]> {
    return this.memories.sets();
  }

  listAnchored(): Promise<Memory[]> {
    return this.memories.listAnchored();
  }

  scanAll(filter?: StoreFilter): AsyncIterable<readonly Memory[]> {
    return this.memories.scanAll(filter);
  }

  plansToReview(scopeId: string, at: string, limit: number): Promise<Memory[]> {
    return this.memories.plansToReview(scopeId, at, limit);
  }

  auditLog(since: string): Promise<(HistoryLine & { readonly memoryId?: string })[]> {
    return this.logs.auditLog(since);
  }

  history(id: string): Promise<HistoryLine[]> {
    return this.logs.history(id);
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

  prepareSearch(model: StoreQuery['model']): void {
    this.parts.search.prepareSearch(model);
  }

  search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    return this.parts.search.search(query, filter, limit);
  }

  openComparison(model: StoreQuery['model'], options: ComparisonOptions): ComparisonSession {
    return this.parts.search.openComparison(model, options);
  }

  records<T>(kind: RecordKind, limit = defaultRecordLimit): Promise<StoreRecord<T>[]> {
    return this.logs.records<T>(kind, limit);
  }

  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    return this.logs.record<T>(kind, id);
  }

  traces(limit: number): Promise<Trace[]> {
    return this.logs.traces(limit);
  }

  trace(id: string): Promise<Trace | undefined> {
    return this.logs.trace(id);
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

  countItems(afterHead: string): Promise<CountedItems> {
    return this.logs.countItems(afterHead);
  }

  autoArchivedAt(at: string): Promise<string[]> {
    return this.memories.autoArchivedAt(at);
  }

  async verify(): Promise<StoreReport> {
    return { store: this.kind, file: this.file, ...(await this.maintenance.verify()) };
  }

  auditHead(): Promise<string> {
    return this.logs.auditHead();
  }

  hasAuditHead(head: string): Promise<boolean> {
    return this.logs.hasAuditHead(head);
  }

  lastChangeAt(): Promise<string | undefined> {
    return this.logs.lastChangeAt();
  }
}

/** The store's name for people, `postgres://user@host:5432/database#schema`: without the password. */
export function postgresStoreName({ settings, schema }: Pick<PostgresPool, 'settings' | 'schema'>): string {
  const { user, host, port, database } = settings;
  return `postgres://${user}@${host}:${String(port)}/${database}#${schema}`;
}
