import type { AuditAction } from '../../model/change.js';
import type { EdgeType, NewEdge } from '../../model/edge.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import { terms } from '../../text/terms.js';
import type { Change, NewMemory, RecordKind, StoredVector, StoreRecord, StoreTransaction } from '../store.js';
import { AuditLines } from './auditLines.js';
import { edgesOf, insertEdges, isSettled, removeEdge, removeEdgesOf, settleEdge } from './edges.js';
import { insertRows } from './insertRows.js';
import type { Sql, SqlValue } from './database.js';
import { sequenceOf, setMeta, writeState, type WriteState } from './meta.js';
import { deleteRecord, putRecord, record } from './records.js';
import { columns, memoryOf, memoryText, toRow } from './rows.js';
import { saveScores } from './upkeep.js';

const written = [...columns, 'change'];
const getSql = `SELECT ${memoryText()} AS memory FROM memories WHERE id = ?`;
const getAllSql = `SELECT ${memoryText()} AS memory FROM memories WHERE id IN (SELECT value FROM json_each(?))`;
// What was just written is few: a plus keeps SQLite from going through all active memories of the set, or all there are.
export const writtenSinceSql = `SELECT ${memoryText()} AS memory FROM memories
  WHERE change > ? AND +scope_id = ? AND +status = 'active' ORDER BY +row DESC LIMIT ?`;
const byFactsSql = `SELECT ${memoryText()} AS memory FROM memories
  WHERE scope_id = ? AND content_hash IN (SELECT value FROM json_each(?)) ORDER BY row`;
const mergedIntoSql = `
  WITH RECURSIVE made(row) AS (
    SELECT e.source FROM edges e JOIN memories m ON m.row = e.target WHERE m.id = ? AND e.type = 'derived_from'
    UNION SELECT e.source FROM edges e JOIN made ON e.target = made.row WHERE e.type = 'derived_from')
  SELECT ${memoryText()} AS memory FROM memories
  WHERE row IN made AND coalesce(archive_reason, '') <> 'merged' ORDER BY row DESC LIMIT 1`;
/** Named by its models, because a table of vectors is found by model and row. */
export const dropVectorsSql = `DELETE FROM vectors
  WHERE model IN (SELECT number FROM models) AND row = (SELECT row FROM memories WHERE id = ?)`;

/** A new memory as it is to be written. */
interface Added {
  readonly memory: NewMemory;
  readonly vector: StoredVector | undefined;
}

/** A memory as it was and as it is to be written. */
interface Changed {
  readonly before: NewMemory | undefined;
  readonly memory: NewMemory;
}

/** What the driver takes to hand out a statement, it takes while another one runs; more at once only wait. */
const updatesAtOnce = 4;

/** One write under way. Every change leaves its audit line, and the revision that others notice it by. */
export class SqliteTransaction implements StoreTransaction {
  private stood: Promise<WriteState> | undefined;
  /** The revision this write makes; undefined while nothing has changed. */
  private newRevision: number | undefined;
  /** Whether a memory was deleted. */
  deleted = false;
  /** By scopeId: the write counters that this write has raised. */
  private readonly sequences = new Map<string, number>();
  /** Models that this write has named. */
  private readonly models = new Map<string, number>();
  /** Memories that this write has added. */
  private readonly added = new Set<string>();
  /** The row of the last of them. */
  private lastRow: number | undefined;
  /** By id: memories as they are now, as far as this write has seen them. */
  private readonly seen = new Map<string, NewMemory>();
  private readonly lines: AuditLines;
  /** New rows and edges that the driver has been handed. */
  private underWay = Promise.resolve();
  /** Waits for what is under way, and so finds all that this write has added. */
  private readonly sql: Sql = {
    all: (...statement) => this.underWay.then(() => this.beside.all(...statement)),
    get: (...statement) => this.underWay.then(() => this.beside.get(...statement)),
    run: (...statement) => this.underWay.then(() => this.beside.run(...statement)),
  };

  constructor(
    /** For what has nothing to do with rows that are under way. */
    private readonly beside: Sql,
    private readonly kind: StoreKind,
    actor: string,
    private readonly at: string,
  ) {
    this.lines = new AuditLines(actor, at);
  }

