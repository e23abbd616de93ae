import { EngineError } from '../../base/errors.js';
import type { PostgresRow } from '../../database/postgres/postgresConnection.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { parseObject } from '../../database/jsonColumns.js';
import type { AuditAction } from '../../model/auditAction.js';
import type { CountedItems } from '../../model/maintenance.js';
import type { Trace, TraceFilter, TraceSummary } from '../../model/trace.js';
import { toShownDetail } from '../audit.js';
import type { HistoryLine, RecordKind, StoreRecord } from '../store.js';
import { decodeTrace, toTraceSummary } from '../traceCodec.js';
import { readableJsonSql } from './postgresRows.js';

/** Reads what is kept besides memories: the audit log, records and traces. Methods as of the ports in store.ts. */
export class PostgresLogs {
  constructor(private readonly sql: PostgresSql) {}

  async history(memoryId: string): Promise<HistoryLine[]> {
    const rows = await this.sql.all(
      'SELECT at, action, actor, detail FROM audit WHERE memory_id = $1 ORDER BY seq',
      memoryId,
    );
    return rows.map(toHistoryLine);
  }

  async auditLog(since: string): Promise<(HistoryLine & { readonly memoryId?: string })[]> {
    const rows = await this.sql.all(
      "SELECT at, action, memory_id, actor, detail FROM audit WHERE at >= $1 AND action <> 'digest' ORDER BY seq",
      since,
    );
    return rows.map(it => ({
      ...toHistoryLine(it),
      ...(it.memory_id === null ? {} : { memoryId: it.memory_id as string }),
    }));
  }

  async hasAuditHead(head: string): Promise<boolean> {
    const [seq, hash] = head.split(':');
    if (hash === undefined) return true;
    if (!/^\d{1,9}$/u.test(seq!)) return false;
    return (await this.sql.get('SELECT 1 FROM audit WHERE seq = $1::int AND hash = $2', seq, hash)) !== undefined;
  }

  async auditHead(): Promise<string> {
    return (await this.sql.get("SELECT value FROM meta WHERE key = 'auditHead'"))!.value as string;
  }

  async lastChangeAt(): Promise<string | undefined> {
    const row = await this.sql.get('SELECT at FROM audit ORDER BY seq DESC LIMIT 1');
    return row?.at as string | undefined;
  }

  async countItems(afterHead: string): Promise<CountedItems> {
    const from = afterHead !== '' && (await this.hasAuditHead(afterHead)) ? Number.parseInt(afterHead, 10) : 0;
    const head = await this.auditHead();
    const rows = await this.sql.all(
      `SELECT left(at, 10) AS day,
         count(*) FILTER (WHERE action = 'create' AND detail::json ->> 'moved' IS NULL)::int AS created,
         count(*) FILTER (WHERE action = 'archive')::int AS archived,
         count(*) FILTER (WHERE action IN ('prune', 'purge'))::int AS deleted
       FROM audit
       WHERE seq > $1::int AND seq <= $2::int AND action IN ('create', 'archive', 'prune', 'purge')
       GROUP BY day ORDER BY day`,
      from,
      Number.parseInt(head, 10) || 0,
    );
    const days = rows.map(({ day, created, archived, deleted }) => [day, { created, archived, deleted }] as const);
    return { isWhole: from === 0, head, days: Object.fromEntries(days) as CountedItems['days'] };
  }

  async records<T>(kind: RecordKind, limit: number): Promise<StoreRecord<T>[]> {
    const rows = await this.sql.all(
      'SELECT id, at, body FROM records WHERE kind = $1 ORDER BY at DESC, id COLLATE "C" DESC LIMIT $2::bigint',
      kind,
      limit,
    );
    return rows.flatMap(it => toPostgresRecord<T>(it) ?? []);
  }

  async record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    const row = await this.sql.get('SELECT id, at, body FROM records WHERE kind = $1 AND id = $2', kind, id);
    return row && toPostgresRecord<T>(row);
  }

  /** Newest first, without damaged ones. */
  async traces(limit: number): Promise<Trace[]> {
    const rows = await this.sql.all('SELECT trace FROM traces ORDER BY id DESC LIMIT $1::bigint', limit);
    return rows.flatMap(it => decodeTrace(it.trace as string) ?? []);
  }

  async trace(id: string): Promise<Trace | undefined> {
    const row = await this.sql.get('SELECT trace FROM traces WHERE id = $1', id);
    return decodeTrace(row?.trace as string | undefined);
  }

  /** The server parses the traces, so that their candidates, most of their bytes, are not sent. */
  async traceSummaries(filter: TraceFilter): Promise<TraceSummary[]> {
    try {
      return await this.summarizeTraces(filter, []);
    } catch (error) {
      if (!EngineError.is(error, 'internal')) throw error;
      // One that the server cannot parse.
      const damaged = (await this.sql.all('SELECT id, trace FROM traces')).filter(
        it => decodeTrace(it.trace as string) === undefined,
      );
      if (damaged.length === 0) throw error;
      return this.summarizeTraces(
        filter,
        damaged.map(it => it.id as string),
      );
    }
  }

  private async summarizeTraces(
    { text, memory, before, limit }: TraceFilter,
    exceptIds: readonly string[],
  ): Promise<TraceSummary[]> {
    const returned = (condition: string): string =>
      `FROM json_array_elements(trace -> 'candidates') c WHERE c ->> 'outcome' = 'returned' ${condition}`;
    const rows = await this.sql.all(
      `SELECT id, at, trace ->> 'client' AS client, trace ->> 'asker' AS asker, trace ->> 'query' AS query,
         trace ->> 'cache' AS cache, (trace ->> 'candidateCount')::int AS candidates,
         json_array_length(trace -> 'degraded') AS degradations,
         (SELECT coalesce(sum((s ->> 'ms')::float8), 0) FROM json_array_elements(trace -> 'stages') s) AS ms,
         (SELECT count(*)::int ${returned('')}) AS hits
       -- The offset keeps the conditions on what is parsed outside.
       FROM (SELECT id, at, ${readableJsonSql('trace')}::json AS trace FROM traces
         WHERE ($1::text IS NULL OR id < $1) AND ($3::text IS NULL OR strpos(trace, $3) > 0)
           AND id <> ALL($5::text[]) ORDER BY id DESC OFFSET 0) t
       WHERE ($2::text IS NULL OR strpos(lower(trace ->> 'query'), lower($2)) > 0)
         AND ($3::text IS NULL OR EXISTS (SELECT 1 ${returned("AND c ->> 'id' = $3")}))
       ORDER BY id DESC LIMIT $4::bigint`,
      before ?? null,
      text ?? null,
      memory ?? null,
      limit,
      exceptIds,
    );
    return rows.map(toTraceSummary);
  }
}

function toHistoryLine(row: PostgresRow): HistoryLine {
  return {
    at: row.at as string,
    action: row.action as AuditAction,
    actor: row.actor as string,
    detail: toShownDetail(row.detail as string),
  };
}

/** @param row with `id`, `at` and `body` */
function toPostgresRecord<T>(row: PostgresRow): StoreRecord<T> | undefined {
  const body = parseObject(row.body as string) as T | undefined;
  return body && { id: row.id as string, at: row.at as string, body };
}
