import type { RankFactors, Trace, TraceCandidate } from '../model/trace.js';
import type { SqlValue } from './sqlite/database.js';
import { objectOf } from './sqlite/jsonCells.js';

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
  const rows: number[][] = [];
  const candidates: KeptTrace['candidates'][number][] = [];
  for (const { id, store, outcome, because, factors } of trace.candidates) {
    const row: number[] = [];
    for (const name of names) row.push(factors[name as Exclude<keyof RankFactors, 'features'>]);
    for (const name of features) row.push(factors.features[name] ?? 0);
    rows.push(row);
    candidates.push(because === undefined ? { id, store, outcome } : { id, store, outcome, because });
  }
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
