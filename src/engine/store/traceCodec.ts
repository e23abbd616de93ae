import type { RequestedBy } from '../model/query.js';
import type { RankFactors, Trace, TraceCandidate, TraceSummary } from '../model/trace.js';
import type { SqlValue } from '../database/database.js';
import { parseObject } from '../database/jsonColumns.js';

/** A stored trace: the factors of its candidates are one table, so that their names are stored once. */
interface StoredTrace extends Omit<Trace, 'candidates'> {
  readonly candidates: readonly Omit<TraceCandidate, 'factors'>[];
  /** One row per candidate: its factors, then its features, then their shares. */
  readonly factors: {
    readonly names: readonly string[];
    readonly features: readonly string[];
    /** Absent in traces of earlier versions. */
    readonly shares?: readonly string[];
    readonly rows: readonly (readonly number[])[];
  };
}

/** Encodes a trace as JSON text. */
export function encodeTrace(trace: Trace): string {
  const usedFeatures = new Set<string>();
  const usedShares = new Set<string>();
  for (const { factors } of trace.candidates) {
    for (const name in factors.features) usedFeatures.add(name);
    for (const name in factors.shares) usedShares.add(name);
  }
  const [features, shares] = [[...usedFeatures], [...usedShares]];
  const names = [...new Set(trace.candidates.flatMap(it => Object.keys(it.factors)))].filter(
    it => it !== 'features' && it !== 'shares',
  );
  const rows: number[][] = [];
  const candidates: StoredTrace['candidates'][number][] = [];
  for (const { factors, ...candidate } of trace.candidates) {
    const row: number[] = [];
    for (const name of names) row.push(factors[name as Exclude<keyof RankFactors, 'features' | 'shares'>] ?? 1); // A weight that most lack.
    for (const name of features) row.push(factors.features[name] ?? 0);
    for (const name of shares) row.push(factors.shares?.[name] ?? 0);
    rows.push(row);
    candidates.push(candidate);
  }
  return JSON.stringify({ ...trace, candidates, factors: { names, features, shares, rows } } satisfies StoredTrace);
}

/** Decodes a stored trace; undefined if it is damaged. */
export function decodeTrace(cell: SqlValue | undefined): Trace | undefined {
  const stored = parseObject(cell) as Trace | StoredTrace | undefined;
  if (stored === undefined || !Array.isArray(stored.candidates)) return undefined;
  // Written by an earlier version: each candidate has its factors by name.
  if (!('factors' in stored)) return stored;
  const { factors, ...trace } = stored;
  const { names, features, shares = [], rows } = factors;
  if (![names, features, shares, rows].every(it => Array.isArray(it))) return undefined;
  const candidates = trace.candidates.map((it, i) => {
    const values = rows[i] ?? [];
    const valuesFrom = (start: number, of: readonly string[]): Record<string, number> =>
      Object.fromEntries(
        of.map((name, i) => [name, values[start + i] ?? 0] as const).filter(([, value]) => value !== 0),
      );
    const rankFactors = {
      ...Object.fromEntries(names.map((name, n) => [name, values[n] ?? 0])),
      features: valuesFrom(names.length, features),
      ...(shares.length === 0 ? {} : { shares: valuesFrom(names.length + features.length, shares) }),
    };
    return { ...it, factors: rankFactors as RankFactors };
  });
  return { ...trace, candidates };
}

/** @param row with the columns of a list of traces */
export function toTraceSummary(row: Readonly<Record<string, unknown>>): TraceSummary {
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
    degraded: (row.degradations as number) > 0,
  };
}
