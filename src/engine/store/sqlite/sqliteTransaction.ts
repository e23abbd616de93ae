import type { AuditAction } from '../../model/change.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import { auditHash, auditHead } from '../../security/audit.js';
import { terms } from '../../text/terms.js';
import type { NewMemory, StoredVector, StoreTransaction } from '../store.js';
import type { Sql } from './database.js';
import { meta, setMeta } from './meta.js';
import { columns, toMemory, toRow } from './rows.js';

const written = [...columns, 'change'];
const insertSql = `INSERT INTO memories (${written.join(', ')}) VALUES (${written.map(() => '?').join(', ')})`;
const updateSql = `UPDATE memories SET ${written.map(it => `${it} = ?`).join(', ')} WHERE id = ?`;

/** One write under way. Every change leaves its audit line, and the revision that others notice it by. */
export class SqliteTransaction implements StoreTransaction {
  /** The revision this write makes; undefined while nothing has changed. */
  private newRevision: number | undefined;
  /** Whether a memory was deleted. */
  deleted = false;
  private head: { seq: number; hash: string } | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly kind: StoreKind,
    private readonly actor: string,
    private readonly at: string,
  ) {}

  async get(id: string): Promise<Memory | undefined> {
    const row = await this.sql.get('SELECT * FROM memories WHERE id = ?', id);
    return row && toMemory(row, this.kind);
  }

  async byFact(contentHash: string, scopeId: string): Promise<Memory | undefined> {
    const sql = 'SELECT * FROM memories WHERE scope_id = ? AND content_hash = ?';
    const row = await this.sql.get(sql, scopeId, contentHash);
    return row && toMemory(row, this.kind);
  }

  async nextSequence(scopeId: string): Promise<number> {
    const sql = `INSERT INTO sequences VALUES (?, 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`;
    return (await this.sql.get(sql, scopeId))!.value as number;
  }

  async insert(memory: NewMemory, vector?: StoredVector): Promise<Memory> {
    await this.sql.run(insertSql, ...toRow(memory), await this.revision());
    await this.index(memory);
    await this.append('create', memory.id, { contentHash: memory.contentHash, lane: memory.lane });
    if (vector !== undefined) await this.setVector(memory.id, vector);
    return { ...memory, store: this.kind };
  }

  async update(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const before = await this.get(memory.id);
    await this.sql.run(updateSql, ...toRow(memory), await this.revision(), memory.id);
    if (before !== undefined && indexedText(before) !== indexedText(memory)) {
      await this.unindex(memory.id);
      await this.index(memory);
    }
    await this.append(action, memory.id, detail);
  }

  async delete(id: string, action: 'prune' | 'purge'): Promise<void> {
    this.deleted = true;
    await this.unindex(id);
    const row = 'SELECT row FROM memories WHERE id = ?';
    await this.sql.run(
      `INSERT OR REPLACE INTO removed (row, change) SELECT row, ? FROM memories WHERE id = ?`,
      await this.revision(),
      id,
    );
    await this.sql.run(`DELETE FROM vectors WHERE row = (${row})`, id);
    await this.sql.run('DELETE FROM memories WHERE id = ?', id);
    await this.append(action, id, {});
  }

  async setVector(id: string, { model, vector }: StoredVector): Promise<void> {
    await this.sql.run('INSERT OR IGNORE INTO models (id) VALUES (?)', model);
    await this.sql.run(
      `INSERT OR REPLACE INTO vectors (model, row, vector)
       SELECT (SELECT number FROM models WHERE id = ?), row, ? FROM memories WHERE id = ?`,
      model,
      new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      id,
    );
    await this.sql.run('UPDATE memories SET change = ? WHERE id = ?', await this.revision(), id);
  }

  async log(action: AuditAction, detail: Readonly<Record<string, unknown>>): Promise<void> {
    await this.append(action, undefined, detail);
  }

  /** One line per recall, not per memory: which ones were read is in its detail. */
  async logRead(traceId: string, ids: readonly string[]): Promise<void> {
    await this.append('read', undefined, { trace: traceId, ids });
  }

  /** Writes the revision and the chain's head; last in every transaction. */
  async finish(): Promise<void> {
    if (this.head !== undefined) await setMeta(this.sql, 'auditHead', auditHead(this.head));
    if (this.newRevision !== undefined) await setMeta(this.sql, 'revision', String(this.newRevision));
  }

  private async revision(): Promise<number> {
    this.newRevision ??= Number(await meta(this.sql, 'revision')) + 1;
    return this.newRevision;
  }

  private async append(
    action: AuditAction,
    memoryId: string | undefined,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (this.head === undefined) {
      const [seq = '0', hash = ''] = (await meta(this.sql, 'auditHead')).split(':');
      this.head = { seq: Number(seq), hash };
    }
    const entry = {
      seq: this.head.seq + 1,
      at: this.at,
      action,
      memoryId,
      actor: this.actor,
      detail: JSON.stringify(detail),
    };
    const hash = auditHash(this.head.hash, entry);
    const sql = 'INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)';
    await this.sql.run(sql, entry.seq, entry.at, action, memoryId ?? null, this.actor, entry.detail, hash);
    this.head = { seq: entry.seq, hash };
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
