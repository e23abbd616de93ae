import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import { aidTerms } from '../../text/memoryTerms.js';
import { aidsEdit, AuditAppender, type AuditRow } from '../audit.js';
import { memoryColumns, toMemoryRow } from '../memoryRow.js';
import type { NewMemory, StoredVector } from '../store.js';
import { TransactionBase, type InsertedMemory, type UpdatedMemory } from '../transactionBase.js';
import { findPostgresNeighbors, postgresEdgeTable, updatePostgresInDegrees } from './postgresEdges.js';
import { StoreMemories } from '../sql/storeMemories.js';
import { fromPostgres, memoryArraySql, toTsvector } from './postgresRows.js';
import {
  indexMemoryText,
  insertSaidTerms,
  isIndexedAlike,
  memoryTextOf,
  PostgresTermCounts,
  type TextIndex,
} from './postgresTermCounts.js';
import { requireKnownVersion, storedVersionSql } from './storedVersion.js';
import { isOfQuestionsSql } from '../questionVectors.js';
import { saveVectorRows } from './vectorRows.js';
import { postgresDialect } from './postgresDialect.js';
import { StoreLogs } from '../sql/storeLogs.js';

const selectMemory = `SELECT ${memoryArraySql()} AS memory FROM memories`;
// What looks idle keeps the server from reading more than the few rows that are meant, even before it knows how many there
// are: OFFSET 0 (no join of all edges), ARRAY (ids before rows), and expressions of columns (no index of all active memories).
const dropQuestionVectorsSql = `DELETE FROM vectors v WHERE id = $1 AND ${isOfQuestionsSql}`;
const mergeTargetSql = `
  WITH RECURSIVE made (id) AS (
    SELECT source FROM edges WHERE target = $1 AND type = 'derived_from'
    UNION SELECT e.source FROM made CROSS JOIN LATERAL (
      SELECT source FROM edges WHERE target = made.id AND type = 'derived_from' OFFSET 0) e)
  ${selectMemory} WHERE id = ANY (ARRAY (SELECT id FROM made)) AND coalesce(archive_reason, '') <> 'merged'
    AND scope_id || '' = (SELECT scope_id FROM memories WHERE id = $1)
  ORDER BY row DESC LIMIT 1`;
/** Rows of `memories` as JSON objects by column; no `terms` = as before. */
const rowsSql = 'json_populate_recordset(NULL::memories, $1::json)';
const insertColumns = ['row', ...memoryColumns, 'change', 'terms'].join(', ');
const insertSql = `INSERT INTO memories (${insertColumns}) SELECT ${insertColumns} FROM ${rowsSql} ORDER BY row`;
const updateSql = `UPDATE memories m SET ${[...memoryColumns.slice(1), 'change'].map(it => `${it} = u.${it}`).join(', ')},
    terms = coalesce(u.terms, m.terms)
  FROM ${rowsSql} u WHERE m.id = u.id`;

/** Memories per statement, whose texts are analyzed without yielding: some 50 ms. */
const rowBatchSize = 250;

/** Everything that a write ends with besides the counts of terms. */
const saveSql = `
  WITH line AS (
    INSERT INTO audit (seq, at, action, memory_id, actor, detail, hash)
    SELECT (it ->> 0)::int, it ->> 1, it ->> 2, it ->> 3, it ->> 4, it ->> 5, it ->> 6
    FROM json_array_elements($1::json) AS it),
  counter AS (
    INSERT INTO sequences (scope_id, value) SELECT * FROM unnest($2::text[], $3::int[])
    ON CONFLICT (scope_id) DO UPDATE SET value = excluded.value)
  UPDATE meta SET value = CASE key WHEN 'revision' THEN $4::text ELSE $5::text END
  WHERE key IN ('revision', 'auditHead') RETURNING ${storedVersionSql} AS version`;

interface InitialState {
  readonly revision: number;
  readonly auditHead: string;
}

/**
 * A running write transaction on a PostgreSQL server. Adds an audit line per change, and the revision by which others notice
 * the write. Its first statement waits until the writer before it has ended. After a statement that failed none follows,
 * because the server has rolled back.
 */
