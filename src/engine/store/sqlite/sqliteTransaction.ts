import type { AuditAction } from '../../model/auditAction.js';
import type { EdgeType, NewEdge } from '../../model/edge.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import { analyzeText } from '../../text/analyzer.js';
import type { MemoryWrite, NewMemory, RecordKind, StoredVector, StoreRecord, StoreTransaction } from '../store.js';
import { AuditAppender } from './auditLog.js';
import { findEdges, insertEdges, isConflictSettled, removeEdge, removeAllEdges, setConflictSettled } from './edges.js';
import { insertRows } from '../../database/insertRows.js';
import type { Sql, SqlValue } from '../../database/database.js';
import { readSequence, writeMeta, loadWriteState, type StoreWriteState } from '../../database/storeState.js';
import { deleteRecord, putRecord, getRecord } from './records.js';
import { memoryColumns, decodeMemory, memoryJsonSql, toMemoryRow } from './memoryRows.js';
import { saveScores } from './storageStats.js';

const writtenColumns = [...memoryColumns, 'change'];
const getSql = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE id = ?`;
const getManySql = `SELECT ${memoryJsonSql()} AS memory FROM memories WHERE id IN (SELECT value FROM json_each(?))`;
// What was just written is few: a plus keeps SQLite from going through all active memories of the set, or all there are.
export const changedSinceSql = `SELECT ${memoryJsonSql()} AS memory FROM memories
  WHERE change > ? AND +scope_id = ? AND +status = 'active' ORDER BY +row DESC LIMIT ?`;
const findByHashSql = `SELECT ${memoryJsonSql()} AS memory FROM memories
  WHERE scope_id = ? AND content_hash IN (SELECT value FROM json_each(?)) ORDER BY row`;
const mergeTargetSql = `
  WITH RECURSIVE made(row) AS (
    SELECT e.source FROM edges e JOIN memories m ON m.row = e.target WHERE m.id = ? AND e.type = 'derived_from'
    UNION SELECT e.source FROM edges e JOIN made ON e.target = made.row WHERE e.type = 'derived_from')
  SELECT ${memoryJsonSql()} AS memory FROM memories
  WHERE row IN made AND coalesce(archive_reason, '') <> 'merged' ORDER BY row DESC LIMIT 1`;
/** Named by its models, because a table of vectors is found by model and row. */
export const dropVectorsSql = `DELETE FROM vectors
  WHERE model IN (SELECT number FROM models) AND row = (SELECT row FROM memories WHERE id = ?)`;

/** A new memory as it is to be written. */
interface InsertedMemory {
  readonly memory: NewMemory;
  readonly vector: StoredVector | undefined;
}

/** A memory as it was and as it is to be written. */
interface UpdatedMemory {
  readonly before: NewMemory | undefined;
  readonly memory: NewMemory;
}

/** What the driver takes to hand out a statement, it takes while another one runs; more at once only wait. */
const updateBatchSize = 4;

/** One write under way. Every change leaves its audit line, and the revision that others notice it by. */
export class SqliteTransaction implements StoreTransaction {
  private initialState: Promise<StoreWriteState> | undefined;
  /** The revision this write makes; undefined while nothing has changed. */
  private newRevision: number | undefined;
  /** Whether a memory was deleted. */
  deleted = false;
  /** By scopeId: the write counters that this write has raised. */
  private readonly raisedSequences = new Map<string, number>();
  /** Models that this write has named. */
  private readonly newModelNumbers = new Map<string, number>();
  /** Memories that this write has added. */
  private readonly insertedIds = new Set<string>();
  /** The row of the last of them. */
  private lastRow: number | undefined;
  /** By id: memories as they are now, as far as this write has seen them. */
  private readonly identityMap = new Map<string, NewMemory>();
  private readonly audit: AuditAppender;
  /** New rows and edges that the driver has been handed. */
  private pendingInserts = Promise.resolve();
  /** Waits for what is under way, and so finds all that this write has added. */
  private readonly sql: Sql = {
    all: (...statement) => this.pendingInserts.then(() => this.unorderedSql.all(...statement)),
    get: (...statement) => this.pendingInserts.then(() => this.unorderedSql.get(...statement)),
    run: (...statement) => this.pendingInserts.then(() => this.unorderedSql.run(...statement)),
  };

  constructor(
    /** For what has nothing to do with rows that are under way. */
    private readonly unorderedSql: Sql,
    private readonly kind: StoreKind,
    actor: string,
    private readonly at: string,
  ) {
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
    if ((await this.loadState(scopeId)).revision <= revision) return [];
    return this.read(changedSinceSql, revision, scopeId, limit);
  }

  findByHash(contentHashes: readonly string[], scopeId: string): Promise<Memory[]> {
    return this.read(findByHashSql, scopeId, JSON.stringify(contentHashes));
  }

  async mergeTargetOf(id: string): Promise<Memory | undefined> {
    // UNION, not UNION ALL: it ends where one was merged back.
    return (await this.read(mergeTargetSql, id))[0];
  }

  async nextSequence(scopeId: string): Promise<number> {
    const state = await this.loadState(scopeId);
    const storedSequence = state.scopeId === scopeId ? state.sequence : undefined;
    const last =
      this.raisedSequences.get(scopeId) ?? storedSequence ?? (await readSequence(this.unorderedSql, scopeId));
    this.raisedSequences.set(scopeId, last + 1);
    return last + 1;
  }

  insertMany(memories: readonly NewMemory[], vectors: readonly (StoredVector | undefined)[] = []): Promise<void> {
    return this.applyBatch(memories.map((memory, i) => ({ op: 'insert', memory, vector: vectors[i] })));
  }

  update(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return this.applyBatch([{ op: 'update', memory, action, detail }]);
  }

  async applyBatch(changes: readonly MemoryWrite[]): Promise<void> {
    const inserts: InsertedMemory[] = [];
    /** Where in `added` a memory stands. */
    const insertPositions = new Map<string, number>();
    const updates = new Map<string, UpdatedMemory>();
    for (const change of changes) {
      const { memory } = change;
      const { id } = memory;
      if (change.op === 'insert') {
        this.audit.add('create', id, { contentHash: memory.contentHash, lane: memory.lane });
        insertPositions.set(id, inserts.push({ memory, vector: change.vector }) - 1);
        this.insertedIds.add(id);
      } else {
        const before = this.identityMap.get(id) ?? (await this.get(id));
        // What the curve of a memory's past is drawn from.
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
    if (changes.length > 0) this.audit.flushFullBatches(this.unorderedSql, (await this.loadState()).auditHead);
    const remaining = [...updates.values()];
    while (remaining.length > 0)
      await Promise.all(remaining.splice(0, updateBatchSize).map(it => this.writeUpdate(it)));
  }

  private async writeInserts(inserts: readonly InsertedMemory[]): Promise<void> {
    await this.pendingInserts;
    const revision = await this.revision();
    const { lastRow } = await this.loadState();
    const last = this.lastRow ?? lastRow;
    this.lastRow = last + inserts.length;
    const rows: SqlValue[][] = [];
    const termRows: SqlValue[][] = [];
    const vectorRows: SqlValue[][] = [];
    for (const [i, { memory, vector }] of inserts.entries()) {
      const row = last + 1 + i;
      rows.push([row, ...toMemoryRow(memory), revision]);
      termRows.push([row, analyzeText(indexedText(memory)).join(' ')]);
      if (vector !== undefined)
        vectorRows.push([await this.modelNumber(vector.model), row, vectorBytes(vector.vector)]);
    }
    // None needs another one's rows: what the driver takes to hand out a statement, it takes while another one runs.
    this.enqueue(() => [
      insertRows(this.unorderedSql, `memories (row, ${writtenColumns.join(', ')})`, rows),
      insertRows(this.unorderedSql, 'memory_terms (rowid, terms)', termRows),
      insertRows(this.unorderedSql, 'vectors (model, row, vector)', vectorRows),
    ]);
  }

  private async writeUpdate({ before, memory }: UpdatedMemory): Promise<void> {
    // SQLite writes every index anew whose columns are named, changed or not.
    const [row, rowBefore] = [toMemoryRow(memory), before && toMemoryRow(before)];
    const changed = memoryColumns.filter((_, i) => row[i] !== rowBefore?.[i]);
    await (this.insertedIds.has(memory.id) ? this.sql : this.unorderedSql).run(
      `UPDATE memories SET ${[...changed, 'change'].map(it => `${it} = ?`).join(', ')} WHERE id = ?`,
      ...row.filter((it, i) => it !== rowBefore?.[i]),
      await this.revision(),
      memory.id,
    );
    if (before !== undefined && indexedText(before) !== indexedText(memory)) {
      await this.removeTerms(memory.id);
      await this.indexTerms(memory);
    }
    if (before !== undefined && before.content !== memory.content) {
      // It would be found by what it said before; it is embedded anew like any other without a vector.
      await this.sql.run(dropVectorsSql, memory.id);
    }
  }

  async delete(id: string, action: 'prune' | 'purge'): Promise<void> {
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

  async link(edges: readonly NewEdge[]): Promise<void> {
    if (edges.length === 0) return;
    await this.revision();
    // What is merely related is found anew at any time, and is most of what is linked: it leaves no line.
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
      await this.modelNumber(model),
      vectorBytes(vector),
      id,
    );
    await this.sql.run('UPDATE memories SET change = ? WHERE id = ?', await this.revision(), id);
  }

  log(action: AuditAction, detail: Readonly<Record<string, unknown>>): Promise<void> {
    this.audit.add(action, undefined, detail);
    return Promise.resolve();
  }

  /** A line for each of several memories. */
  logMany(action: AuditAction, lines: readonly (readonly [id: string, detail: object])[]): void {
    for (const [id, detail] of lines) this.audit.add(action, id, detail);
  }

  /** One line per recall, not per memory: which ones were read is in its detail. */
  logReads(recalls: readonly { readonly trace: string; readonly ids: readonly string[] }[]): void {
    for (const recall of recalls) this.audit.add('read', undefined, { ...recall });
  }

  /** Writes the audit log's new lines, its head, the write counters and the revision; last in every transaction. */
  async commitMetadata(): Promise<void> {
    await Promise.all([this.pendingInserts, this.writeSequences(), this.appendAuditLog()]);
  }

  /** Begins what needs the rows handed over before, and whose own rows others wait for. */
  private enqueue(begin: () => readonly Promise<void>[]): void {
    this.pendingInserts = this.pendingInserts.then(async () => {
      await Promise.all(begin());
    });
    // Who waits for it learns of its failure; the last to wait is what ends the write.
    this.pendingInserts.catch(() => undefined);
  }

  private async writeSequences(): Promise<void> {
    if (this.raisedSequences.size === 0) return;
    await this.unorderedSql.run(
      'INSERT OR REPLACE INTO sequences SELECT key, value FROM json_each(?)',
      JSON.stringify(Object.fromEntries(this.raisedSequences)),
    );
  }

  /** For a log that was emptied: the next line is its first. */
  resetAuditLog(): void {
    this.audit.reset();
  }

  /** Whether it makes a revision that others have to notice. */
  get changed(): boolean {
    return this.newRevision !== undefined;
  }

  /** The revision that this write makes. */
  async revision(): Promise<number> {
    this.newRevision ??= (await this.loadState()).revision + 1;
    return this.newRevision;
  }

  /** Where the file stood when this write began. @param scopeId whose write counter is wanted, if it is the first call */
  private loadState(scopeId?: string): Promise<StoreWriteState> {
    return (this.initialState ??= loadWriteState(this.unorderedSql, scopeId));
  }

  /** Memories as they are now. */
  private async read(sql: string, ...params: readonly SqlValue[]): Promise<Memory[]> {
    const memories = (await this.sql.all(sql, ...params)).map(it => decodeMemory(it, this.kind));
    for (const it of memories) this.identityMap.set(it.id, it);
    return memories;
  }

  /** With its head and the revision, so that neither is there without the other. */
  private async appendAuditLog(): Promise<void> {
    if (this.audit.isEmpty && !this.changed) return;
    const { auditHead } = await this.loadState();
    const { head, written } = this.audit.isEmpty
      ? { head: auditHead, written: undefined }
      : await this.audit.flush(this.unorderedSql, auditHead);
    const moved = writeMeta(this.unorderedSql, {
      ...(head === auditHead ? {} : { auditHead: head }),
      ...(this.newRevision === undefined ? {} : { revision: String(this.newRevision) }),
    });
    await Promise.all([written, moved]);
  }

  /** What a model is called in `vectors`. */
  private async modelNumber(model: string): Promise<number> {
    const existing = this.newModelNumbers.get(model) ?? (await this.loadState()).models[model];
    if (existing !== undefined) return existing;
    const inserted = await this.unorderedSql.get('INSERT INTO models (id) VALUES (?) RETURNING number', model);
    const number = inserted!.number as number;
    this.newModelNumbers.set(model, number);
    return number;
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
