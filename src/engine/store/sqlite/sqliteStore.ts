import type { LocalizableMessage } from '../../base/localizableMessage.js';
import type { AuditAction, EmbeddingProgress, StoreReport } from '../../model/rememberOutcome.js';
import type { Edge, EdgeType } from '../../model/edge.js';
import type { Log } from '../../model/host.js';
import type { InventoryRow } from '../../model/maintenance.js';
import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import type { GroupCount, ContradictingMemory } from '../../model/query.js';
import { featureNames, type Trace, type TraceFilter, type TraceSummary } from '../../model/trace.js';
import type {
  ComparisonSession,
  ConflictPair,
  HistoryLine,
  RecordKind,
  SearchResult,
  Store,
  StoreCheckpoints,
  StoreHardDeletion,
  StoredVector,
  StoreFilter,
  StoreQuery,
  StoreRecord,
  StoreTransaction,
  UsageFlush,
} from '../store.js';
import type { BackupPolicy } from './backups.js';
import { decodeTrace } from '../traceCodec.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import { decodeCandidates, fetchCandidates, type EncodedCandidates } from './fetchCandidates.js';
import { SqliteComparisonSession } from './comparisonSession.js';
import type { Database, SqlRow, SqlTransaction } from '../../database/database.js';
import { findContradictions, findEdges, findUnresolvedConflicts } from './edges.js';
import { readEmbeddingProgress, pruneUnusedModels, findMissingVectors, loadVectors } from './storedVectors.js';
import { buildFilterSql } from './filterSql.js';
import { parseObject, parseStringArray } from '../../database/jsonColumns.js';
import { releaseLease, acquireLease } from '../../database/lease.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';
import { verifyStore } from './integrityCheck.js';
import { readMeta } from '../../database/storeState.js';
import { findPlansToReview } from './planReview.js';
import { getRecord, listRecords } from './records.js';
import { listTraceSummaries } from './traceSummaries.js';
import { SqliteTransaction } from './sqliteTransaction.js';
import { findAutoArchived, readInventory, readStorageStats, readMemorySizes } from './storageStats.js';
import { writeUsage } from './usageWriter.js';
import { toRowFilter, searchFullText } from './fullTextSearch.js';

const defaultRecordLimit = 1_000;
/** Memories read at once by who goes through all of them: some milliseconds of reading what SQLite gives. */
const scanPageSize = 250;
export const groupsSql = `SELECT gate, decay_class AS decayClass, kind, status, count(*) AS count FROM memories
  WHERE scope_id = ? GROUP BY decay_class, gate, kind, status`;

/** A store in one SQLite file. */
export class SqliteStore implements Store {
  constructor(
    readonly kind: StoreKind,
    private readonly database: Database,
    private readonly backups: BackupPolicy,
    private readonly searchWorker: SearchWorkerClient,
    readonly notices: readonly LocalizableMessage[],
    readonly checkpoints: StoreCheckpoints,
    readonly hardDeletion: StoreHardDeletion,
    private readonly now: () => Date,
    private readonly log: Log,
  ) {}

  get file(): string {
    return this.database.file;
  }

  get readOnly(): boolean {
    return this.database.readOnly;
  }

  async revision(): Promise<number> {
    return Number(await readMeta(this.database.read, 'revision'));
  }

  async sequence(scopeId: string): Promise<number> {
    const row = await this.database.read.get('SELECT value FROM sequences WHERE scope_id = ?', scopeId);
    return (row?.value as number | undefined) ?? 0;
  }

  async get(ids: readonly string[]): Promise<Memory[]> {
    const sql = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE id IN (SELECT value FROM json_each(?))`;
    return this.decodeRows(await this.database.read.all(sql, JSON.stringify(ids)));
  }

  async resolve(reference: string): Promise<string[]> {
    const sql = 'SELECT id FROM memories WHERE id = ? OR substr(id, -8) = ? LIMIT 3';
    const rows = await this.database.read.all(sql, reference, reference);
    return rows.map(it => it.id as string);
  }

  async list(filter: StoreFilter, page: { limit: number; offset: number }): Promise<Memory[]> {
    const { where, params } = buildFilterSql(filter);
    const sql = `SELECT ${memoryJsonSql()} AS memory FROM memories m WHERE ${where}
      ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
    return this.decodeRows(await this.database.read.all(sql, ...params, page.limit, page.offset));
  }

