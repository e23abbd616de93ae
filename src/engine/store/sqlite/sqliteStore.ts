import type { Message } from '../../base/message.js';
import type { AuditAction, EmbeddingProgress, StoreReport } from '../../model/change.js';
import type { Edge, EdgeType } from '../../model/edge.js';
import type { Log } from '../../model/host.js';
import type { CensusLine } from '../../model/maintenance.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import type { GroupCount, Opposite } from '../../model/query.js';
import { featureNames, type Trace, type TraceFilter, type TraceSummary } from '../../model/trace.js';
import type {
  Comparison,
  ConflictPair,
  HistoryLine,
  RecordKind,
  SearchResult,
  Store,
  StoreCheckpoints,
  StoreErasure,
  StoredVector,
  StoreFilter,
  StoreQuery,
  StoreRecord,
  StoreTransaction,
  UsageFlush,
} from '../store.js';
import type { BackupPolicy } from './backups.js';
import { traceOf } from '../traceText.js';
import type { IndexThread } from '../index/indexThread.js';
import { dropSnapshot } from '../index/snapshot.js';
import { candidatesOf, readCandidates, type CandidatesRead } from './candidates.js';
import { SqliteComparison } from './comparison.js';
import type { Database, Row, Transaction } from './database.js';
import { contradictionsOf, edgesOf, unsettled } from './edges.js';
import { embeddingProgress, retireModels, unembedded, vectorsOf } from './embeddings.js';
import { filterSql } from './filterSql.js';
import { objectOf } from './jsonCells.js';
import { endLease, takeLease } from './lease.js';
import { memoryOf, memoryText } from './rows.js';
import { inspect } from './inspect.js';
import { meta } from './meta.js';
import { plansToRevisit } from './plans.js';
import { record, records } from './records.js';
import { summarise } from './traces.js';
import { SqliteTransaction } from './sqliteTransaction.js';
import { archivedByMachineAt, census, extent, sizes } from './upkeep.js';
import { writeUsage } from './usage.js';
import { rowFilter, searchWords } from './wordSearch.js';

const pageSize = 1_000;
/** Memories read at once by who goes through all of them: some milliseconds of reading what SQLite gives. */
const walkPage = 250;
export const groupsSql = `SELECT gate, decay_class AS decayClass, kind, status, count(*) AS count FROM memories
  WHERE scope_id = ? GROUP BY decay_class, gate, kind, status`;

/** A store in one SQLite file. */
export class SqliteStore implements Store {
  constructor(
    readonly kind: StoreKind,
    private readonly database: Database,
    private readonly backups: BackupPolicy,
    private readonly indexes: IndexThread,
    readonly notices: readonly Message[],
    readonly checkpoints: StoreCheckpoints,
    readonly erasure: StoreErasure,
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
    return Number(await meta(this.database.read, 'revision'));
  }

  async sequence(scopeId: string): Promise<number> {
    const row = await this.database.read.get('SELECT value FROM sequences WHERE scope_id = ?', scopeId);
    return (row?.value as number | undefined) ?? 0;
  }

  async get(ids: readonly string[]): Promise<Memory[]> {
    const sql = `SELECT ${memoryText()} AS memory FROM memories WHERE id IN (SELECT value FROM json_each(?))`;
    return this.memories(await this.database.read.all(sql, JSON.stringify(ids)));
  }

  async resolve(reference: string): Promise<string[]> {
    const sql = 'SELECT id FROM memories WHERE id = ? OR substr(id, -8) = ? LIMIT 3';
    const rows = await this.database.read.all(sql, reference, reference);
    return rows.map(it => it.id as string);
  }

