import type { Context } from '../context.js';
import type { EmbeddingCounts } from '../embeddings/countedEmbedder.js';
import type { CensusLine, Metrics, StoreMetrics } from '../model/maintenance.js';
import { gates, lanes, statuses, type Memory } from '../model/memory.js';
import type { Trace } from '../model/trace.js';
import { tierOf, tiers } from '../scoring/tier.js';
import type { Store } from '../store/store.js';
import { runsOf } from './run.js';

/** Traces looked at, per store. */
const tracesRead = 1_000;
/** Places of an answer that precision is measured on. */
const precisionPlaces = 5;

/** How the memory stands, from what is stored: counts, bytes, the last run, and what the kept traces tell of recalls. */
export async function readMetrics(
  ctx: Context,
  { calls, failures, totalMs }: EmbeddingCounts,
  dueAt: (store: Store) => Promise<Date | undefined>,
): Promise<Metrics> {
  await ctx.usage.flush();
  const stores: StoreMetrics[] = [];
  const traces: Trace[] = [];
  for (const { store } of ctx.stores) {
    stores.push(await storeMetrics(ctx, store, await dueAt(store)));
    traces.push(...(await store.traces(tracesRead)));
  }
  return {
    stores,
    recall: await recallMetrics(ctx, traces),
    embedding: { calls, failures, ...(calls === 0 ? {} : { averageMs: totalMs / calls }) },
  };
}

async function storeMetrics(ctx: Context, store: Store, dueAt: Date | undefined): Promise<StoreMetrics> {
  const lines = await store.census();
  const active = lines.filter(it => it.status === 'active');
  const { quotas } = ctx.host.config().maintenance;
  const last = (await runsOf(store)).find(it => it.status === 'finished');
  const tierMetrics = (tier: (typeof tiers)[number]): StoreMetrics['tiers'][typeof tier] => {
    const its = active.filter(it => !it.fromCode && tierOf(it) === tier);
    return { count: total(its, 'count'), bytes: total(its, 'bytes'), quota: quotas[tier] };
  };
  const counts = <K extends string>(keys: readonly K[], its: readonly CensusLine[], of: (it: CensusLine) => K) =>
    table(keys, key =>
      total(
        its.filter(it => of(it) === key),
        'count',
      ),
    );
  return {
    store: store.kind,
    file: store.file,
    status: counts(statuses, lines, it => it.status),
    tiers: table(tiers, tierMetrics),
    gates: counts(gates, active, it => it.gate),
    lanes: counts(lanes, active, it => it.lane),
    ...(last === undefined
      ? {}
      : {
          lastRun: {
            at: last.at,
            processed: last.processed,
            archived: last.counts.faded + last.counts.expired + last.counts.quota,
            pruned: last.counts.pruned,
          },
        }),
    ...(dueAt === undefined ? {} : { dueAt: dueAt.toISOString() }),
    ...(await store.extent()),
  };
}

async function recallMetrics(ctx: Context, traces: readonly Trace[]): Promise<Metrics['recall']> {
  const times = traces.map(it => it.stages.reduce((sum, stage) => sum + stage.ms, 0)).sort((a, b) => a - b);
  const first = traces.flatMap(it =>
    it.candidates.filter(candidate => candidate.outcome === 'returned').slice(0, precisionPlaces),
  );
  const ids = [...new Set(first.map(it => it.id))];
  const found = (await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat();
  const judged = new Map(found.filter(it => thumbs(it) > 0).map(it => [it.id, it.usefulCount / thumbs(it)]));
  const places = first.filter(it => judged.has(it.id));
  return {
    recalls: traces.length,
    ...(times.length === 0 ? {} : { p50: percentile(times, 0.5), p95: percentile(times, 0.95) }),
    cacheHits: traces.filter(it => it.cache === 'hit').length,
    degraded: traces.filter(it => it.degraded.length > 0).length,
    ...(places.length === 0
      ? {}
      : { precisionAt5: places.reduce((sum, it) => sum + judged.get(it.id)!, 0) / places.length }),
    judged: places.length,
  };
}

/** How often a memory was judged: those who found it useful, and the others, whom the sum of thumbs tells of. */
function thumbs({ usefulCount, feedback }: Memory): number {
  return usefulCount + Math.max(0, usefulCount - feedback);
}

/** @param sorted ascending, not empty */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

function total(lines: readonly CensusLine[], of: 'count' | 'bytes'): number {
  return lines.reduce((sum, it) => sum + it[of], 0);
}

function table<K extends string, V>(keys: readonly K[], value: (key: K) => V): Readonly<Record<K, V>> {
  return Object.fromEntries(keys.map(it => [it, value(it)])) as Record<K, V>;
}
