import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { storesInScope, type Context } from '../context.js';
import type {
  ActiveCountForecast,
  ConfidenceCurve,
  CurveEvent,
  ExplainedTrace,
  MemoryStrength,
} from '../model/explanation.js';
import { dayMs } from '../model/duration.js';
import { decayClasses, gates, type Memory, type StoreScope } from '../model/memory.js';
import type { Trace, TraceFilter, TraceSummary } from '../model/trace.js';
import { activation } from '../scoring/activation.js';
import { halfLifeDays } from '../scoring/decay.js';
import {
  ActiveCountHistogram,
  confidenceCurve,
  decayThresholds,
  lifetimeOf,
  predictArchiveTime,
} from '../scoring/forecast.js';
import { rankParts } from '../scoring/rankParts.js';
import { keptUntil } from '../scoring/retentionRules.js';
import type { HistoryLine, MemoryRepository } from '../store/store.js';

const maxForecastDays = 3_650;
/** Before it goes to the archive, a memory says so for so long. */
const soonDays = 30;
/** Time steps of a forecast on each side of now. */
const forecastSteps = 30;
/** Time steps of a strength curve: it falls steeply at its start. */
const strengthSteps = 120;
/** Recalls marked on a confidence curve, newest first; more would hide the curve. */
const maxCurveRecalls = 100;

interface ResolvedMemory {
  readonly store: MemoryRepository;
  readonly memory: Memory;
}

/** Explains ranks, histories and forecasts. Read-only. */
export class Explainer {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly resolveReference: (reference: string) => Promise<ResolvedMemory>,
  ) {}

  /** Recalls of all stores without their candidates, newest first. */
  listTraces(filter: TraceFilter): Promise<TraceSummary[]> {
    return this.calls.run(() => listTraceSummaries(this.ctx, filter));
  }

  /** A recall with the parts of each candidate's rank. @throws EngineError notFound */
  explainTrace(id: string): Promise<ExplainedTrace> {
    return this.calls.run(() => explainTrace(this.ctx, id));
  }

  /** Until when an active memory is kept, where that was said or it was captured, ISO-8601 UTC; undefined where it lasts. */
  keptUntil(memory: Memory): string | undefined {
    if (memory.status !== 'active') return undefined;
    const end = keptUntil(memory, this.ctx.host.config().decay, memory.centrality);
    return end === undefined ? undefined : new Date(end).toISOString();
  }

  /**
   * When an active memory is archived unless it is used, said again or pinned, ISO-8601 UTC; undefined where it lasts. It may
   * lie in the past if maintenance has not run since.
   */
  fadesAt(memory: Memory): string | undefined {
    const end = memory.status === 'active' ? predictArchiveTime(memory, this.ctx.host.config().decay) : undefined;
    return end === undefined ? undefined : new Date(end).toISOString();
  }

  /**
   * When an active memory goes to the archive soon, unless it is used, said again or pinned, where a recall still finds it; ISO-8601
   * UTC. Undefined for what lasts longer, and for what lapses then ({@link keptUntil}).
   */
  archivedSoonAt(memory: Memory): string | undefined {
    const at = this.keptUntil(memory) === undefined ? this.fadesAt(memory) : undefined;
    const horizon = this.ctx.host.now().getTime() + soonDays * dayMs;
    return at === undefined || Date.parse(at) > horizon ? undefined : at;
  }

  /** The audit log of a memory, oldest first. @throws EngineError notFound | ambiguousId */
  history(reference: string): Promise<HistoryLine[]> {
    return this.calls.run(async () => {
      const { store, memory } = await this.resolveReference(reference);
      return store.history(memory.id);
    });
  }

  /** Past and predicted confidence of a memory. @throws EngineError notFound | ambiguousId */
  confidenceCurve(reference: string): Promise<ConfidenceCurve> {
    return this.calls.run(async () => buildConfidenceCurve(this.ctx, await this.resolveReference(reference)));
  }

  /** Number of active memories from `days` ago to `days` ahead. @throws EngineError invalidInput */
  forecastActiveCount(days: number, scope: StoreScope = 'project-then-global'): Promise<ActiveCountForecast> {
    return this.calls.run(() => {
      if (!(days >= 1 && days <= maxForecastDays)) {
        throw new EngineError(
          'invalidInput',
          message`days must be a number from 1 to ${maxForecastDays}; it was ${days}.`,
        );
      }
      return forecastActiveCount(this.ctx, days, scope);
    });
  }
}

