import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import { analyzeText } from '../../text/analyzer.js';
import { aidsEdit, AuditAppender } from '../audit.js';
import type { StoredVector } from '../store.js';
import { encodeQuestionVectors, questionModel, questionModelsSql } from '../questionVectors.js';
import { TransactionBase, type EdgeTable, type InsertedMemory, type UpdatedMemory } from '../transactionBase.js';
import {
  findEdges,
  findEdgesInSets,
  insertEdges,
  removeAllEdges,
  updateInDegrees,
  updateInDegreesAround,
} from './edges.js';
import { insertRows } from '../../database/insertRows.js';
import type { Sql, SqlValue } from '../../database/database.js';
import { writeMeta } from '../../database/storeState.js';
import { memoryColumns, toMemoryRow } from '../memoryRow.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';
import { saveScores } from './storageStats.js';
import { TransactionCounters } from './transactionCounters.js';
import { sqliteDialect } from './sqliteDialect.js';
import { markEdge, removeEdge, settleConflict } from '../sql/edgeChanges.js';
import { StoreLogs } from '../sql/storeLogs.js';

const writtenColumns = [...memoryColumns, 'change'];
const getSql = `SELECT ${memoryJsonSql} AS memory FROM memories WHERE id = ?`;
const getManySql = `SELECT ${memoryJsonSql} AS memory FROM memories WHERE id IN (SELECT value FROM json_each(?))`;
const findByHashSql = `SELECT ${memoryJsonSql} AS memory FROM memories
  WHERE scope_id = ? AND content_hash IN (SELECT value FROM json_each(?)) ORDER BY row`;
const mergeTargetSql = `
  WITH RECURSIVE made(row) AS (
    SELECT e.source FROM edges e JOIN memories m ON m.row = e.target WHERE m.id = ?1 AND e.type = 'derived_from'
    UNION SELECT e.source FROM edges e JOIN made ON e.target = made.row WHERE e.type = 'derived_from')
  SELECT ${memoryJsonSql} AS memory FROM memories
  WHERE row IN made AND coalesce(archive_reason, '') <> 'merged'
    AND scope_id = (SELECT scope_id FROM memories WHERE id = ?1)
  ORDER BY row DESC LIMIT 1`;
const insertAuditSql = `INSERT INTO audit (seq, at, action, memory_id, actor, detail, hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)`;
/** Lists the models, because the primary key of the table is model and row. */
export const dropVectorsSql = `DELETE FROM vectors
  WHERE model IN (SELECT number FROM models) AND row = (SELECT row FROM memories WHERE id = ?)`;
const dropQuestionVectorsSql = `DELETE FROM vectors
  WHERE model IN (${questionModelsSql}) AND row = (SELECT row FROM memories WHERE id = ?)`;

/** The driver overlaps its own work with a running statement; more statements at once would only wait. */
const updateBatchSize = 4;

/** A running write transaction. Adds an audit line per change, and the revision by which others notice the write. */
export class SqliteTransaction extends TransactionBase {
  private readonly counters: TransactionCounters;
  /** Whether a memory was deleted. */
  deleted = false;
  /** Memories inserted by this write. */
  private readonly insertedIds = new Set<string>();
  /** Resolves when the inserts and edges passed to the driver are written. */
  private pendingInserts = Promise.resolve();
  /** Waits for pending inserts and so sees everything this write has added. */
  private readonly sql: Sql = {
    all: (...statement) => this.pendingInserts.then(() => this.unorderedSql.all(...statement)),
    get: (...statement) => this.pendingInserts.then(() => this.unorderedSql.get(...statement)),
    run: (...statement) => this.pendingInserts.then(() => this.unorderedSql.run(...statement)),
  };

  protected readonly logs = new StoreLogs(this.sql, sqliteDialect);
  protected readonly edgeTable: EdgeTable = {
    find: (ids, types) => findEdges(this.sql, ids, types),
    findInSets: ids => findEdgesInSets(this.sql, ids),
    insert: edges => {
      this.enqueue(() => [insertEdges(this.unorderedSql, edges, this.at)]);
      return Promise.resolve();
    },
    remove: async (source, target, type) => {
      await removeEdge(this.sql, sqliteDialect, { source, target, type });
      await updateInDegrees(this.sql, 'id', [source, target]);
    },
    settle: (first, second, at) => settleConflict(this.sql, sqliteDialect, [first, second], at),
    mark: mark => markEdge(this.sql, sqliteDialect, mark),
  };

