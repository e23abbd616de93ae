import { parseObject } from '../../database/jsonColumns.js';
import type { AuditAction } from '../../model/auditAction.js';
import type { CountedItems } from '../../model/maintenance.js';
import type { Trace } from '../../model/trace.js';
import { aidsEdit, toShownDetail } from '../audit.js';
import type { HistoryLine, RecordKind, StoreRecord } from '../store.js';
import { decodeTrace } from '../traceCodec.js';
import type { SharedSql, SqlDialect } from './sharedSql.js';

/** Beyond it no log has a line. */
const maxSequenceDigits = 9;

/** The audit log, records and traces of a store in either database. Methods as of the ports in store.ts. */
export class StoreLogs {
  constructor(
    private readonly sql: SharedSql,
    private readonly dialect: SqlDialect,
  ) {}

  /** The audit log of a memory, oldest first. */
  async history(memoryId: string): Promise<HistoryLine[]> {
    const rows = await this.sql.all(
      `SELECT at, action, actor, detail FROM audit WHERE memory_id = ${this.dialect.text(1)} ORDER BY seq`,
      memoryId,
    );
    return rows.map(toHistoryLine);
  }

  /** The audit log from a moment on, oldest first. */
  async auditLog(since: string): Promise<(HistoryLine & { readonly memoryId?: string })[]> {
    const rows = await this.sql.all(
      `SELECT at, action, memory_id, actor, detail FROM audit
       WHERE at >= ${this.dialect.text(1)} AND action <> 'digest' ORDER BY seq`,
      since,
    );
    return rows.map(it => ({
      ...toHistoryLine(it),
      ...(it.memory_id === null ? {} : { memoryId: it.memory_id as string }),
    }));
  }

  async auditHead(): Promise<string> {
    const row = await this.sql.get("SELECT value FROM meta WHERE key = 'auditHead'");
    return (row?.value as string | undefined) ?? '';
  }

  /** When something was last written; undefined where nothing was. */
  async lastChangeAt(): Promise<string | undefined> {
    const row = await this.sql.get('SELECT at FROM audit ORDER BY seq DESC LIMIT 1');
    return row?.at as string | undefined;
  }

  /** Whether the log holds the entry that once was its head. */
  async hasAuditHead(head: string): Promise<boolean> {
    const [seq = '', hash] = head.split(':');
    if (hash === undefined) return true;
    if (!/^\d+$/u.test(seq) || seq.length > maxSequenceDigits) return false;
    const row = await this.sql.get(
      `SELECT 1 AS found FROM audit WHERE seq = ${this.dialect.integer(1)} AND hash = ${this.dialect.text(2)}`,
      Number(seq),
      hash,
    );
    return row !== undefined;
  }

  /** Ids of the memories whose search aids were edited. */
  async editedAids(memoryIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.sql.all(
      `SELECT memory_id, detail FROM audit WHERE ${this.dialect.isIn('memory_id', this.dialect.text(1))} AND action = 'edit'`,
      JSON.stringify(memoryIds),
    );
    const ofAids = rows.filter(it => {
      const { change } = (parseObject(it.detail as string) ?? {}) as { change?: unknown };
      return change === aidsEdit.change;
    });
    return [...new Set(ofAids.map(it => it.memory_id as string))];
  }

  /**
   * Counts what was created, archived and deleted after an entry, by UTC day; in the whole log where it has no such entry.
   * What came from another store was created there, and what went to one is not deleted.
   */
  async countItems(afterHead: string): Promise<CountedItems> {
    const from = afterHead !== '' && (await this.hasAuditHead(afterHead)) ? Number.parseInt(afterHead, 10) : 0;
    const head = await this.auditHead();
    const { count, field, integer } = this.dialect;
    const rows = await this.sql.all(
      `SELECT substr(at, 1, 10) AS day,
         ${count(`action = 'create' AND ${field('detail', 'moved')} IS NULL`)} AS created,
         ${count("action = 'archive'")} AS archived, ${count("action IN ('prune', 'purge')")} AS deleted
       FROM audit
       WHERE seq > ${integer(1)} AND seq <= ${integer(2)} AND action IN ('create', 'archive', 'prune', 'purge')
       GROUP BY day ORDER BY day`,
      from,
      Number.parseInt(head, 10) || 0,
    );
    const days = rows.map(({ day, created, archived, deleted }) => [day, { created, archived, deleted }] as const);
    return { isWhole: from === 0, head, days: Object.fromEntries(days) as CountedItems['days'] };
  }

  /** Newest first. */
  async records<T>(kind: RecordKind, limit: number): Promise<StoreRecord<T>[]> {
    const { text, integer, byBytes } = this.dialect;
    const rows = await this.sql.all(
      `SELECT id, at, body FROM records WHERE kind = ${text(1)} ORDER BY at DESC, ${byBytes('id')} DESC LIMIT ${integer(2)}`,
      kind,
      limit,
    );
    return rows.flatMap(it => toRecord<T>(it) ?? []);
  }

  async record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    const { text } = this.dialect;
    const row = await this.sql.get(
      `SELECT id, at, body FROM records WHERE kind = ${text(1)} AND id = ${text(2)}`,
      kind,
      id,
    );
    return row && toRecord<T>(row);
  }

  async putRecord(kind: RecordKind, id: string, body: unknown, at: string): Promise<void> {
    const { text } = this.dialect;
    await this.sql.run(
      `INSERT INTO records (kind, id, at, body) VALUES (${text(1)}, ${text(2)}, ${text(3)}, ${text(4)})
       ON CONFLICT (kind, id) DO UPDATE SET at = excluded.at, body = excluded.body`,
      kind,
      id,
      at,
      JSON.stringify(body),
    );
  }

  async deleteRecord(kind: RecordKind, id: string): Promise<void> {
    const { text } = this.dialect;
    await this.sql.run(`DELETE FROM records WHERE kind = ${text(1)} AND id = ${text(2)}`, kind, id);
  }

  /** Newest first, without damaged ones. */
  async traces(limit: number): Promise<Trace[]> {
    const rows = await this.sql.all(
      `SELECT trace FROM traces ORDER BY id DESC LIMIT ${this.dialect.integer(1)}`,
      limit,
    );
    return rows.flatMap(it => decodeTrace(it.trace as string) ?? []);
  }

  async trace(id: string): Promise<Trace | undefined> {
    const row = await this.sql.get(`SELECT trace FROM traces WHERE id = ${this.dialect.text(1)}`, id);
    return row && decodeTrace(row.trace as string);
  }

  /** Deletes the oldest traces beyond `keep`. Their ids are UUIDv7: the order is their age. */
  async pruneTraces(keep: number): Promise<void> {
    await this.sql.run(
      `DELETE FROM traces WHERE id <= (SELECT id FROM traces ORDER BY id DESC LIMIT 1 OFFSET ${this.dialect.integer(1)})`,
      keep,
    );
  }
}

function toHistoryLine(row: Readonly<Record<string, unknown>>): HistoryLine {
  return {
    at: row.at as string,
    action: row.action as AuditAction,
    actor: row.actor as string,
    detail: toShownDetail(row.detail as string),
  };
}

/** @param row with `id`, `at` and `body` */
function toRecord<T>(row: Readonly<Record<string, unknown>>): StoreRecord<T> | undefined {
  const body = parseObject(row.body as string) as T | undefined;
  return body && { id: row.id as string, at: row.at as string, body };
}