export class PostgresTransaction extends TransactionBase {
  /** Whether a memory was deleted. */
  deleted = false;
  /** Undefined before the first change. */
  private newRevision: number | undefined;
  /** Write counters raised by this write, by scopeId. */
  private readonly sequences = new Map<string, number>();
  /** Ids of memories added by this write. */
  private readonly insertedIds = new Set<string>();
  /** Row of the last memory; undefined before the first insert. */
  private lastRow: number | undefined;
  private readonly termCounts = new PostgresTermCounts();
  private initialState: Promise<InitialState> | undefined;
  /** Settles with the statements called so far. */
  private last: Promise<unknown> = Promise.resolve();
  /** Statements of this write: one at a time, and the first one behind the writer before. */
  readonly sql: PostgresSql = {
    all: (...statement) => this.enqueue(sql => sql.all(...statement)),
    get: (...statement) => this.enqueue(sql => sql.get(...statement)),
    run: (...statement) => this.enqueue(sql => sql.run(...statement)),
    exec: statements => this.enqueue(sql => sql.exec(statements)),
  };
  protected readonly logs = new StoreLogs(this.sql, postgresDialect);
  protected readonly edgeTable = postgresEdgeTable(this.sql, this.at);
  /** Lines of the audit log that are written at the end. */
  private readonly auditRows: readonly AuditRow[];

  constructor(
    private readonly connection: PostgresSql,
    private readonly kind: StoreKind,
    actor: string,
    at: string,
  ) {
    const auditRows: AuditRow[] = [];
    const keep = (rows: readonly AuditRow[]): Promise<void> => {
      auditRows.push(...rows);
      return Promise.resolve();
    };
    super(new AuditAppender(actor, at, keep), at);
    this.auditRows = auditRows;
  }

  async getMany(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    return this.read(`${selectMemory} WHERE id = ANY ($1::text[])`, [...ids]);
  }

  findByHash(contentHashes: readonly string[], scopeId: string): Promise<Memory[]> {
    const sql = `${selectMemory} WHERE scope_id = $1 AND content_hash = ANY ($2::text[]) ORDER BY row`;
    return this.read(sql, scopeId, [...contentHashes]);
  }

  async mergeTargetOf(id: string): Promise<Memory | undefined> {
    // The query's UNION, unlike UNION ALL, ends if a memory was merged back.
    return (await this.read(mergeTargetSql, id))[0];
  }

  async nextSequence(scopeId: string): Promise<number> {
    if (!this.sequences.has(scopeId)) {
      const row = await this.sql.get('SELECT value FROM sequences WHERE scope_id = $1', scopeId);
      if (!this.sequences.has(scopeId)) this.sequences.set(scopeId, (row?.value as number | undefined) ?? 0);
    }
    const next = this.sequences.get(scopeId)! + 1;
    this.sequences.set(scopeId, next);
    return next;
  }

  protected async writeChanges(inserts: readonly InsertedMemory[], updates: readonly UpdatedMemory[]): Promise<void> {
    for (let at = 0; at < inserts.length; at += rowBatchSize) await this.insert(inserts.slice(at, at + rowBatchSize));
    for (let at = 0; at < updates.length; at += rowBatchSize)
      await this.writeUpdates(updates.slice(at, at + rowBatchSize));
  }

  private async insert(inserts: readonly InsertedMemory[]): Promise<void> {
    for (const { memory } of inserts) this.insertedIds.add(memory.id);
    const revision = await this.revision();
    const first = await this.reserveRows(inserts.length);
    const indexes = new Map<string, TextIndex>();
    const rows = inserts.map(({ memory }, i) => {
      const index = indexMemoryText(memoryTextOf(memory));
      this.termCounts.addMemory(index, 1);
      indexes.set(memory.id, index);
      return { row: first + i, ...toRowObject(memory, revision, index) };
    });
    await this.sql.run(insertSql, JSON.stringify(rows));
    await insertSaidTerms(this.sql, indexes);
    const vectors = inserts.flatMap(({ memory, vector }) =>
      vector === undefined ? [] : [{ id: memory.id, ...vector }],
    );
    await saveVectorRows(this.sql, vectors);
  }

