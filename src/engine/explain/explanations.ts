import { EngineError } from '../base/errors.js';
import { storesInScope, type Context } from '../context.js';
import type { ConfidenceCurve, CurveEvent, ExplainedTrace, ActiveCountForecast } from '../model/explanation.js';
import { decayClasses, gates, type Memory, type StoreScope } from '../model/memory.js';
import type { Trace, TraceFilter, TraceSummary } from '../model/trace.js';
import { dayMs, halfLifeDays } from '../scoring/decay.js';
import {
  ActiveCountHistogram,
  confidenceCurve,
  predictArchiveTime,
  lifetimeOf,
  decayThresholds,
} from '../scoring/forecast.js';
import { rankParts } from '../scoring/rankParts.js';
import type { Store } from '../store/store.js';

/** Recalls that a curve marks, newest first; more would hide it. */
const maxCurveRecalls = 100;
/** Counts before and after now. */
const forecastSteps = 30;

/** Newest first, of every store. */
export async function collectTraceSummaries(ctx: Context, filter: TraceFilter): Promise<TraceSummary[]> {
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
export async function buildConfidenceCurve(
  ctx: Context,
  { store, memory }: { readonly store: Store; readonly memory: Memory },
): Promise<ConfidenceCurve> {
  const lines = await store.history(memory.id);
  const recalls = await collectTraceSummaries(ctx, { memory: memory.id, limit: maxCurveRecalls });
  const { decayProfile: profile } = ctx.host.config();
  const now = ctx.host.now();
  const points = confidenceCurve(memory, lines, { profile, now });
  const events = [
    ...lines.map(({ at, action, actor }) => ({ at: action === 'create' ? memory.createdAt : at, action, actor })),
    ...recalls.map(it => ({ at: it.at, action: 'recall' as const, actor: it.client, trace: it.id })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const halfLife = halfLifeDays(memory, profile, memory.centrality);
  const archiveTime = memory.status === 'active' ? predictArchiveTime(memory, profile) : undefined;
  return {
    memory,
    profile,
    points,
    events: events.map((it): CurveEvent => ({ ...it, confidence: confidenceAt(points, it.at) })),
    now: now.toISOString(),
    ...decayThresholds(profile),
    ...(halfLife === undefined ? {} : { halfLifeDays: halfLife }),
    ...(archiveTime === undefined ? {} : { fadesAt: new Date(archiveTime).toISOString() }),
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
export async function forecastActiveCount(ctx: Context, days: number, scope: StoreScope): Promise<ActiveCountForecast> {
  const now = ctx.host.now();
  const { decayProfile: profile } = ctx.host.config();
  const stepMs = (days * dayMs) / forecastSteps;
  const startTime = now.getTime() - forecastSteps * stepMs;
  const pointCount = 2 * forecastSteps + 1;
  const newHistogram = (): ActiveCountHistogram => new ActiveCountHistogram(startTime, stepMs, pointCount);
  const byGate = new Map(gates.map(it => [it, newHistogram()]));
  const byDecayClass = new Map(decayClasses.map(it => [it, newHistogram()]));
  for (const store of storesInScope(ctx, scope)) {
    for await (const page of store.scanAll()) {
      for (const memory of page) {
        if (memory.scopeId !== undefined) continue;
        const segment = lifetimeOf(memory, { profile, now });
        byGate.get(memory.gate)!.add(segment);
        byDecayClass.get(memory.decayClass)!.add(segment);
      }
    }
  }
  const counts = <Key extends string>(
    histograms: ReadonlyMap<Key, ActiveCountHistogram>,
  ): Record<Key, readonly number[]> =>
    Object.fromEntries([...histograms].map(([key, it]) => [key, it.counts()])) as Record<Key, readonly number[]>;
  return {
    times: Array.from({ length: pointCount }, (_, i) => new Date(startTime + i * stepMs).toISOString()),
    now: now.toISOString(),
    byGate: counts(byGate),
    byDecayClass: counts(byDecayClass),
  };
}
