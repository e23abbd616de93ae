import type { AuditAction, EmbeddingProgress, StoreReport } from '../../model/change.js';
import type { Edge, EdgeType } from '../../model/edge.js';
import type { Log } from '../../model/host.js';
import type { CensusLine } from '../../model/maintenance.js';
import { isHidden, type Memory, type StoreKind } from '../../model/memory.js';
import type { GroupCount } from '../../model/query.js';
import type { Trace, TraceFilter, TraceSummary } from '../../model/trace.js';
import type { Question } from '../../text/question.js';
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
import type { RowFilter } from '../index/indexProtocol.js';
import { featureAt, featureNames } from '../index/features.js';
import type { IndexThread } from '../index/indexThread.js';
import { dropSnapshot } from '../index/snapshot.js';
import { SqliteComparison } from './comparison.js';
import type { Database, Row, Transaction } from './database.js';
import { insertRows } from './insertRows.js';
import { contradictionsOf, edgesOf, unsettled } from './edges.js';
import { embeddingProgress, retireModels, unembedded, vectorsOf } from './embeddings.js';
import { filterSql } from './filterSql.js';
import { KnownMemories } from './knownMemories.js';
import { endLease, takeLease } from './lease.js';
import { memoryOf, memoryText } from './rows.js';
import { inspect } from './inspect.js';
import { meta, moment } from './meta.js';
import { plansToRevisit } from './plans.js';
import { record, records } from './records.js';
import { summarise } from './traceSummaries.js';
import { SqliteTransaction } from './sqliteTransaction.js';
import { archivedByMachineAt, census, extent, sizes } from './upkeep.js';

const pageSize = 1_000;
/** Memories read at once by who goes through all of them: some milliseconds of reading what SQLite gives. */
const walkPage = 250;

/** A store in one SQLite file. */
export class SqliteStore implements Store {
  private readonly known: KnownMemories;

