import type { RequestedBy } from '../../model/query.js';
import type { TraceFilter, TraceSummary } from '../../model/trace.js';
import type { SqlRow, Sql } from '../../database/database.js';

/** Newest first. SQLite takes the traces apart, so that their candidates, nearly all of their bytes, stay in its thread. */
export async function listTraceSummaries(
  sql: Sql,
  { text, memory, before, limit }: TraceFilter,
): Promise<TraceSummary[]> {
  const returned = (more: string): string =>
    `FROM json_each(trace, '$.candidates') WHERE value ->> 'outcome' = 'returned' ${more}`;
  const rows = await sql.all(
    `SELECT id, at, trace ->> 'client' AS client, trace ->> 'asker' AS asker, trace ->> 'query' AS query,
       trace ->> 'cache' AS cache, trace ->> 'candidateCount' AS candidates,
       json_array_length(trace, '$.degraded') AS lacks,
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
  return rows.map(toSummary);
}

function toSummary(row: SqlRow): TraceSummary {
  return {
    id: row.id as string,
    at: row.at as string,
    client: row.client as string,
    ...(row.asker === null ? {} : { asker: row.asker as RequestedBy }),
    query: row.query as string,
    cache: row.cache as 'hit' | 'miss',
    hits: row.hits as number,
    candidateCount: row.candidates as number,
    ms: row.ms as number,
    degraded: (row.lacks as number) > 0,
  };
}
