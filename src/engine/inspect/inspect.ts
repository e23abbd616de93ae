import { EngineError } from '../base/errors.js';
import { storesOf, type Context } from '../context.js';
import type { ConfidenceCurve, CurveEvent, ExplainedTrace, Outlook } from '../model/inspection.js';
import { decayClasses, gates, type Memory, type Scope } from '../model/memory.js';
import type { Trace, TraceFilter, TraceSummary } from '../model/trace.js';
import { dayMs, halfLifeDays } from '../scoring/decay.js';
import { Census, confidenceCurve, fadesAt, lifetime, thresholds } from '../scoring/forecast.js';
import { rankParts } from '../scoring/rankParts.js';
import type { Store } from '../store/store.js';

/** Recalls that a curve marks, newest first; more would hide it. */
const curveRecalls = 100;
/** Counts before and after now. */
const outlookSteps = 30;

/** Newest first, of every store. */
export async function traceSummaries(ctx: Context, filter: TraceFilter): Promise<TraceSummary[]> {
  await ctx.usage.flush();
  const found = await Promise.all(ctx.stores.map(it => it.store.traceSummaries(filter)));
  return found
    .flat()
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, filter.limit);
}

/** @throws EngineError notFound */
export async function explainTrace(ctx: Context, id: string): Promise<ExplainedTrace> {
  await ctx.usage.flush();
  const found = await Promise.all(ctx.stores.map(it => it.store.trace(id)));
  const trace = found.find((it): it is Trace => it !== undefined);
  if (trace === undefined) {
    throw new EngineError('notFound', 'This recall is no longer recorded; `recollect.traces.keep` says how many are.');
  }
  const ids = trace.candidates.map(it => it.id);
  const memories = (await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat();
  return { trace, parts: trace.candidates.map(it => rankParts(it.factors)), memories };
}

/** A memory's past, with its events, and its forecast. */
export async function inspectConfidence(
  ctx: Context,
  { store, memory }: { readonly store: Store; readonly memory: Memory },
): Promise<ConfidenceCurve> {
  const lines = await store.history(memory.id);
  const recalls = await traceSummaries(ctx, { memory: memory.id, limit: curveRecalls });
  const { decayProfile: profile } = ctx.host.config();
  const now = ctx.host.now();
  const points = confidenceCurve(memory, lines, { profile, now });
  const events = [
    ...lines.map(({ at, action, actor }) => ({ at: action === 'create' ? memory.createdAt : at, action, actor })),
    ...recalls.map(it => ({ at: it.at, action: 'recall' as const, actor: it.client, trace: it.id })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const halfLife = halfLifeDays(memory, profile, memory.centrality);
  const end = memory.status === 'active' ? fadesAt(memory, profile) : undefined;
  return {
    memory,
    profile,
    points,
    events: events.map((it): CurveEvent => ({ ...it, confidence: confidenceAt(points, it.at) })),
    now: now.toISOString(),
    ...thresholds(profile),
    ...(halfLife === undefined ? {} : { halfLifeDays: halfLife }),
    ...(end === undefined ? {} : { fadesAt: new Date(end).toISOString() }),
  };
}

/** On the curve, between its points. After a step where one is. */
function confidenceAt(points: ConfidenceCurve['points'], at: string): number {
  const after = points.findLastIndex(it => it.at <= at);
  const left = points[Math.max(0, after)]!;
  const right = points[after + 1] ?? left;
  const span = Date.parse(right.at) - Date.parse(left.at);
  const share = span > 0 ? Math.min(1, Math.max(0, (Date.parse(at) - Date.parse(left.at)) / span)) : 0;
  return left.confidence + (right.confidence - left.confidence) * share;
}

/** One pass over the stores of the scope, a page at a time. `days` before and after now. */
export async function outlook(ctx: Context, days: number, scope: Scope): Promise<Outlook> {
  const now = ctx.host.now();
  const { decayProfile: profile } = ctx.host.config();
  const stepMs = (days * dayMs) / outlookSteps;
  const first = now.getTime() - outlookSteps * stepMs;
  const size = 2 * outlookSteps + 1;
  const census = (): Census => new Census(first, stepMs, size);
  const byGate = new Map(gates.map(it => [it, census()]));
  const byDecayClass = new Map(decayClasses.map(it => [it, census()]));
  for (const store of storesOf(ctx, scope)) {
    for await (const page of store.all()) {
      for (const memory of page) {
        if (memory.scopeId !== undefined) continue;
        const span = lifetime(memory, { profile, now });
        byGate.get(memory.gate)!.add(span);
        byDecayClass.get(memory.decayClass)!.add(span);
      }
    }
  }
  const counts = <Key extends string>(of: ReadonlyMap<Key, Census>): Record<Key, readonly number[]> =>
    Object.fromEntries([...of].map(([key, it]) => [key, it.counts()])) as Record<Key, readonly number[]>;
  return {
    times: Array.from({ length: size }, (_, i) => new Date(first + i * stepMs).toISOString()),
    now: now.toISOString(),
    byGate: counts(byGate),
    byDecayClass: counts(byDecayClass),
  };
}