  async aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
    const rows = await this.database.read.all(
      `SELECT m.id, a.questions, a.keywords FROM memories m JOIN aids a ON a.row = m.row
       WHERE m.id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    return new Map(
      rows.map(it => [
        it.id as string,
        { questions: parseStringArray(it.questions), keywords: parseStringArray(it.keywords) },
      ]),
    );
  }

  async groups(scopeId: string): Promise<GroupCount[]> {
    return (await this.database.read.all(groupsSql, scopeId)) as unknown as GroupCount[];
  }

  prepareSearch(model: StoreQuery['model']): void {
    this.searchWorker.prepare({ file: this.file, model: model?.id, dimensions: model?.dimensions });
  }

  async search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    if (!isIndexed(filter))
      return searchFullText(this.database.read, query.question, filter, {
        limit,
        store: this.kind,
        reason: 'notIndexed',
      });
    try {
      const found = await this.searchIndex(query, filter, limit);
      return (
        found ??
        (await searchFullText(this.database.read, query.question, filter, {
          limit,
          store: this.kind,
          reason: 'building',
        }))
      );
    } catch (error) {
      // A thread that cannot run must not keep a person from what is stored.
      this.log.error(`The search index of ${this.file} failed; words alone are searched.`, error);
      return searchFullText(this.database.read, query.question, filter, { limit, store: this.kind, reason: 'failed' });
    }
  }

  /** Undefined while the index is being built. */
  private async searchIndex(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult | undefined> {
    const { question, preferredDates, expansion, embeddingOrText, model } = query;
    const request = {
      file: this.file,
      model: model?.id,
      dimensions: model?.dimensions,
      query: {
        ...question,
        expansion,
        preferredDates,
        vector: typeof embeddingOrText === 'string' ? undefined : embeddingOrText,
        scopeId: filter.scopeId,
        limit,
      },
      textToEmbed: typeof embeddingOrText === 'string' ? embeddingOrText : undefined,
      filter: toRowFilter(filter, question),
    };
    let pendingFetch: Promise<EncodedCandidates> | undefined;
    const startFetch = (rows: readonly number[]): void => {
      pendingFetch = fetchCandidates(this.database.read, rows, filter.scopeId);
      // A search that fails after it waits for it no more.
      pendingFetch.catch(() => undefined);
    };
    let found = await this.searchWorker.search({ ...request, refreshFirst: false }, startFetch);
    if (!('loading' in found) && (await pendingFetch)!.revision !== found.revision) {
      // Somebody has written what the search did not know.
      found = await this.searchWorker.search({ ...request, refreshFirst: true }, startFetch);
    }
    if ('loading' in found) return undefined;
    const { sequence, ...texts } = (await pendingFetch)!;
    const { memories, contradictions } = decodeCandidates(texts, this.kind);
    const { rows, features, maxFeatureValues, lexicalScale, embedded, searchable, embedding, revision } = found;
    const width = featureNames.length;
    const hits = rows.flatMap((row, i) => {
      const memory = memories.get(row);
      // What was deleted a moment ago is not there.
      return memory === undefined ? [] : [{ memory, features: features.subarray(i * width, (i + 1) * width) }];
    });
    return {
      hits,
      contradictions,
      maxFeatureValues,
      lexicalScale,
      embedded,
      searchable,
      embedding,
      revision,
      sequence,
      lexicalOnlyReason: undefined,
    };
  }

  openComparison(...[model, options]: Parameters<Store['openComparison']>): ComparisonSession {
    const indexKey = { file: this.file, model: model?.id, dimensions: model?.dimensions };
    return new SqliteComparisonSession(this.database, this.searchWorker, indexKey, options, this.log);
  }

  embeddingProgress(model: string): Promise<EmbeddingProgress> {
    return readEmbeddingProgress(this.database.read, model);
  }

  missingVectors(model: string, limit: number): Promise<{ readonly id: string; readonly content: string }[]> {
    return findMissingVectors(this.database.read, model, limit);
  }

  vectors(model: string, ids: readonly string[]): Promise<Map<string, Int8Array>> {
    return loadVectors(this.database.read, model, ids);
  }

  async saveVectors(vectors: ReadonlyMap<string, StoredVector>): Promise<void> {
    await this.runTransaction('embedding', this.now().toISOString(), async tx => {
      for (const [id, vector] of vectors) await tx.setVector(id, vector);
    });
  }

  pruneUnusedModels(model: string, times: { readonly at: string; readonly unusedSince: string }): Promise<void> {
    return pruneUnusedModels(this.database, model, times);
  }

  acquireLease(task: string, holder: string, durationMs: number): Promise<boolean> {
    return acquireLease(this.database, task, { holder, now: this.now(), durationMs });
  }

  releaseLease(task: string, holder: string): Promise<void> {
    return releaseLease(this.database, task, holder);
  }

  async listAnchored(): Promise<Memory[]> {
    const sql = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE uri IS NOT NULL`;
    return this.decodeRows(await this.database.read.all(sql));
  }