  async get(id: string): Promise<Memory | undefined> {
    return (await this.read(getSql, id))[0];
  }

  async getAll(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    return this.read(getAllSql, JSON.stringify(ids));
  }

  async writtenSince(revision: number, scopeId: string, limit: number): Promise<Memory[]> {
    if ((await this.stand(scopeId)).revision <= revision) return [];
    return this.read(writtenSinceSql, revision, scopeId, limit);
  }

  byFacts(contentHashes: readonly string[], scopeId: string): Promise<Memory[]> {
    return this.read(byFactsSql, scopeId, JSON.stringify(contentHashes));
  }

  async mergedInto(id: string): Promise<Memory | undefined> {
    // UNION, not UNION ALL: it ends where one was merged back.
    return (await this.read(mergedIntoSql, id))[0];
  }

  async nextSequence(scopeId: string): Promise<number> {
    const stood = await this.stand(scopeId);
    const ofFile = stood.scopeId === scopeId ? stood.sequence : undefined;
    const last = this.sequences.get(scopeId) ?? ofFile ?? (await sequenceOf(this.beside, scopeId));
    this.sequences.set(scopeId, last + 1);
    return last + 1;
  }

  insertAll(memories: readonly NewMemory[], vectors: readonly (StoredVector | undefined)[] = []): Promise<void> {
    return this.apply(memories.map((memory, i) => ({ does: 'insert', memory, vector: vectors[i] })));
  }

  update(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return this.apply([{ does: 'update', memory, action, detail }]);
  }

  async apply(changes: readonly Change[]): Promise<void> {
    const added: Added[] = [];
    /** Where in `added` a memory stands. */
    const places = new Map<string, number>();
    const changed = new Map<string, Changed>();
    for (const change of changes) {
      const { memory } = change;
      const { id } = memory;
      if (change.does === 'insert') {
        this.lines.add('create', id, { contentHash: memory.contentHash, lane: memory.lane });
        places.set(id, added.push({ memory, vector: change.vector }) - 1);
        this.added.add(id);
      } else {
        const before = this.seen.get(id) ?? (await this.get(id));
        // What the curve of a memory's past is drawn from.
        const moved = before !== undefined && before.confidence !== memory.confidence;
        const confidence = { from: before?.confidence, to: memory.confidence };
        this.lines.add(change.action, id, moved ? { ...change.detail, confidence } : change.detail);
        const place = places.get(id);
        if (place === undefined) changed.set(id, { before: changed.get(id)?.before ?? before, memory });
        else {
          const { vector } = added[place]!;
          added[place] = { memory, vector: before?.content === memory.content ? vector : undefined };
        }
      }
      this.seen.set(id, memory);
    }
    if (added.length > 0) await this.writeAdded(added);
    if (changes.length > 0) this.lines.begin(this.beside, (await this.stand()).auditHead);
    const left = [...changed.values()];
    while (left.length > 0) await Promise.all(left.splice(0, updatesAtOnce).map(it => this.writeChanged(it)));
  }

  private async writeAdded(added: readonly Added[]): Promise<void> {
    await this.underWay;
    const revision = await this.revision();
    const { lastRow } = await this.stand();
    const last = this.lastRow ?? lastRow;
    this.lastRow = last + added.length;
    const rows: SqlValue[][] = [];
    const indexed: SqlValue[][] = [];
    const embedded: SqlValue[][] = [];
    for (const [i, { memory, vector }] of added.entries()) {
      const row = last + 1 + i;
      rows.push([row, ...toRow(memory), revision]);
      indexed.push([row, terms(indexedText(memory)).join(' ')]);
      if (vector !== undefined) embedded.push([await this.modelNumber(vector.model), row, bytesOf(vector.vector)]);
    }
    // None needs another one's rows: what the driver takes to hand out a statement, it takes while another one runs.
    this.handOver(() => [
      insertRows(this.beside, `memories (row, ${written.join(', ')})`, rows),
      insertRows(this.beside, 'memory_terms (rowid, terms)', indexed),
      insertRows(this.beside, 'vectors (model, row, vector)', embedded),
    ]);
  }

