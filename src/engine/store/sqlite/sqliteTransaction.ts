import type { AuditAction } from '../../model/auditAction.js';
import type { Edge, EdgeMark, EdgeType, NewEdge } from '../../model/edge.js';
import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import { analyzeText } from '../../text/analyzer.js';
import type {
  MemoryWrite,
  NewMemory,
  OutdatedMark,
  RecordKind,
  StoredVector,
  StoreRecord,
  StoreTransaction,
} from '../store.js';
import { aidsEdit, AuditAppender, findEditedAids } from './auditLog.js';
import { writeAids } from './aids.js';
import {
  findEdges,
  findEdgesInSets,
  insertEdges,
  isConflictSettled,
  isOutdatedEnd,
  markEdge,
  removeAllEdges,
  removeEdge,
  setConflictSettled,
  updateInDegreesAround,
} from './edges.js';
import { insertRows } from '../../database/insertRows.js';
import type { Sql, SqlValue } from '../../database/database.js';
import { writeMeta } from '../../database/storeState.js';
import { deleteRecord, putRecord, getRecord } from './records.js';
import { memoryColumns, toMemoryRow } from '../memoryRow.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';
import { saveScores } from './storageStats.js';
import { TransactionCounters } from './transactionCounters.js';

const writtenColumns = [...memoryColumns, 'change'];
const getSql = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE id = ?`;
const getManySql = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE id IN (SELECT value FROM json_each(?))`;
// Few rows are that recent: a plus keeps SQLite from scanning all active memories, or those of the set.
export const changedSinceSql = `SELECT ${memoryJsonSql()} AS memory FROM memories
  WHERE change > ? AND +scope_id = ? AND +status = 'active' ORDER BY +row DESC LIMIT ?`;
const findByHashSql = `SELECT ${memoryJsonSql()} AS memory FROM memories
  WHERE scope_id = ? AND content_hash IN (SELECT value FROM json_each(?)) ORDER BY row`;
const mergeTargetSql = `
  WITH RECURSIVE made(row) AS (
    SELECT e.source FROM edges e JOIN memories m ON m.row = e.target WHERE m.id = ?1 AND e.type = 'derived_from'
    UNION SELECT e.source FROM edges e JOIN made ON e.target = made.row WHERE e.type = 'derived_from')
  SELECT ${memoryJsonSql()} AS memory FROM memories
  WHERE row IN made AND coalesce(archive_reason, '') <> 'merged'
    AND scope_id = (SELECT scope_id FROM memories WHERE id = ?1)
  ORDER BY row DESC LIMIT 1`;
/** Lists the models, because the primary key of the table is model and row. */
export const dropVectorsSql = `DELETE FROM vectors
  WHERE model IN (SELECT number FROM models) AND row = (SELECT row FROM memories WHERE id = ?)`;

/** Strength of the edge of a judgement: a model named what a memory replaces with 98 % precision. */
const markStrength = 0.98;

/** A memory to insert. */
interface InsertedMemory {
  readonly memory: NewMemory;
  readonly vector: StoredVector | undefined;
}

/** A memory to update. */
interface UpdatedMemory {
  readonly before: NewMemory | undefined;
  readonly memory: NewMemory;
}

/** The driver overlaps its own work with a running statement; more statements at once would only wait. */
const updateBatchSize = 4;

/** A running write transaction. Adds an audit line per change, and the revision by which others notice the write. */
export class SqliteTransaction implements StoreTransaction {
  private readonly counters: TransactionCounters;
  /** Whether a memory was deleted. */
  deleted = false;
  /** Memories inserted by this write. */
  private readonly insertedIds = new Set<string>();
  /** Current state of the memories seen in this write, by id. */
  private readonly identityMap = new Map<string, NewMemory>();
  private readonly audit: AuditAppender;
  /** Resolves when the inserts and edges passed to the driver are written. */
  private pendingInserts = Promise.resolve();
  /** Waits for pending inserts and so sees everything this write has added. */
  private readonly sql: Sql = {
    all: (...statement) => this.pendingInserts.then(() => this.unorderedSql.all(...statement)),
    get: (...statement) => this.pendingInserts.then(() => this.unorderedSql.get(...statement)),
    run: (...statement) => this.pendingInserts.then(() => this.unorderedSql.run(...statement)),
  };

  constructor(
    /** For statements that do not depend on pending inserts. */
    private readonly unorderedSql: Sql,
    private readonly kind: StoreKind,
    actor: string,
    private readonly at: string,
  ) {
    this.counters = new TransactionCounters(unorderedSql);
    this.audit = new AuditAppender(actor, at);
  }

  async get(id: string): Promise<Memory | undefined> {
    return (await this.read(getSql, id))[0];
  }

