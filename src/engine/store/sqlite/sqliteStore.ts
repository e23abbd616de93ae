import { EngineError } from '../../base/errors.js';
import type { LocalizableMessage } from '../../base/localizableMessage.js';
import { markDamaged, type Database, type SqlTransaction } from '../../database/database.js';
import { acquireLease, releaseLease } from '../../database/lease.js';
import { readMeta, readSequence } from '../../database/storeState.js';
import { formatMessage } from '../../model/engineMessages.js';
import type { Edge, EdgeType } from '../../model/edge.js';
import type { InventoryRow } from '../../model/maintenance.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import type { ContradictingMemory } from '../../model/query.js';
import type { EmbeddingProgress, StoreReport } from '../../model/storeReport.js';
import type { TraceFilter, TraceSummary } from '../../model/trace.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import type {
  ConflictPair,
  SearchableStore,
  SearchResult,
  StorageStats,
  Store,
  StoreCheckpoints,
  StoredVector,
  StoreFilter,
  StoreHardDeletion,
  StoreQuery,
  StoreTransaction,
  UsageFlush,
  VectorStore,
} from '../store.js';
import type { OutsideHead } from './outsideHead.js';
import type { BackupPolicy } from './backups.js';
import { toConflictPair } from '../storedEdge.js';
import { findContradictions, findEdges, findEdgesInSets, findUnresolvedConflicts } from './edges.js';
import { verifyStore } from './integrityCheck.js';
import { SqliteTransaction } from './sqliteTransaction.js';
import { readInventory, readMemorySizes, readStorageStats } from './storageStats.js';
import {
  findMissingQuestionVectors,
  findMissingVectors,
  loadVectors,
  pruneUnusedModels,
  readEmbeddingProgress,
} from './storedVectors.js';
import { listTraceSummaries } from './traces.js';
import { writeUsage } from './usageWriter.js';
import { sqliteDialect } from './sqliteDialect.js';
import { StoreBase } from '../sql/storeBase.js';

/** Parts that a store delegates to. */
export interface SqliteStoreParts {
  readonly backups: BackupPolicy;
  readonly searchWorker: SearchWorkerClient;
  readonly search: SearchableStore;
  readonly notices: readonly LocalizableMessage[];
  readonly removeNotices: () => Promise<void>;
  readonly outsideHead: OutsideHead;
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;
  readonly now: () => Date;
}

/**
 * A store in one SQLite file. Runs the transactions; queries are functions of the modules in this folder, and search,
 * copies and permanent deletion are separate objects.
 */
export class SqliteStore extends StoreBase implements Store {
  notices: readonly LocalizableMessage[];
  readonly readOnly: boolean;
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;

  constructor(
    kind: StoreKind,
    private readonly database: Database,
    private readonly parts: SqliteStoreParts,
  ) {
    super(kind, database.read, sqliteDialect, parts.search);
    this.readOnly = database.readOnly;
    ({ notices: this.notices, checkpoints: this.checkpoints, hardDeletion: this.hardDeletion } = parts);
  }

  get file(): string {
    return this.database.file;
  }

  async close(): Promise<void> {
    await this.parts.searchWorker.closeStore(this.file);
    await this.parts.outsideHead.flush();
    await this.database.close();
  }

  async confirmNotices(): Promise<void> {
    await this.parts.removeNotices();
    await this.parts.outsideHead.renew();
    this.notices = [];
  }