  private async writeChanged({ before, memory }: Changed): Promise<void> {
    // SQLite writes every index anew whose columns are named, changed or not.
    const [row, rowBefore] = [toRow(memory), before && toRow(before)];
    const changed = columns.filter((_, i) => row[i] !== rowBefore?.[i]);
    await (this.added.has(memory.id) ? this.sql : this.beside).run(
      `UPDATE memories SET ${[...changed, 'change'].map(it => `${it} = ?`).join(', ')} WHERE id = ?`,
      ...row.filter((it, i) => it !== rowBefore?.[i]),
      await this.revision(),
      memory.id,
    );
    if (before !== undefined && indexedText(before) !== indexedText(memory)) {
      await this.unindex(memory.id);
      await this.index(memory);
    }
    if (before !== undefined && before.content !== memory.content) {
      // It would be found by what it said before; it is embedded anew like any other without a vector.
      await this.sql.run(dropVectorsSql, memory.id);
    }
  }

  async delete(id: string, action: 'prune' | 'purge'): Promise<void> {
    this.deleted = true;
    await this.unindex(id);
    await this.sql.run(
      `INSERT OR REPLACE INTO removed (row, change) SELECT row, ? FROM memories WHERE id = ?`,
      await this.revision(),
      id,
    );
    await removeEdgesOf(this.sql, id);
    await this.sql.run(dropVectorsSql, id);
    await this.sql.run('DELETE FROM memories WHERE id = ?', id);
    this.seen.delete(id);
    this.lines.add(action, id, {});
  }

  saveScores(scores: ReadonlyMap<string, number>, version: number): Promise<void> {
    return saveScores(this.sql, scores, version);
  }

  async link(edges: readonly NewEdge[]): Promise<void> {
    if (edges.length === 0) return;
    await this.revision();
    // What is merely related is found anew at any time, and is most of what is linked: it leaves no line.
    const told = edges.filter(it => it.type !== 'relates_to');
    for (const { source, type, target, strength } of told) this.lines.add('link', source, { type, target, strength });
    this.handOver(() => [insertEdges(this.beside, edges, this.at)]);
  }

  async unlink(source: string, target: string, type: EdgeType): Promise<void> {
    await this.revision();
    await removeEdge(this.sql, source, target, type);
    this.lines.add('link', source, { type, target, removed: true });
  }

  isSettled(one: string, other: string): Promise<boolean> {
    return isSettled(this.sql, one, other);
  }

  async settle(one: string, other: string): Promise<void> {
    await this.revision();
    await settleEdge(this.sql, one, other, this.at);
    this.lines.add('settle', one, { other });
  }

  async supersede(winner: string, loser: string): Promise<void> {
    const memory = await this.get(loser);
    if (memory === undefined) return;
    const reason = 'A person replaced the one by the other.';
    await insertEdges(this.sql, [{ source: winner, target: loser, type: 'supersedes', strength: 1, reason }], this.at);
    await settleEdge(this.sql, winner, loser, this.at);
    await this.update({ ...memory, status: 'superseded', updatedAt: this.at }, 'supersede', { by: winner });
  }

  async reopen(one: string, other: string): Promise<void> {
    await this.revision();
    await removeEdge(this.sql, one, other, 'supersedes');
    await removeEdge(this.sql, other, one, 'supersedes');
    await settleEdge(this.sql, one, other, undefined);
    this.lines.add('settle', one, { other, undone: true });
  }