  async getMany(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    return this.read(getManySql, JSON.stringify(ids));
  }

  async changedSince(revision: number, scopeId: string, limit: number): Promise<Memory[]> {
    if ((await this.counters.initial(scopeId)).revision <= revision) return [];
    return this.read(changedSinceSql, revision, scopeId, limit);
  }

  findByHash(contentHashes: readonly string[], scopeId: string): Promise<Memory[]> {
    return this.read(findByHashSql, scopeId, JSON.stringify(contentHashes));
  }

  async mergeTargetOf(id: string): Promise<Memory | undefined> {
    // The query's UNION, unlike UNION ALL, ends if a memory was merged back.
    return (await this.read(mergeTargetSql, id))[0];
  }

  nextSequence(scopeId: string): Promise<number> {
    return this.counters.nextSequence(scopeId);
  }

  insertMany(memories: readonly NewMemory[], vectors: readonly (StoredVector | undefined)[] = []): Promise<void> {
    return this.applyBatch(memories.map((memory, i) => ({ op: 'insert', memory, vector: vectors[i] })));
  }

  update(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return this.applyBatch([{ op: 'update', memory, action, detail }]);
  }

  async applyBatch(changes: readonly MemoryWrite[]): Promise<void> {
    const inserts: InsertedMemory[] = [];
    /** Memory id -> position in `inserts`. */
    const insertPositions = new Map<string, number>();
    const updates = new Map<string, UpdatedMemory>();
    for (const change of changes) {
      const { memory } = change;
      const { id } = memory;
      if (change.op === 'insert') {
        const cameFrom = change.isMoved === true ? { moved: true } : {};
        this.audit.add('create', id, { contentHash: memory.contentHash, lane: memory.lane, ...cameFrom });
        insertPositions.set(id, inserts.push({ memory, vector: change.vector }) - 1);
        this.insertedIds.add(id);
      } else {
        const before = this.identityMap.get(id) ?? (await this.get(id));
        // The confidence curve is drawn from these.
        const confidenceChanged = before !== undefined && before.confidence !== memory.confidence;
        const confidence = { from: before?.confidence, to: memory.confidence };
        this.audit.add(change.action, id, confidenceChanged ? { ...change.detail, confidence } : change.detail);
        const insertPosition = insertPositions.get(id);
        if (insertPosition === undefined) updates.set(id, { before: updates.get(id)?.before ?? before, memory });
        else {
          const { vector } = inserts[insertPosition]!;
          inserts[insertPosition] = { memory, vector: before?.content === memory.content ? vector : undefined };
        }
      }
      this.identityMap.set(id, memory);
    }
    if (inserts.length > 0) await this.writeInserts(inserts);
    if (changes.length > 0) this.audit.flushFullBatches(this.unorderedSql, (await this.counters.initial()).auditHead);
    const remaining = [...updates.values()];
    while (remaining.length > 0)
      await Promise.all(remaining.splice(0, updateBatchSize).map(it => this.writeUpdate(it)));
  }

  private async writeInserts(inserts: readonly InsertedMemory[]): Promise<void> {
    await this.pendingInserts;
    const revision = await this.revision();
    const firstRow = await this.counters.reserveRows(inserts.length);
    const rows: SqlValue[][] = [];
    const termRows: SqlValue[][] = [];
    const vectorRows: SqlValue[][] = [];
    for (const [i, { memory, vector }] of inserts.entries()) {
      const row = firstRow + i;
      rows.push([row, ...toMemoryRow(memory), revision]);
      termRows.push([row, analyzeText(indexedText(memory)).join(' ')]);
      if (vector !== undefined)
        vectorRows.push([await this.counters.modelNumber(vector.model), row, vectorBytes(vector.vector)]);
    }
    // The statements are independent: the driver overlaps its own work with a running statement.
    this.enqueue(() => [
      insertRows(this.unorderedSql, `memories (row, ${writtenColumns.join(', ')})`, rows),
      insertRows(this.unorderedSql, 'memory_terms (rowid, terms)', termRows),
      insertRows(this.unorderedSql, 'vectors (model, row, vector)', vectorRows),
    ]);
  }

  private async writeUpdate({ before, memory }: UpdatedMemory): Promise<void> {
    // SQLite rewrites the index of every column in the SET list, changed or not.
    const [row, rowBefore] = [toMemoryRow(memory), before && toMemoryRow(before)];
    const changed = memoryColumns.filter((_, i) => row[i] !== rowBefore?.[i]);
    await (this.insertedIds.has(memory.id) ? this.sql : this.unorderedSql).run(
      `UPDATE memories SET ${[...changed, 'change'].map(it => `${it} = ?`).join(', ')} WHERE id = ?`,
      ...row.filter((it, i) => it !== rowBefore?.[i]),
      await this.revision(),
      memory.id,
    );
    if (before !== undefined && before.scopeId !== memory.scopeId) await updateInDegreesAround(this.sql, memory.id);
    if (before !== undefined && indexedText(before) !== indexedText(memory)) {
      await this.removeTerms(memory.id);
      await this.indexTerms(memory);
    }
    if (before !== undefined && before.content !== memory.content) {
      // They belong to the old text; the memory is embedded again like any other without a vector.
      await this.sql.run(dropVectorsSql, memory.id);
    }
  }