  private async writeUpdates(updates: readonly UpdatedMemory[]): Promise<void> {
    const revision = await this.revision();
    const rows: object[] = [];
    const [moved, reworded]: [string[], string[]] = [[], []];
    const indexes = new Map<string, TextIndex>();
    for (const { before, memory } of updates) {
      if (before === undefined) continue;
      let index: TextIndex | undefined;
      const [text, textBefore] = [memoryTextOf(memory), memoryTextOf(before)];
      if (!isIndexedAlike(textBefore, text)) {
        index = indexMemoryText(text);
        this.termCounts.addMemory(indexMemoryText(textBefore), -1);
        this.termCounts.addMemory(index, 1);
        indexes.set(memory.id, index);
      }
      rows.push(toRowObject(memory, revision, index));
      if (before.scopeId !== memory.scopeId) moved.push(memory.id);
      // Vectors belong to the old text; the memory is embedded again like any other without a vector.
      if (before.content !== memory.content) reworded.push(memory.id);
    }
    if (rows.length > 0) await this.sql.run(updateSql, JSON.stringify(rows));
    if (indexes.size > 0) {
      await this.sql.run('DELETE FROM said WHERE id = ANY ($1::text[])', [...indexes.keys()]);
      await insertSaidTerms(this.sql, indexes);
    }
    if (moved.length > 0)
      await updatePostgresInDegrees(this.sql, [...moved, ...(await findPostgresNeighbors(this.sql, moved))]);
    if (reworded.length > 0) await this.sql.run('DELETE FROM vectors WHERE id = ANY ($1::text[])', reworded);
  }

  delete(id: string, action: 'prune' | 'purge' | 'move'): Promise<void> {
    return this.deleteMany([id], action);
  }

  /** Deletes memories; only their audit lines remain. */
  async deleteMany(ids: readonly string[], action: 'prune' | 'purge' | 'move'): Promise<void> {
    this.deleted = true;
    await this.revision();
    if (action !== 'move') await this.handOnReplacements(ids);
    const memories = await this.getMany(ids);
    for (const it of memories) this.termCounts.addMemory(indexMemoryText(memoryTextOf(it)), -1);
    for (const it of (await this.aids(ids)).values()) this.termCounts.addAids(it, -1);
    const neighbors = await findPostgresNeighbors(this.sql, ids);
    // Their edges, vectors, search aids and terms go with them.
    await this.sql.run('DELETE FROM memories WHERE id = ANY ($1::text[])', [...ids]);
    await updatePostgresInDegrees(this.sql, neighbors);
    for (const id of ids) {
      await this.deleteRecord('formerText', id);
      this.written.deleteMemory(id, neighbors);
      this.identityMap.delete(id);
      this.audit.add(action, id, {});
    }
  }

  async saveScores(scores: ReadonlyMap<string, number>, version: number): Promise<void> {
    await this.sql.run(
      `UPDATE memories m SET retention_score = scores.score, scoring_version = $3::int
       FROM unnest($1::text[], $2::float8[]) AS scores (id, score) WHERE m.id = scores.id`,
      [...scores.keys()],
      [...scores.values()],
      version,
    );
  }

  setVector(id: string, vector: StoredVector): Promise<void> {
    return this.setVectors(new Map([[id, vector]]));
  }

  /** @param vectors by memory id */
  async setVectors(vectors: ReadonlyMap<string, StoredVector>): Promise<void> {
    const rows = [...vectors].map(([id, vector]) => ({ id, ...vector }));
    for (const it of rows) this.written.setVector(it.id, it);
    await saveVectorRows(this.sql, rows);
    await this.touch([...vectors.keys()]);
  }

  protected async writeAids(id: string, aids: SearchAids, isEdit: boolean): Promise<void> {
    if (isEdit) this.audit.add('edit', id, aidsEdit);
    // Vectors of earlier questions; they are embedded again like any others without a vector.
    if (!this.insertedIds.has(id)) await this.sql.run(dropQuestionVectorsSql, id);
    const before = (await this.aids([id])).get(id);
    if (before !== undefined) this.termCounts.addAids(before, -1);
    if (aids.questions.length === 0 && aids.keywords.length === 0)
      await this.sql.run('DELETE FROM aids WHERE id = $1', id);
    else {
      const written = await this.sql.get(
        `INSERT INTO aids (id, questions, keywords, terms) SELECT id, $2, $3, $4::tsvector FROM memories WHERE id = $1
         ON CONFLICT (id) DO UPDATE SET
           questions = excluded.questions, keywords = excluded.keywords, terms = excluded.terms
         RETURNING id`,
        id,
        JSON.stringify(aids.questions),
        JSON.stringify(aids.keywords),
        toTsvector(aidTerms(aids)),
      );
      if (written !== undefined) this.termCounts.addAids(aids, 1);
    }
    await this.touch([id]);
  }