  async reinstate(id: string): Promise<void> {
    const memory = await this.get(id);
    if (memory === undefined) return;
    const edges = await edgesOf(this.sql, [id], ['supersedes']);
    for (const { source } of edges.filter(it => it.target === id)) await this.reopen(source, id);
    await this.update({ ...memory, status: 'active', updatedAt: this.at }, 'restore', {});
  }

  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    return record<T>(this.sql, kind, id);
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
      bytesOf(vector),
      id,
    );
    await this.sql.run('UPDATE memories SET change = ? WHERE id = ?', await this.revision(), id);
  }

  log(action: AuditAction, detail: Readonly<Record<string, unknown>>): Promise<void> {
    this.lines.add(action, undefined, detail);
    return Promise.resolve();
  }

  /** A line for each of several memories. */
  logEach(action: AuditAction, lines: readonly (readonly [id: string, detail: object])[]): void {
    for (const [id, detail] of lines) this.lines.add(action, id, detail);
  }

  /** One line per recall, not per memory: which ones were read is in its detail. */
  logReads(recalls: readonly { readonly trace: string; readonly ids: readonly string[] }[]): void {
    for (const recall of recalls) this.lines.add('read', undefined, { ...recall });
  }

  /** Writes the audit log's new lines, its head, the write counters and the revision; last in every transaction. */
  async finish(): Promise<void> {
    await Promise.all([this.underWay, this.writeSequences(), this.lengthenAuditLog()]);
  }

  /** Begins what needs the rows handed over before, and whose own rows others wait for. */
  private handOver(begin: () => readonly Promise<void>[]): void {
    this.underWay = this.underWay.then(async () => {
      await Promise.all(begin());
    });
    // Who waits for it learns of its failure; the last to wait is what ends the write.
    this.underWay.catch(() => undefined);
  }

  private async writeSequences(): Promise<void> {
    if (this.sequences.size === 0) return;
    await this.beside.run(
      'INSERT OR REPLACE INTO sequences SELECT key, value FROM json_each(?)',
      JSON.stringify(Object.fromEntries(this.sequences)),
    );
  }

  /** For a log that was emptied: the next line is its first. */
  beginAuditLogAnew(): void {
    this.lines.beginAnew();
  }

  /** Whether it makes a revision that others have to notice. */
  get changed(): boolean {
    return this.newRevision !== undefined;
  }

  /** The revision that this write makes. */
  async revision(): Promise<number> {
    this.newRevision ??= (await this.stand()).revision + 1;
    return this.newRevision;
  }

  /** Where the file stood when this write began. @param scopeId whose write counter is wanted, if it is the first call */
  private stand(scopeId?: string): Promise<WriteState> {
    return (this.stood ??= writeState(this.beside, scopeId));
  }

  /** Memories as they are now. */
  private async read(sql: string, ...params: readonly SqlValue[]): Promise<Memory[]> {
    const memories = (await this.sql.all(sql, ...params)).map(it => memoryOf(it, this.kind));
    for (const it of memories) this.seen.set(it.id, it);
    return memories;
  }

  /** With its head and the revision, so that neither is there without the other. */
  private async lengthenAuditLog(): Promise<void> {
    if (this.lines.isEmpty && !this.changed) return;
    const { auditHead } = await this.stand();
    const { head, written } = this.lines.isEmpty
      ? { head: auditHead, written: undefined }
      : await this.lines.end(this.beside, auditHead);
    const moved = setMeta(this.beside, {
      ...(head === auditHead ? {} : { auditHead: head }),
      ...(this.newRevision === undefined ? {} : { revision: String(this.newRevision) }),
    });
    await Promise.all([written, moved]);
  }

  /** What a model is called in `vectors`. */
  private async modelNumber(model: string): Promise<number> {
    const known = this.models.get(model) ?? (await this.stand()).models[model];
    if (known !== undefined) return known;
    const made = await this.beside.get('INSERT INTO models (id) VALUES (?) RETURNING number', model);
    const number = made!.number as number;
    this.models.set(model, number);
    return number;
  }

  private async index(memory: Pick<Memory, 'id' | 'content' | 'tags'>): Promise<void> {
    const sql = 'INSERT INTO memory_terms (rowid, terms) SELECT row, ? FROM memories WHERE id = ?';
    await this.sql.run(sql, terms(indexedText(memory)).join(' '), memory.id);
  }

  private async unindex(id: string): Promise<void> {
    await this.sql.run('DELETE FROM memory_terms WHERE rowid = (SELECT row FROM memories WHERE id = ?)', id);
  }
}

function indexedText(memory: Pick<Memory, 'content' | 'tags'>): string {
  return [memory.content, ...memory.tags].join('\n');
}

function bytesOf(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