  constructor(
    readonly kind: StoreKind,
    private readonly database: Database,
    private readonly backups: BackupPolicy,
    private readonly indexes: IndexThread,
    readonly notices: readonly string[],
    readonly checkpoints: StoreCheckpoints,
    readonly erasure: StoreErasure,
    private readonly now: () => Date,
    private readonly log: Log,
  ) {
    this.known = new KnownMemories(database, kind);
  }

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
    const rows = await this.database.read.all(
      `SELECT gate, decay_class AS decayClass, kind, status, count(*) AS count FROM memories
       WHERE scope_id = ? GROUP BY gate, decay_class, kind, status`,
      scopeId,
    );
    return rows as unknown as GroupCount[];
  }

  prepare(model: StoreQuery['model']): void {
    this.indexes.prepare({ file: this.file, model: model?.id, dimensions: model?.dimensions });
  }

  async search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    if (!isIndexed(filter)) return this.searchWords(query, filter, limit, 'notIndexed');
    try {
      const found = await this.searchIndex(query, filter, limit);
      return found ?? (await this.searchWords(query, filter, limit, 'building'));
    } catch (error) {
      // A thread that cannot run must not keep a person from what is stored.
      this.log.error(`The search index of ${this.file} failed; words alone are searched.`, error);
      return this.searchWords(query, filter, limit, 'failed');
    }
  }

  /** Undefined while the index is being built. */
  private async searchIndex(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult | undefined> {
    const { question, times, meaning, model } = query;
    const found = await this.indexes.search({
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
    });
    if ('loading' in found) return undefined;
    const width = featureNames.length;
    const memories = await this.known.read(found.rows);
    const hits = found.rows.flatMap((row, i) => {
      const memory = memories.get(row);
      // What was deleted a moment ago is not there.
      return memory === undefined ? [] : [{ memory, features: found.features.subarray(i * width, (i + 1) * width) }];
    });
    const { largest, embedded, searchable, embedding, revision, sequence } = found;
    return { hits, largest, embedded, searchable, embedding, revision, sequence, wordsOnly: undefined };
  }

  /** By FTS5 alone: what the index thread does not hold, and while it is being built. */
  private async searchWords(
    { question }: StoreQuery,
    filter: StoreFilter,
    limit: number,
    why: SearchResult['wordsOnly'],
  ): Promise<SearchResult> {
    const nothing = {
      hits: [],
      largest: { words: 0, session: 0 },
      embedded: 0,
      searchable: 0,
      embedding: undefined,
      ...(await moment(this.database.read, filter.scopeId)),
      wordsOnly: why,
    };
    if (question.terms.length === 0) return nothing;
    const { where, params } = rowFilter(filter, question) ?? filterSql(filter);
    const rows = await this.database.read.all(
      `SELECT ${memoryText()} AS memory, -bm25(memory_terms) AS score
       FROM memory_terms JOIN memories m ON m.row = memory_terms.rowid
       WHERE memory_terms MATCH ? AND ${where} ORDER BY score DESC, id DESC LIMIT ?`,
      question.terms.map(it => quoted([it])).join(' OR '),
      ...params,
      limit,
    );
    const words = Math.max(0, ...rows.map(it => it.score as number));
    const hits = rows.map(row => {
      const features = new Float32Array(featureNames.length);
      // Where every memory has every term, BM25 is 0 or below for all: they are then equally relevant.
      features[featureAt.words] = words > 0 ? Math.max(0, row.score as number) / words : 1;
      return { memory: memoryOf(row, this.kind), features };
    });
    return { ...nothing, hits, largest: { words, session: 0 } };
  }

  beginComparing(model: StoreQuery['model'], relatedCosine: number): Comparison {
    const of = { file: this.file, model: model?.id, dimensions: model?.dimensions };
    return new SqliteComparison(this.database, this.indexes, of, relatedCosine, this.log);
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
    await this.database.write(async sql => {
      const tx = new SqliteTransaction(sql, this.kind, 'embedding', this.now().toISOString());
      for (const [id, vector] of vectors) await tx.setVector(id, vector);
      await tx.finish();
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

  contradictions(ids: readonly string[], most: number): Promise<Edge[]> {
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
      detail: JSON.parse(it.detail as string) as Record<string, unknown>,
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
    return rows.map(it => JSON.parse(it.trace as string) as Trace);
  }

  async trace(id: string): Promise<Trace | undefined> {
    const row = await this.database.read.get('SELECT trace FROM traces WHERE id = ?', id);
    return row && (JSON.parse(row.trace as string) as Trace);
  }

  traceSummaries(filter: TraceFilter): Promise<TraceSummary[]> {
    return summarise(this.database.read, filter);
  }

  async write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    await this.backups.beforeWrite();
    const { result, deleted } = await this.database.write(async sql => {
      const tx = new SqliteTransaction(sql, this.kind, actor, this.now().toISOString());
      const result = await work(tx);
      await tx.finish();
      return { result, deleted: tx.deleted };
    });
    if (deleted) {
      dropSnapshot(this.file);
      this.known.clear();
    }
    return result;
  }

  async flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]> {
    return this.database.write(async sql => {
      const tx = new SqliteTransaction(sql, this.kind, actor, usage.at);
      const restored: string[] = [];
      for (const memory of await countUses(sql, usage, this.kind)) {
        if (isHidden(memory.archiveReason)) continue;
        await tx.update(activated(memory, usage.at), 'restore', { because: 'recalled' });
        restored.push(memory.id);
      }
      await insertRows(
        sql,
        'traces (id, at, trace)',
        usage.traces.map(it => [it.id, it.at, JSON.stringify(it)]),
      );
      await tx.logReads(
        usage.traces.flatMap(({ id, candidates }) => {
          const returned = candidates.filter(it => it.outcome === 'returned' && it.store === this.kind);
          return returned.length === 0 ? [] : [{ trace: id, ids: returned.map(it => it.id) }];
        }),
      );
      // Trace ids are UUIDv7, so their order is their age.
      await sql.run(
        'DELETE FROM traces WHERE id <= (SELECT id FROM traces ORDER BY id DESC LIMIT 1 OFFSET ?)',
        keepTraces,
      );
      await tx.finish();
      return restored;
    });
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

/** Counts how often memories were recalled. @returns those of them that are archived */
async function countUses(sql: Transaction, { accessed, at }: UsageFlush, kind: StoreKind): Promise<Memory[]> {
  if (accessed.size === 0) return [];
  const uses = JSON.stringify(Object.fromEntries(accessed));
  await sql.run(
    `UPDATE memories SET access_count = access_count + used.value, accessed_at = ?2
     FROM json_each(?1) used WHERE memories.id = used.key`,
    uses,
    at,
  );
  const archived = `SELECT ${memoryText()} AS memory FROM memories
    WHERE id IN (SELECT key FROM json_each(?)) AND status = 'archived' ORDER BY row`;
  return (await sql.all(archived, uses)).map(it => memoryOf(it, kind));
}

/** A memory made active again; its time of fading starts anew. */
export function activated(memory: Memory, at: string): Memory {
  const { archivedAt, archiveReason, ...rest } = memory;
  return { ...rest, status: 'active', updatedAt: at };
}

/** Whether the index thread holds what the filter asks for: all but the superseded and what stays archived. */
function isIndexed(filter: StoreFilter): boolean {
  return filter.withoutForgotten === true && filter.statuses?.includes('superseded') !== true;
}

/** What the index thread cannot tell by itself, as SQL; undefined when there is nothing of the kind. */
function rowFilter(filter: StoreFilter, { phrases, excluded }: Question): RowFilter | undefined {
  const { scopeId, withoutForgotten, statuses, ...rest } = filter;
  const bothStatuses = statuses?.includes('active') === true && statuses.includes('archived');
  const narrows = Object.keys(rest).length > 0 || !bothStatuses;
  if (!narrows && phrases.length + excluded.length === 0) return undefined;
  const { where, params } = filterSql(filter);
  const matching = 'IN (SELECT rowid FROM memory_terms WHERE memory_terms MATCH ?)';
  return {
    where: [where, ...phrases.map(() => `m.row ${matching}`), ...excluded.map(() => `m.row NOT ${matching}`)].join(
      ' AND ',
    ),
    params: [...params, ...phrases.map(quoted), ...excluded.map(quoted)] as (string | number)[],
  };
}

/** Terms one after another, as an FTS5 phrase. */
function quoted(phrase: readonly string[]): string {
  return `"${phrase.join(' ').replaceAll('"', '""')}"`;
}