  constructor(
    /** For statements that do not depend on pending inserts. */
    private readonly unorderedSql: Sql,
    private readonly kind: StoreKind,
    actor: string,
    at: string,
  ) {
    super(new AuditAppender(actor, at, rows => unorderedSql.run(insertAuditSql, JSON.stringify(rows))), at);
    this.counters = new TransactionCounters(unorderedSql);
  }

  override async get(id: string): Promise<Memory | undefined> {
    return (await this.read(getSql, id))[0];
  }

  async getMany(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    return this.read(getManySql, JSON.stringify(ids));
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

  protected async writeChanges(inserts: readonly InsertedMemory[], updates: readonly UpdatedMemory[]): Promise<void> {
    for (const { memory } of inserts) this.insertedIds.add(memory.id);
    if (inserts.length > 0) await this.writeInserts(inserts);
    this.audit.flushFullBatches((await this.counters.initial()).auditHead);
    const remaining = [...updates];
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
        vectorRows.push(...(await this.vectorRows(vector)).map(([model, bytes]) => [model, row, bytes]));
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

  /** The vectors of a memory with the numbers of their models. */
  private async vectorRows({
    model,
    vector,
    questions = [],
  }: StoredVector): Promise<(readonly [number, Uint8Array])[]> {
    const own = [await this.counters.modelNumber(model), vectorBytes(vector)] as const;
    if (questions.length === 0) return [own];
    return [own, [await this.counters.modelNumber(questionModel(model)), encodeQuestionVectors(questions)]];
  }

  async delete(id: string, action: 'prune' | 'purge' | 'move'): Promise<void> {
    this.deleted = true;
    if (action !== 'move') await this.handOnReplacements([id]);
    await this.removeTerms(id);
    await this.sql.run(
      `INSERT OR REPLACE INTO removed (row, change) SELECT row, ? FROM memories WHERE id = ?`,
      await this.revision(),
      id,
    );
    this.written.deleteMemory(id, await removeAllEdges(this.sql, id));
    await this.sql.run(dropVectorsSql, id);
    await this.sql.run('DELETE FROM memories WHERE id = ?', id);
    await this.deleteRecord('formerText', id);
    this.identityMap.delete(id);
    this.audit.add(action, id, {});
  }

  saveScores(scores: ReadonlyMap<string, number>, version: number): Promise<void> {
    return saveScores(this.sql, scores, version);
  }

  async setVector(id: string, vector: StoredVector): Promise<void> {
    this.written.setVector(id, vector);
    for (const [model, bytes] of await this.vectorRows(vector)) {
      await this.sql.run(
        'INSERT OR REPLACE INTO vectors (model, row, vector) SELECT ?, row, ? FROM memories WHERE id = ?',
        model,
        bytes,
        id,
      );
    }
    await this.sql.run('UPDATE memories SET change = ? WHERE id = ?', await this.revision(), id);
  }

  protected async writeAids(id: string, aids: SearchAids, isEdit: boolean): Promise<void> {
    if (isEdit) this.audit.add('edit', id, aidsEdit);
    await replaceAids(this.sql, id, aids);
    // Vectors of earlier questions; they are embedded again like any others without a vector.
    if (!this.insertedIds.has(id)) await this.sql.run(dropQuestionVectorsSql, id);
    await this.sql.run('UPDATE memories SET change = ? WHERE id = ?', await this.revision(), id);
  }

  /**
   * Writes the pending audit lines, the head of the log, the write counters and the revision. The last call of every
   * transaction.
   */
  async commitMetadata(): Promise<void> {
    await this.logDigests();
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
      : await this.audit.flush(auditHead);
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

/** Replaces the search aids of a memory; empty lists remove them. */
async function replaceAids(sql: Sql, id: string, { questions, keywords }: SearchAids): Promise<void> {
  if (questions.length === 0 && keywords.length === 0) {
    await sql.run('DELETE FROM aids WHERE row = (SELECT row FROM memories WHERE id = ?)', id);
    return;
  }
  await sql.run(
    'INSERT OR REPLACE INTO aids (row, questions, keywords) SELECT row, ?, ? FROM memories WHERE id = ?',
    JSON.stringify(questions),
    JSON.stringify(keywords),
    id,
  );
}
