import type { Sql } from '../../database/database.js';
import type { TraceFilter, TraceSummary } from '../../model/trace.js';
import { toTraceSummary } from '../traceCodec.js';

/** Newest first. SQLite parses the traces, so their candidates, most of their bytes, never leave its thread. */
export async function listTraceSummaries(
  sql: Sql,
  { text, memory, before, limit }: TraceFilter,
): Promise<TraceSummary[]> {
  const returned = (condition: string): string =>
    `FROM json_each(trace, '$.candidates') WHERE value ->> 'outcome' = 'returned' ${condition}`;
  const rows = await sql.all(
    `SELECT id, at, trace ->> 'client' AS client, trace ->> 'asker' AS asker, trace ->> 'query' AS query,
       trace ->> 'cache' AS cache, trace ->> 'candidateCount' AS candidates,
       json_array_length(trace, '$.degraded') AS degradations,
       (SELECT total(value ->> 'ms') FROM json_each(trace, '$.stages')) AS ms,
       (SELECT count(*) ${returned('')}) AS hits
     FROM traces
     WHERE (?1 IS NULL OR id < ?1) AND CASE WHEN json_valid(trace) THEN
       (?2 IS NULL OR instr(lower(trace ->> 'query'), lower(?2)) > 0)
       AND (?3 IS NULL OR instr(trace, ?3) > 0 AND EXISTS (SELECT 1 ${returned("AND value ->> 'id' = ?3")})) END
     ORDER BY id DESC LIMIT ?4`,
    before ?? null,
    text ?? null,
    memory ?? null,
    limit,
  );
  return rows.map(toTraceSummary);
}