  async write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    await this.parts.backups.beforeWrite();
    return this.runTransaction(actor, this.parts.now().toISOString(), work);
  }

  flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]> {
    return this.runTransaction(actor, usage.at, (tx, sql) =>
      writeUsage(sql, tx, usage, { store: this.kind, keepTraces }),
    );
  }

  async saveVectors(vectors: ReadonlyMap<string, StoredVector>): Promise<void> {
    await this.runTransaction('embedding', this.parts.now().toISOString(), async tx => {
      for (const [id, vector] of vectors) await tx.setVector(id, vector);
    });
  }

  private async runTransaction<T>(
    actor: string,
    at: string,
    work: (tx: SqliteTransaction, sql: SqlTransaction) => Promise<T>,
  ): Promise<T> {
    const { result, tx } = await this.database.write(async sql => {
      const tx = new SqliteTransaction(sql, this.kind, actor, at);
      const result = await work(tx, sql);
      await tx.commitMetadata();
      return { result, tx };
    });
    await this.parts.outsideHead.afterWrite();
    if (tx.deleted) deleteSnapshot(this.file);
    if (tx.changed) this.parts.searchWorker.notifyWritten(this.file, await tx.revision());
    return result;
  }

  /** @throws EngineError storeUnavailable where the open file was deleted or replaced */
  async revision(): Promise<number> {
    this.database.requireFile();
    return Number(await readMeta(this.database.read, 'revision'));
  }

  sequence(scopeId: string): Promise<number> {
    return readSequence(this.database.read, scopeId);
  }

  override async get(ids: readonly string[]): Promise<Memory[]> {
    return this.watch(await super.get(ids));
  }

  override async list(filter: StoreFilter, page: { limit: number; offset: number }): Promise<Memory[]> {
    return this.watch(await super.list(filter, page));
  }

  edges(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
    return findEdges(this.database.read, ids, types);
  }

  edgesInSets(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
    return findEdgesInSets(this.database.read, ids, types);
  }

  contradictions(
    ids: readonly string[],
    maxPerMemory: number,
  ): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
    return findContradictions(this.database.read, ids, maxPerMemory);
  }

  async conflicts(scopeId: string, limit: number): Promise<ConflictPair[]> {
    const edges = await findUnresolvedConflicts(this.database.read, scopeId, limit);
    const ids = [...new Set(edges.flatMap(it => [it.source, it.target]))];
    const memories = new Map((await super.get(ids)).map(it => [it.id, it]));
    return edges.flatMap(edge => {
      const [source, target] = [memories.get(edge.source), memories.get(edge.target)];
      return source === undefined || target === undefined ? [] : [toConflictPair(edge, source, target)];
    });
  }

  override async search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    const result = await super.search(query, filter, limit);
    this.watch(result.hits.map(it => it.memory));
    return result;
  }

  traceSummaries(filter: TraceFilter): Promise<TraceSummary[]> {
    return listTraceSummaries(this.database.read, filter);
  }

  embeddingProgress(model: string): Promise<EmbeddingProgress> {
    return readEmbeddingProgress(this.database.read, model);
  }

  missingVectors(model: string, limit: number): Promise<{ readonly id: string; readonly content: string }[]> {
    return findMissingVectors(this.database.read, model, limit);
  }

  missingQuestionVectors(
    ...args: Parameters<VectorStore['missingQuestionVectors']>
  ): ReturnType<VectorStore['missingQuestionVectors']> {
    return findMissingQuestionVectors(this.database.read, ...args);
  }

  vectors(model: string, ids: readonly string[]): Promise<Map<string, Int8Array>> {
    return loadVectors(this.database.read, model, ids);
  }

  pruneUnusedModels(model: string, times: { readonly at: string; readonly unusedSince: string }): Promise<void> {
    return pruneUnusedModels(this.database, model, times);
  }

  acquireLease(task: string, holder: string, durationMs: number): Promise<boolean> {
    return acquireLease(this.database, task, { holder, now: this.parts.now(), durationMs });
  }

  releaseLease(task: string, holder: string): Promise<void> {
    return releaseLease(this.database, task, holder);
  }

  memorySizes(ids: readonly string[]): Promise<Map<string, number>> {
    return readMemorySizes(this.database.read, ids);
  }

  inventory(): Promise<InventoryRow[]> {
    return readInventory(this.database.read);
  }

  storageStats(model: string | undefined): Promise<StorageStats> {
    return readStorageStats(this.database.read, this.file, model);
  }

  async verify(): Promise<StoreReport> {
    const verified = await this.database
      .readSnapshot(sql => verifyStore(sql, this.kind, this.file))
      .catch((error: unknown) => {
        if (!EngineError.is(error, 'storeDamaged')) throw error;
        const problems = [formatMessage('fileDamaged', error.message.replace(/[.]$/u, ''))];
        return { store: this.kind, file: this.file, memories: 0, auditEntries: 0, problems, isFileDamaged: true };
      });
    const { isFileDamaged, ...report } = verified;
    if (isFileDamaged) markDamaged(this.file);
    // An older copy is whole in itself.
    const rollback = report.problems.length === 0 ? await this.olderCopyProblem() : undefined;
    return rollback === undefined ? report : { ...report, problems: [rollback] };
  }

  async olderCopyProblem(): Promise<string | undefined> {
    const head = await this.parts.outsideHead.read();
    if (head === undefined || (await this.hasAuditHead(head))) return undefined;
    return formatMessage('rolledBack', Number.parseInt(head, 10));
  }

  /** A text that differs from what was stored is repaired when the store is opened the next time. */
  private watch(memories: Memory[]): Memory[] {
    if (memories.some(it => it.damaged)) markDamaged(this.file);
    return memories;
  }
}