async function listTraceSummaries(ctx: Context, filter: TraceFilter): Promise<TraceSummary[]> {
  await ctx.usage.flush();
  const summaries = await Promise.all(ctx.stores.map(it => it.store.traceSummaries(filter)));
  return summaries
    .flat()
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, filter.limit);
}

async function explainTrace(ctx: Context, id: string): Promise<ExplainedTrace> {
  await ctx.usage.flush();
  const traces = await Promise.all(ctx.stores.map(it => it.store.trace(id)));
  const trace = traces.find((it): it is Trace => it !== undefined);
  if (trace === undefined) {
    throw new EngineError('notFound', 'This recall is no longer recorded.');
  }
  const ids = trace.candidates.map(it => it.id);
  const memories = (await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat();
  return { trace, parts: trace.candidates.map(it => rankParts(it.factors)), memories };
}

async function buildConfidenceCurve(ctx: Context, { store, memory }: ResolvedMemory): Promise<ConfidenceCurve> {
  const history = await store.history(memory.id);
  const recalls = await listTraceSummaries(ctx, { memory: memory.id, limit: maxCurveRecalls });
  const { decay: rules } = ctx.host.config();
  const now = ctx.host.now();
  const points = confidenceCurve(memory, history, { rules, now });
  const events = [
    ...history.map(({ at, action, actor }) => ({ at: action === 'create' ? memory.createdAt : at, action, actor })),
    ...recalls.map(it => ({ at: it.at, action: 'recall' as const, actor: it.client, trace: it.id })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const halfLife = halfLifeDays(memory, rules, memory.centrality);
  const archiveTime = memory.status === 'active' ? predictArchiveTime(memory, rules) : undefined;
  return {
    memory,
    strength: strengthOf(memory, await store.sequence(memory.scopeId ?? ''), { now, until: points.at(-1)!.at }),
    profile: rules.profile,
    points,
    events: events.map((it): CurveEvent => ({ ...it, confidence: confidenceAt(points, it.at) })),
    now: now.toISOString(),
    ...decayThresholds(memory, rules.profile),
    ...(halfLife === undefined ? {} : { halfLifeDays: halfLife }),
    ...(archiveTime === undefined ? {} : { fadesAt: new Date(archiveTime).toISOString() }),
  };
}

function strengthOf(
  memory: Memory,
  sequenceNow: number,
  { now, until }: { readonly now: Date; readonly until: string },
): MemoryStrength {
  const start = Date.parse(memory.createdAt);
  const stepMs = Math.max(0, Date.parse(until) - start) / strengthSteps;
  const times = Array.from({ length: strengthSteps + 1 }, (_, i) => new Date(start + i * stepMs));
  return {
    value: activation(memory, sequenceNow, now),
    curve: times.map(it => ({ at: it.toISOString(), value: activation(memory, sequenceNow, it) })),
    reinforcementCount: memory.reinforcementCount,
    ageDays: Math.max(0, (now.getTime() - Date.parse(memory.createdAt)) / dayMs),
    sequenceLag: Math.max(0, sequenceNow - memory.sequence),
  };
}

/** Linear interpolation between the points; at a step, the confidence after it. */
function confidenceAt(points: ConfidenceCurve['points'], at: string): number {
  const after = points.findLastIndex(it => it.at <= at);
  const left = points[Math.max(0, after)]!;
  const right = points[after + 1] ?? left;
  const span = Date.parse(right.at) - Date.parse(left.at);
  const share = span > 0 ? Math.min(1, Math.max(0, (Date.parse(at) - Date.parse(left.at)) / span)) : 0;
  return left.confidence + (right.confidence - left.confidence) * share;
}

/** Makes one pass over the stores of the scope, page by page. */
async function forecastActiveCount(ctx: Context, days: number, scope: StoreScope): Promise<ActiveCountForecast> {
  const now = ctx.host.now();
  const { decay: rules } = ctx.host.config();
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
        const segment = lifetimeOf(memory, { rules, now });
        byGate.get(memory.gate)!.add(segment);
        byDecayClass.get(memory.decayClass)!.add(segment);
      }
    }
  }
  return {
    times: Array.from({ length: pointCount }, (_, i) => new Date(startTime + i * stepMs).toISOString()),
    now: now.toISOString(),
    byGate: toCounts(byGate),
    byDecayClass: toCounts(byDecayClass),
  };
}

function toCounts<Key extends string>(
  histograms: ReadonlyMap<Key, ActiveCountHistogram>,
): Record<Key, readonly number[]> {
  return Object.fromEntries([...histograms].map(([key, it]) => [key, it.counts()])) as Record<Key, readonly number[]>;
}
