import { EngineError } from '../../base/errors.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { TraceFilter, TraceSummary } from '../../model/trace.js';
import { decodeTrace, toTraceSummary } from '../traceCodec.js';
import { readableJsonSql } from './postgresRows.js';

/** The server parses the traces, so that their candidates, most of their bytes, are not sent. */
export async function listPostgresTraceSummaries(sql: PostgresSql, filter: TraceFilter): Promise<TraceSummary[]> {
  try {
    return await summarizeTraces(sql, filter, []);
  } catch (error) {
    if (!EngineError.is(error, 'internal')) throw error;
    // One that the server cannot parse.
    const damaged = (await sql.all('SELECT id, trace FROM traces')).filter(
      it => decodeTrace(it.trace as string) === undefined,
    );
    if (damaged.length === 0) throw error;
    return summarizeTraces(
      sql,
      filter,
      damaged.map(it => it.id as string),
    );
  }
}

async function summarizeTraces(
  sql: PostgresSql,
  { text, memory, before, limit }: TraceFilter,
  exceptIds: readonly string[],
): Promise<TraceSummary[]> {
  const returned = (condition: string): string =>
    `FROM json_array_elements(trace -> 'candidates') c WHERE c ->> 'outcome' = 'returned' ${condition}`;
  const rows = await sql.all(
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
