import type { Asker } from '../../model/query.js';
import type { RankFactors, Trace, TraceCandidate, TraceFilter, TraceSummary } from '../../model/trace.js';
import type { Row, Sql, SqlValue } from './database.js';
import { objectOf } from './jsonCells.js';

/** A trace as it is kept: the numbers of its candidates in one table, so that their names stand there once. */
interface KeptTrace extends Omit<Trace, 'candidates'> {
  readonly candidates: readonly Omit<TraceCandidate, 'factors'>[];
  /** A row for each candidate: its factors, then its features. */
  readonly factors: {
    readonly names: readonly string[];
    readonly features: readonly string[];
    readonly rows: readonly (readonly number[])[];
  };
}

/** All of a trace. */
export function traceText(trace: Trace): string {
  const measured = new Set<string>();
  for (const { factors } of trace.candidates) for (const name in factors.features) measured.add(name);
  const features = [...measured];
  const names = Object.keys(trace.candidates[0]?.factors ?? {}).filter(it => it !== 'features');
  const rows = trace.candidates.map(({ factors }) => {
    const row: number[] = [];
    for (const name of names) row.push(factors[name as Exclude<keyof RankFactors, 'features'>]);
    for (const name of features) row.push(factors.features[name] ?? 0);
    return row;
  });
  const candidates = trace.candidates.map(({ id, store, outcome, because }) => {
    return because === undefined ? { id, store, outcome } : { id, store, outcome, because };
  });
  return JSON.stringify({ ...trace, candidates, factors: { names, features, rows } } satisfies KeptTrace);
}

/** The trace of a cell; undefined of a damaged one. */
export function traceOf(cell: SqlValue | undefined): Trace | undefined {
  const kept = objectOf(cell) as Trace | KeptTrace | undefined;
  if (kept === undefined || !Array.isArray(kept.candidates)) return undefined;
  // Before there was a table, each candidate had its factors by name.
  if (!('factors' in kept)) return kept;
  const { factors, ...trace } = kept;
  const { names, features, rows } = factors;
  if (![names, features, rows].every(it => Array.isArray(it))) return undefined;
  const candidates = trace.candidates.map((it, i) => {
    const values = rows[i] ?? [];
    const measured = features.map((name, f) => [name, values[names.length + f] ?? 0] as const);
    const known = {
      ...Object.fromEntries(names.map((name, n) => [name, values[n] ?? 0])),
      features: Object.fromEntries(measured.filter(([, value]) => value !== 0)),
    };
    return { ...it, factors: known as RankFactors };
  });
  return { ...trace, candidates };
}

/** Newest first. SQLite takes the traces apart, so that their candidates, nearly all of their bytes, stay in its thread. */
export async function summarise(sql: Sql, { text, memory, before, limit }: TraceFilter): Promise<TraceSummary[]> {
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

function toSummary(row: Row): TraceSummary {
  return {
    id: row.id as string,
    at: row.at as string,
    client: row.client as string,
    ...(row.asker === null ? {} : { asker: row.asker as Asker }),
    query: row.query as string,
    cache: row.cache as 'hit' | 'miss',
    hits: row.hits as number,
    candidateCount: row.candidates as number,
    ms: row.ms as number,
    degraded: (row.lacks as number) > 0,
  };
}