  async list(filter: StoreFilter, page: { limit: number; offset: number }): Promise<Memory[]> {
    const { where, params } = filterSql(filter);
    const sql = `SELECT ${memoryText()} AS memory FROM memories m WHERE ${where}
      ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
    return this.memories(await this.database.read.all(sql, ...params, page.limit, page.offset));
  }

  async groups(scopeId: string): Promise<GroupCount[]> {
    return (await this.database.read.all(groupsSql, scopeId)) as unknown as GroupCount[];
  }

  prepare(model: StoreQuery['model']): void {
    this.indexes.prepare({ file: this.file, model: model?.id, dimensions: model?.dimensions });
  }

  async search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    if (!isIndexed(filter))
      return searchWords(this.database.read, query.question, filter, { limit, store: this.kind, why: 'notIndexed' });
    try {
      const found = await this.searchIndex(query, filter, limit);
      return (
        found ??
        (await searchWords(this.database.read, query.question, filter, { limit, store: this.kind, why: 'building' }))
      );
    } catch (error) {
      // A thread that cannot run must not keep a person from what is stored.
      this.log.error(`The search index of ${this.file} failed; words alone are searched.`, error);
      return searchWords(this.database.read, query.question, filter, { limit, store: this.kind, why: 'failed' });
    }
  }

  /** Undefined while the index is being built. */
  private async searchIndex(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult | undefined> {
    const { question, times, meaning, model } = query;
    const request = {
      file: this.file,
      model: model?.id,
      dimensions: model?.dimensions,
      query: {
        ...question,
        times,
        vector: typeof meaning === 'string' ? undefined : meaning,
        scopeId: filter.scopeId,
        limit,
      },
      embed: typeof meaning === 'string' ? meaning : undefined,
      filter: rowFilter(filter, question),
    };
    let reading: Promise<CandidatesRead> | undefined;
    const read = (rows: readonly number[]): void => {
      reading = readCandidates(this.database.read, rows, filter.scopeId);
      // A search that fails after it waits for it no more.
      reading.catch(() => undefined);
    };
    let found = await this.indexes.search({ ...request, looksFirst: false }, read);
    if (!('loading' in found) && (await reading)!.revision !== found.revision) {
      // Somebody has written what the search did not know.
      found = await this.indexes.search({ ...request, looksFirst: true }, read);
    }
    if ('loading' in found) return undefined;
    const { sequence, ...texts } = (await reading)!;
    const { memories, opposites } = candidatesOf(texts, this.kind);
    const { rows, features, largest, embedded, searchable, embedding, revision } = found;
    const width = featureNames.length;
    const hits = rows.flatMap((row, i) => {
      const memory = memories.get(row);
      // What was deleted a moment ago is not there.
      return memory === undefined ? [] : [{ memory, features: features.subarray(i * width, (i + 1) * width) }];
    });
    return { hits, opposites, largest, embedded, searchable, embedding, revision, sequence, wordsOnly: undefined };
  }

  beginComparing(...[model, measures]: Parameters<Store['beginComparing']>): Comparison {
    const of = { file: this.file, model: model?.id, dimensions: model?.dimensions };
    return new SqliteComparison(this.database, this.indexes, of, measures, this.log);
  }

  embeddingProgress(model: string): Promise<EmbeddingProgress> {
    return embeddingProgress(this.database.read, model);
  }

  unembedded(model: string, limit: number): Promise<{ readonly id: string; readonly content: string }[]> {
    return unembedded(this.database.read, model, limit);
  }

  vectors(model: string, ids: readonly string[]): Promise<Map<string, Int8Array>> {
    return vectorsOf(this.database.read, model, ids);
  }

  async saveVectors(vectors: ReadonlyMap<string, StoredVector>): Promise<void> {
    await this.transact('embedding', this.now().toISOString(), async tx => {
      for (const [id, vector] of vectors) await tx.setVector(id, vector);
    });
  }

  retireModels(model: string, times: { readonly at: string; readonly unusedSince: string }): Promise<void> {
    return retireModels(this.database, model, times);
  }

  takeLease(work: string, holder: string, forMs: number): Promise<boolean> {
    return takeLease(this.database, work, { holder, now: this.now(), forMs });
  }

  endLease(work: string, holder: string): Promise<void> {
    return endLease(this.database, work, holder);
  }

  async anchored(): Promise<Memory[]> {
    const sql = `SELECT ${memoryText()} AS memory FROM memories WHERE uri IS NOT NULL`;
    return this.memories(await this.database.read.all(sql));
  }

  async *all(filter?: StoreFilter): AsyncIterable<readonly Memory[]> {
    const { where, params } = filter === undefined ? { where: 'TRUE', params: [] } : filterSql(filter);
    // NOT INDEXED: it would collect and sort what is left at each page.
    const sql = `SELECT row, ${memoryText()} AS memory FROM memories m NOT INDEXED
      WHERE row > ? AND ${where} ORDER BY row LIMIT ?`;
    for (let after = 0; ;) {
      const rows = await this.database.read.all(sql, after, ...params, walkPage);
      if (rows.length === 0) return;
      yield this.memories(rows);
      after = rows.at(-1)!.row as number;
    }
  }

  edges(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]> {
    return edgesOf(this.database.read, ids, types);
  }

  contradictions(ids: readonly string[], most: number): Promise<ReadonlyMap<string, readonly Opposite[]>> {
    return contradictionsOf(this.database.read, ids, most);
  }

  async conflicts(scopeId: string, limit: number): Promise<ConflictPair[]> {
    const edges = await unsettled(this.database.read, scopeId, limit);
    const memories = new Map(
      (await this.get([...new Set(edges.flatMap(it => [it.source, it.target]))])).map(it => [it.id, it]),
    );
    return edges.flatMap(edge => {
      const [one, other] = [memories.get(edge.source), memories.get(edge.target)];
      if (one === undefined || other === undefined) return [];
      // The one stored later, unless the other has been told since, or tells of a later time.
      const [newer, older] = one.reinforcedAt >= other.reinforcedAt ? [one, other] : [other, one];
      return [{ newer, older, edge }];
    });
  }

  async plansToRevisit(scopeId: string, at: string, limit: number): Promise<Memory[]> {
    return this.memories(await plansToRevisit(this.database.read, scopeId, at, limit));
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
      detail: { ...objectOf(it.detail) },
    }));
  }

  sizes(ids: readonly string[]): Promise<Map<string, number>> {
    return sizes(this.database.read, ids);
  }

  census(): Promise<CensusLine[]> {
    return census(this.database.read);
  }

  extent(): ReturnType<Store['extent']> {
    return extent(this.database.read, this.file);
  }

  archivedByMachineAt(at: string): Promise<string[]> {
    return archivedByMachineAt(this.database.read, at);
  }

  records<T>(kind: RecordKind, limit = pageSize): Promise<StoreRecord<T>[]> {
    return records<T>(this.database.read, kind, limit);
  }

  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    return record<T>(this.database.read, kind, id);
  }

  async traces(limit: number): Promise<Trace[]> {
    const rows = await this.database.read.all('SELECT trace FROM traces ORDER BY id DESC LIMIT ?', limit);
    return rows.flatMap(it => traceOf(it.trace) ?? []);
  }

  async trace(id: string): Promise<Trace | undefined> {
    const row = await this.database.read.get('SELECT trace FROM traces WHERE id = ?', id);
    return traceOf(row?.trace);
  }

  traceSummaries(filter: TraceFilter): Promise<TraceSummary[]> {
    return summarise(this.database.read, filter);
  }

  async write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    await this.backups.beforeWrite();
    return this.transact(actor, this.now().toISOString(), work);
  }

  flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]> {
    return this.transact(actor, usage.at, (tx, sql) => writeUsage(sql, tx, usage, { store: this.kind, keepTraces }));
  }

  private async transact<T>(
    actor: string,
    at: string,
    work: (tx: SqliteTransaction, sql: Transaction) => Promise<T>,
  ): Promise<T> {
    const { result, tx } = await this.database.write(async sql => {
      const tx = new SqliteTransaction(sql, this.kind, actor, at);
      const result = await work(tx, sql);
      await tx.finish();
      return { result, tx };
    });
    if (tx.deleted) dropSnapshot(this.file);
    if (tx.changed) this.indexes.written(this.file, await tx.revision());
    return result;
  }

  verify(): Promise<StoreReport> {
    return this.database.snapshot(sql => inspect(sql, this.kind, this.file));
  }

  async close(): Promise<void> {
    await this.indexes.release(this.file);
    await this.database.close();
  }

  private memories(rows: readonly Row[]): Memory[] {
    return rows.map(it => memoryOf(it, this.kind));
  }
}

/** Whether the index thread holds what the filter asks for: all but the superseded and what stays archived. */
function isIndexed(filter: StoreFilter): boolean {
  return filter.withoutForgotten === true && filter.statuses?.includes('superseded') !== true;
}