  async delete(id: string, action: 'prune' | 'purge' | 'move'): Promise<void> {
    this.deleted = true;
    await this.removeTerms(id);
    await this.sql.run(
      `INSERT OR REPLACE INTO removed (row, change) SELECT row, ? FROM memories WHERE id = ?`,
      await this.revision(),
      id,
    );
    await removeAllEdges(this.sql, id);
    await this.sql.run(dropVectorsSql, id);
    await this.sql.run('DELETE FROM memories WHERE id = ?', id);
    this.identityMap.delete(id);
    this.audit.add(action, id, {});
  }

  saveScores(scores: ReadonlyMap<string, number>, version: number): Promise<void> {
    return saveScores(this.sql, scores, version);
  }

  edges(ids: readonly string[]): Promise<Edge[]> {
    return findEdges(this.sql, ids);
  }

  async link(edges: readonly NewEdge[]): Promise<void> {
    if (edges.length === 0) return;
    await this.revision();
    // `relates_to` edges are most of the edges and can be recomputed; they get no audit line.
    const logged = edges.filter(it => it.type !== 'relates_to');
    for (const { source, type, target, strength } of logged) this.audit.add('link', source, { type, target, strength });
    this.enqueue(() => [insertEdges(this.unorderedSql, edges, this.at)]);
  }

  async unlink(source: string, target: string, type: EdgeType): Promise<void> {
    await this.revision();
    await removeEdge(this.sql, source, target, type);
    this.audit.add('link', source, { type, target, removed: true });
  }

  isSettled(first: string, second: string): Promise<boolean> {
    return isConflictSettled(this.sql, first, second);
  }

  async settle(first: string, second: string): Promise<void> {
    await this.revision();
    await setConflictSettled(this.sql, first, second, this.at);
    this.audit.add('settle', first, { other: second });
  }

  async supersede(winner: string, loser: string): Promise<void> {
    const memory = await this.get(loser);
    if (memory === undefined) return;
    const reason = 'A person replaced the one by the other.';
    await insertEdges(this.sql, [{ source: winner, target: loser, type: 'supersedes', strength: 1, reason }], this.at);
    await setConflictSettled(this.sql, winner, loser, this.at);
    await this.update({ ...memory, status: 'superseded', updatedAt: this.at }, 'supersede', { by: winner });
  }

  async reopen(first: string, second: string): Promise<void> {
    await this.revision();
    await removeEdge(this.sql, first, second, 'supersedes');
    await removeEdge(this.sql, second, first, 'supersedes');
    await setConflictSettled(this.sql, first, second, undefined);
    this.audit.add('settle', first, { other: second, undone: true });
  }