  async *scanAll(filter?: StoreFilter): AsyncIterable<readonly Memory[]> {
    const { where, params } = filter === undefined ? { where: 'TRUE', params: [] } : buildFilterSql(filter);
    // NOT INDEXED: it would collect and sort what is left at each page.
    const sql = `SELECT row, ${memoryJsonSql()} AS memory FROM memories m NOT INDEXED
      WHERE row > ? AND ${where} ORDER BY row LIMIT ?`;
    for (let after = 0; ;) {
      const rows = await this.database.read.all(sql, after, ...params, scanPageSize);
      if (rows.length === 0) return;
      yield this.decodeRows(rows);
      after = rows.at(-1)!.row as number;
    }
  }

  edges(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
    return findEdges(this.database.read, ids, types);
  }

  contradictions(
    ids: readonly string[],
    maxPerMemory: number,
  ): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>> {
    return findContradictions(this.database.read, ids, maxPerMemory);
  }

  async conflicts(scopeId: string, limit: number): Promise<ConflictPair[]> {
    const edges = await findUnresolvedConflicts(this.database.read, scopeId, limit);
    const memories = new Map(
      (await this.get([...new Set(edges.flatMap(it => [it.source, it.target]))])).map(it => [it.id, it]),
    );
    return edges.flatMap(edge => {
      const [source, target] = [memories.get(edge.source), memories.get(edge.target)];
      if (source === undefined || target === undefined) return [];
      // The one stored later, unless the other has been told since, or tells of a later time.
      const [newer, older] = source.reinforcedAt >= target.reinforcedAt ? [source, target] : [target, source];
      return [{ newer, older, edge }];
    });
  }

  async plansToReview(scopeId: string, at: string, limit: number): Promise<Memory[]> {
    return this.decodeRows(await findPlansToReview(this.database.read, scopeId, at, limit));
  }

  async history(id: string): Promise<HistoryLine[]> {
    const rows = await this.database.read.all(
      'SELECT at, action, actor, detail FROM audit WHERE memory_id = ? ORDER BY seq',
      id,
    );
    return rows.map(it => ({
      at: it.at as string,
      action: it.action as AuditAction,
      actor: it.actor as string,
      detail: { ...parseObject(it.detail) },
    }));
  }

  memorySizes(ids: readonly string[]): Promise<Map<string, number>> {
    return readMemorySizes(this.database.read, ids);
  }

  inventory(): Promise<InventoryRow[]> {
    return readInventory(this.database.read);
  }

  storageStats(): ReturnType<Store['storageStats']> {
    return readStorageStats(this.database.read, this.file);
  }

  autoArchivedAt(at: string): Promise<string[]> {
    return findAutoArchived(this.database.read, at);
  }

  records<T>(kind: RecordKind, limit = defaultRecordLimit): Promise<StoreRecord<T>[]> {
    return listRecords<T>(this.database.read, kind, limit);
  }

  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    return getRecord<T>(this.database.read, kind, id);
  }

  async traces(limit: number): Promise<Trace[]> {
    const rows = await this.database.read.all('SELECT trace FROM traces ORDER BY id DESC LIMIT ?', limit);
    return rows.flatMap(it => decodeTrace(it.trace) ?? []);
  }

  async trace(id: string): Promise<Trace | undefined> {
    const row = await this.database.read.get('SELECT trace FROM traces WHERE id = ?', id);
    return decodeTrace(row?.trace);
  }

  traceSummaries(filter: TraceFilter): Promise<TraceSummary[]> {
    return listTraceSummaries(this.database.read, filter);
  }

  async write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    await this.backups.beforeWrite();
    return this.runTransaction(actor, this.now().toISOString(), work);
  }

  flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]> {
    return this.runTransaction(actor, usage.at, (tx, sql) =>
      writeUsage(sql, tx, usage, { store: this.kind, keepTraces }),
    );
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
    if (tx.deleted) deleteSnapshot(this.file);
    if (tx.changed) this.searchWorker.notifyWritten(this.file, await tx.revision());
    return result;
  }

  verify(): Promise<StoreReport> {
    return this.database.readSnapshot(sql => verifyStore(sql, this.kind, this.file));
  }

  async close(): Promise<void> {
    await this.searchWorker.closeStore(this.file);
    await this.database.close();
  }

  private decodeRows(rows: readonly SqlRow[]): Memory[] {
    return rows.map(it => decodeMemory(it, this.kind));
  }
}

/** Whether the index thread holds what the filter asks for: all but the superseded and what stays archived. */
function isIndexed(filter: StoreFilter): boolean {
  return filter.withoutForgotten === true && filter.statuses?.includes('superseded') !== true;
}
