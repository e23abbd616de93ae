import type { AuditAction, StoreReport } from '../../model/change.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import type { GroupCount } from '../../model/query.js';
import type { Trace } from '../../model/trace.js';
import { auditHash, auditHead } from '../../security/audit.js';
import { terms } from '../../text/terms.js';
import type { LexicalHit, NewMemory, Store, StoreFilter, StoreTransaction, UsageFlush } from '../store.js';
import type { BackupPolicy } from './backups.js';
import type { Database, Row, Sql } from './database.js';
import { filterSql } from './filterSql.js';
import { inspect } from './inspect.js';
import { meta, setMeta } from './meta.js';
import { columns, toMemory, toRow } from './rows.js';

const pageSize = 1_000;
const insertSql = `INSERT INTO memories (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
const updateSql = `UPDATE memories SET ${columns.map(it => `${it} = ?`).join(', ')} WHERE id = ?`;

/** A store in one SQLite file. */
export class SqliteStore implements Store {
  constructor(
    readonly kind: StoreKind,
    private readonly database: Database,
    private readonly backups: BackupPolicy,
    readonly notices: readonly string[],
    private readonly now: () => Date,
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
    const sql = 'SELECT * FROM memories WHERE id IN (SELECT value FROM json_each(?))';
    return this.memories(await this.database.read.all(sql, JSON.stringify(ids)));
  }

  async resolve(reference: string): Promise<string[]> {
    const sql = 'SELECT id FROM memories WHERE id = ? OR substr(id, -8) = ? LIMIT 3';
    const rows = await this.database.read.all(sql, reference, reference);
    return rows.map(it => it.id as string);
  }

  async list(filter: StoreFilter, page: { limit: number; offset: number }): Promise<Memory[]> {
    const { where, params } = filterSql(filter);
    const sql = `SELECT m.* FROM memories m WHERE ${where} ORDER BY m.created_at DESC, m.id DESC LIMIT ? OFFSET ?`;
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

  async searchText(words: readonly string[], filter: StoreFilter, limit: number): Promise<LexicalHit[]> {
    if (words.length === 0) return [];
    const { where, params } = filterSql(filter);
    const rows = await this.database.read.all(
      `SELECT m.*, -bm25(memory_terms) AS score FROM memory_terms JOIN memories m ON m.row = memory_terms.rowid
       WHERE memory_terms MATCH ? AND ${where} ORDER BY score DESC, m.id DESC LIMIT ?`,
      words.map(quoted).join(' OR '),
      ...params,
      limit,
    );
    return rows.map(row => ({ memory: toMemory(row, this.kind), score: row.score as number }));
  }

  async *all(): AsyncIterable<readonly Memory[]> {
    let after = 0;
    for (;;) {
      const sql = 'SELECT * FROM memories WHERE row > ? ORDER BY row LIMIT ?';
      const rows = await this.database.read.all(sql, after, pageSize);
      if (rows.length === 0) return;
      yield this.memories(rows);
      after = rows.at(-1)!.row as number;
    }
  }

  async traces(limit: number): Promise<Trace[]> {
    const rows = await this.database.read.all('SELECT trace FROM traces ORDER BY id DESC LIMIT ?', limit);
    return rows.map(it => JSON.parse(it.trace as string) as Trace);
  }

  async trace(id: string): Promise<Trace | undefined> {
    const row = await this.database.read.get('SELECT trace FROM traces WHERE id = ?', id);
    return row && (JSON.parse(row.trace as string) as Trace);
  }

  async write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    await this.backups.beforeWrite();
    return this.database.write(async sql => {
      const tx = new SqliteTransaction(sql, this.kind, actor, this.now().toISOString());
      const result = await work(tx);
      await tx.finish();
      return result;
    });
  }

  async flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]> {
    return this.database.write(async sql => {
      const tx = new SqliteTransaction(sql, this.kind, actor, usage.at);
      const restored: string[] = [];
      for (const [id, count] of usage.accessed) {
        await sql.run(
          'UPDATE memories SET access_count = access_count + ?, accessed_at = ? WHERE id = ?',
          count,
          usage.at,
          id,
        );
        const memory = await tx.get(id);
        if (memory?.status !== 'archived' || memory.archiveReason === 'forgotten') continue;
        await tx.update(activated(memory, usage.at), 'restore', { because: 'recalled' });
        restored.push(id);
      }
      for (const trace of usage.traces) {
        await sql.run('INSERT OR REPLACE INTO traces VALUES (?, ?, ?)', trace.id, trace.at, JSON.stringify(trace));
        const returned = trace.candidates.filter(it => it.outcome === 'returned' && it.store === this.kind);
        if (returned.length > 0)
          await tx.logRead(
            trace.id,
            returned.map(it => it.id),
          );
      }
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

  close(): Promise<void> {
    return this.database.close();
  }

  private memories(rows: readonly Row[]): Memory[] {
    return rows.map(it => toMemory(it, this.kind));
  }
}

class SqliteTransaction implements StoreTransaction {
  private changed = false;
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

  async insert(memory: NewMemory): Promise<Memory> {
    await this.sql.run(insertSql, ...toRow(memory));
    await this.index(memory);
    await this.append('create', memory.id, { contentHash: memory.contentHash, lane: memory.lane });
    this.changed = true;
    return { ...memory, store: this.kind };
  }

  async update(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const before = await this.get(memory.id);
    await this.sql.run(updateSql, ...toRow(memory), memory.id);
    if (before !== undefined && indexedText(before) !== indexedText(memory)) {
      await this.unindex(memory.id);
      await this.index(memory);
    }
    await this.append(action, memory.id, detail);
    this.changed = true;
  }

  async delete(id: string, action: 'prune' | 'purge'): Promise<void> {
    await this.unindex(id);
    await this.sql.run('DELETE FROM memories WHERE id = ?', id);
    await this.append(action, id, {});
    this.changed = true;
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
    if (this.changed) await this.sql.run("UPDATE meta SET value = value + 1 WHERE key = 'revision'");
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

/** A memory made active again; its time of fading starts anew. */
export function activated(memory: Memory, at: string): Memory {
  const { archivedAt, archiveReason, ...rest } = memory;
  return { ...rest, status: 'active', updatedAt: at };
}

function indexedText(memory: Pick<Memory, 'content' | 'tags'>): string {
  return [memory.content, ...memory.tags].join('\n');
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