  async undoSupersede(id: string): Promise<void> {
    const memory = await this.get(id);
    if (memory === undefined) return;
    const edges = await findEdges(this.sql, [id], ['supersedes']);
    for (const { source } of edges.filter(it => it.target === id)) await this.reopen(source, id);
    await this.update({ ...memory, status: 'active', updatedAt: this.at }, 'restore', {});
  }

  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    return getRecord<T>(this.sql, kind, id);
  }

  putRecord(kind: RecordKind, id: string, body: unknown): Promise<void> {
    return putRecord(this.sql, kind, id, body, this.at);
  }

  deleteRecord(kind: RecordKind, id: string): Promise<void> {
    return deleteRecord(this.sql, kind, id);
  }

  async setVector(id: string, { model, vector }: StoredVector): Promise<void> {
    await this.sql.run(
      'INSERT OR REPLACE INTO vectors (model, row, vector) SELECT ?, row, ? FROM memories WHERE id = ?',
      await this.counters.modelNumber(model),
      vectorBytes(vector),
      id,
    );
    await this.sql.run('UPDATE memories SET change = ? WHERE id = ?', await this.revision(), id);
  }

  async setAids(id: string, aids: SearchAids, { isEdit = false } = {}): Promise<void> {
    if (isEdit) this.audit.add('edit', id, aidsEdit);
    await writeAids(this.sql, id, aids);
    await this.sql.run('UPDATE memories SET change = ? WHERE id = ?', await this.revision(), id);
  }

  withEditedAids(ids: readonly string[]): Promise<readonly string[]> {
    return findEditedAids(this.sql, ids);
  }

  async markOutdated({ outdated, replacement, type, by, reason }: OutdatedMark): Promise<void> {
    await this.revision();
    const edge = { source: replacement, target: outdated, type, strength: markStrength, reason };
    await insertEdges(this.sql, [edge], this.at);
    await markEdge(this.sql, { ends: [outdated, replacement], outdatedId: outdated, type, by, at: this.at });
    this.audit.add('mark', outdated, { outdatedBy: replacement, by });
  }

  async restoreMark(
    { source, target, type }: Pick<Edge, 'source' | 'target' | 'type'>,
    { outdated, by, at }: EdgeMark,
  ): Promise<void> {
    await this.revision();
    const outdatedId = outdated === 'none' ? undefined : outdated === 'source' ? source : target;
    await markEdge(this.sql, { ends: [source, target], outdatedId, type, by, at });
    const detail = outdated === 'none' ? { stillTrue: true, by } : { by };
    this.audit.add('mark', outdatedId ?? target, detail);
  }

  async clearMarks(id: string, by: EdgeMark['by']): Promise<boolean> {
    const open = (await findEdgesInSets(this.sql, [id])).filter(
      it => it.settledAt === undefined && isOutdatedEnd(it, id),
    );
    const edges = open.filter(it => by === 'person' || it.mark?.by !== 'person');
    for (const { source, target, type } of edges) {
      await this.revision();
      await markEdge(this.sql, { ends: [source, target], outdatedId: undefined, type, by, at: this.at });
      this.audit.add('mark', id, { stillTrue: true, by });
    }
    return edges.length === open.length;
  }

  log(action: AuditAction, detail: Readonly<Record<string, unknown>>): Promise<void> {
    this.audit.add(action, undefined, detail);
    return Promise.resolve();
  }

  async announce(): Promise<void> {
    await this.counters.revision();
  }

  /** Adds one line per memory. */
  logMany(action: AuditAction, lines: readonly (readonly [id: string, detail: object])[]): void {
    for (const [id, detail] of lines) this.audit.add(action, id, detail);
  }

  /**
   * Writes the pending audit lines, the head of the log, the write counters and the revision. The last call of every
   * transaction.
   */
  async commitMetadata(): Promise<void> {
    await Promise.all([this.pendingInserts, this.counters.saveSequences(), this.appendAuditLog()]);
  }

  /** Queues statements that depend on the inserts queued before and that later statements wait for. */
  private enqueue(begin: () => readonly Promise<void>[]): void {
    this.pendingInserts = this.pendingInserts.then(async () => {
      await Promise.all(begin());
    });
    // Errors surface in whatever waits for it, at the latest in commitMetadata.
    this.pendingInserts.catch(() => undefined);
  }

  /** For an emptied log: its next line is the first. */
  resetAuditLog(): void {
    this.audit.reset();
  }

  /** Whether the write makes a new revision. */
  get changed(): boolean {
    return this.counters.changedRevision !== undefined;
  }

  /** Revision made by this write. */
  revision(): Promise<number> {
    return this.counters.revision();
  }

  /** Reads memories and remembers their current state. */
  private async read(sql: string, ...params: readonly SqlValue[]): Promise<Memory[]> {
    const memories = (await this.sql.all(sql, ...params)).map(it => decodeMemory(it, this.kind));
    for (const it of memories) this.identityMap.set(it.id, it);
    return memories;
  }

  /** Writes head and revision in one statement, so that they stay consistent. */
  private async appendAuditLog(): Promise<void> {
    const { changedRevision } = this.counters;
    if (this.audit.isEmpty && changedRevision === undefined) return;
    const { auditHead } = await this.counters.initial();
    const { head, written } = this.audit.isEmpty
      ? { head: auditHead, written: undefined }
      : await this.audit.flush(this.unorderedSql, auditHead);
    const moved = writeMeta(this.unorderedSql, {
      ...(head === auditHead ? {} : { auditHead: head }),
      ...(changedRevision === undefined ? {} : { revision: String(changedRevision) }),
    });
    await Promise.all([written, moved]);
  }

  private async indexTerms(memory: Pick<Memory, 'id' | 'content' | 'tags'>): Promise<void> {
    const sql = 'INSERT INTO memory_terms (rowid, terms) SELECT row, ? FROM memories WHERE id = ?';
    await this.sql.run(sql, analyzeText(indexedText(memory)).join(' '), memory.id);
  }

  private async removeTerms(id: string): Promise<void> {
    await this.sql.run('DELETE FROM memory_terms WHERE rowid = (SELECT row FROM memories WHERE id = ?)', id);
  }
}

function indexedText(memory: Pick<Memory, 'content' | 'tags'>): string {
  return [memory.content, ...memory.tags].join('\n');
}

function vectorBytes(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