  /**
   * Writes the counts of terms, the pending audit lines, the head of the log, the write counters and the revision. The last
   * call of every transaction.
   */
  async commitMetadata(): Promise<void> {
    await this.last;
    await this.logDigests();
    await this.termCounts.save(this.sql);
    if (this.audit.isEmpty && !this.changed && this.sequences.size === 0) return;
    const { revision, auditHead } = await this.initial();
    const { head } = this.audit.isEmpty ? { head: auditHead } : await this.audit.flush(auditHead);
    const saved = await this.sql.get(
      saveSql,
      JSON.stringify(this.auditRows),
      [...this.sequences.keys()],
      [...this.sequences.values()],
      String(this.newRevision ?? revision),
      head,
    );
    // Another program may have brought the store to its version while this one waited for its turn.
    requireKnownVersion(saved?.version);
  }

  /** Whether the write makes a new revision. */
  get changed(): boolean {
    return this.newRevision !== undefined;
  }

  async revision(): Promise<number> {
    this.newRevision ??= (await this.initial()).revision + 1;
    return this.newRevision;
  }

  private aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
    return new StoreMemories(this.sql, postgresDialect, this.kind).aids(ids);
  }

  /** Marks memories as written, so that what is derived from them is renewed. */
  private async touch(ids: readonly string[]): Promise<void> {
    const revision = await this.revision();
    await this.sql.run('UPDATE memories SET change = $2::int WHERE id = ANY ($1::text[])', [...ids], revision);
  }

  /** Reserves rows for new memories. @returns the first of them */
  private async reserveRows(count: number): Promise<number> {
    if (this.lastRow === undefined) {
      const last = await this.sql.get('SELECT coalesce(max(row), 0) AS row FROM memories');
      this.lastRow ??= last!.row as number;
    }
    this.lastRow += count;
    return this.lastRow - count + 1;
  }

  /** Reads memories and remembers their current state. */
  private async read(sql: string, ...values: readonly unknown[]): Promise<Memory[]> {
    const memories = (await this.sql.all(sql, ...values)).map(it => fromPostgres(it, this.kind));
    for (const it of memories) this.identityMap.set(it.id, it);
    return memories;
  }

  /** State of the store at the start of this write. */
  private initial(): Promise<InitialState> {
    return (this.initialState ??= this.lock());
  }

  /** Waits for the writer before, and keeps others out until the end. Every writer locks the rows in this order. */
  private async lock(): Promise<InitialState> {
    const rows = await this.connection.all(
      `SELECT key, value, ${storedVersionSql} AS version FROM meta WHERE key IN ('revision', 'auditHead') ORDER BY key DESC FOR UPDATE`,
    );
    requireKnownVersion(rows[0]?.version);
    const values = new Map(rows.map(it => [it.key, it.value as string]));
    return { revision: Number(values.get('revision')), auditHead: values.get('auditHead') ?? '' };
  }

  private enqueue<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    const before = this.last;
    const result = this.initial().then(async () => {
      await before;
      return work(this.connection);
    });
    this.last = result;
    // Whatever waits for it gets the error, at the latest commitMetadata.
    result.catch(() => undefined);
    return result;
  }
}

/** @param index undefined where the words are the same as before */
function toRowObject(memory: NewMemory, revision: number, index: TextIndex | undefined): object {
  const values = toMemoryRow(memory);
  const row: Record<string, unknown> = { change: revision };
  for (const [i, column] of memoryColumns.entries()) row[column] = toWellFormed(values[i]!);
  return index === undefined ? row : { ...row, terms: index.terms };
}

/** Without halves of characters, such as a text that was cut may end in: the server accepts none in JSON. */
function toWellFormed<T>(value: T): T | string {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : value;
}
