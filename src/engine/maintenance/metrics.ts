import type { Context } from '../context.js';
import type { Alert, InventoryRow, ItemHistory, Metrics, StoreMetrics } from '../model/maintenance.js';
import { gates, lanes, statuses, type Memory } from '../model/memory.js';
import type { Trace } from '../model/trace.js';
import { tierOf, tiers } from '../scoring/tier.js';
import type { Store } from '../store/store.js';
import { readItemHistory } from './itemHistory.js';
import { listRuns } from './run.js';

/** Maximum number of traces per store. */
const maxTraces = 1_000;
/** Positions of an answer that count for precision. */
const precisionCutoff = 5;

/** Metrics of the stores: counts, bytes, the last run, and statistics of the kept traces. */
export async function collectMetrics(
  ctx: Context,
  dueAt: (store: Store) => Promise<Date | undefined>,
  alerts: readonly Alert[],
): Promise<Metrics> {
  const { calls, failures, totalMs } = ctx.embedder.counts;
  const { model } = ctx.embedder;
  await ctx.usage.flush();
  const stores: StoreMetrics[] = [];
  const traces: Trace[] = [];
  for (const { store } of ctx.stores) {
    stores.push(await storeMetrics(ctx, store, await dueAt(store)));
    traces.push(...(await store.traces(maxTraces)));
  }
  return {
    stores,
    recall: await recallMetrics(ctx, traces),
    embedding: {
      enabled: model !== undefined,
      ...(model === undefined ? {} : { model: model.name }),
      calls,
      failures,
      ...(calls === 0 ? {} : { averageMs: totalMs / calls }),
    },
    alerts: alerts.map(it => ({ ...it, text: String(it.text) })),
  };
}

async function storeMetrics(ctx: Context, store: Store, dueAt: Date | undefined): Promise<StoreMetrics> {
  const inventory = await store.inventory();
  const active = inventory.filter(it => it.status === 'active');
  const items = await readItemHistory(store, ctx.host.now());
  const lastRun = (await listRuns(store)).find(it => it.status === 'finished');
  const counts = <K extends string>(keys: readonly K[], rows: readonly InventoryRow[], of: (it: InventoryRow) => K) =>
    recordOf(keys, key =>
      sumOf(
        rows.filter(it => of(it) === key),
        'count',
      ),
    );
  return {
    store: store.kind,
    file: store.file,
    status: counts(statuses, inventory, it => it.status),
    items,
    bytesPerMonth: estimateBytesPerMonth(items, inventory),
    tiers: tierUsage(ctx, inventory),
    gates: counts(gates, active, it => it.gate),
    lanes: counts(lanes, active, it => it.lane),
    ...(lastRun === undefined
      ? {}
      : {
          lastRun: {
            at: lastRun.at,
            processed: lastRun.processed,
            archived: lastRun.counts.faded + lastRun.counts.expired + lastRun.counts.quota,
            pruned: lastRun.counts.pruned,
          },
        }),
    ...(dueAt === undefined ? {} : { dueAt: dueAt.toISOString() }),
    withoutAids: await store.countMissingAids(),
    ...(await store.storageStats(ctx.embedder.model?.id)),
  };
}

/** The active memories of each tier against its quota; code has none. */
export function tierUsage({ host }: Pick<Context, 'host'>, inventory: readonly InventoryRow[]): StoreMetrics['tiers'] {
  const { quotas } = host.config().maintenance;
  const rows = inventory.filter(it => it.status === 'active' && it.provenance.source !== 'code-index');
  return recordOf(tiers, tier => {
    const own = rows.filter(it => tierOf(it) === tier);
    return { count: sumOf(own, 'count'), bytes: sumOf(own, 'bytes'), quota: quotas[tier] };
  });
}

/** The memories of the last thirty days, each as large as a memory of the store is on average. */
function estimateBytesPerMonth({ days }: ItemHistory, inventory: readonly InventoryRow[]): number {
  const count = sumOf(inventory, 'count');
  if (count === 0) return 0;
  const created = Object.values(days).reduce((sum, it) => sum + it.created, 0);
  return Math.round((created * sumOf(inventory, 'bytes')) / count);
}

async function recallMetrics(ctx: Context, traces: readonly Trace[]): Promise<Metrics['recall']> {
  const times = traces.map(it => it.stages.reduce((sum, stage) => sum + stage.ms, 0)).sort((a, b) => a - b);
  const topCandidates = traces.flatMap(it =>
    it.candidates.filter(candidate => candidate.outcome === 'returned').slice(0, precisionCutoff),
  );
  const ids = [...new Set(topCandidates.map(it => it.id))];
  const memories = (await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat();
  const judged = new Map(
    memories.filter(it => judgmentCount(it) > 0).map(it => [it.id, it.usefulCount / judgmentCount(it)]),
  );
  const judgedCandidates = topCandidates.filter(it => judged.has(it.id));
  return {
    recalls: traces.length,
    ...(times.length === 0 ? {} : { p50: percentile(times, 0.5), p95: percentile(times, 0.95) }),
    cacheHits: traces.filter(it => it.cache === 'hit').length,
    degraded: traces.filter(it => it.degraded.length > 0).length,
    ...(judgedCandidates.length === 0
      ? {}
      : { precisionAt5: judgedCandidates.reduce((sum, it) => sum + judged.get(it.id)!, 0) / judgedCandidates.length }),
    judged: judgedCandidates.length,
  };
}

/** Number of judgments of a memory: useful ones, and the others, which the sum of thumbs implies. */
function judgmentCount({ usefulCount, feedback }: Memory): number {
  return usefulCount + Math.max(0, usefulCount - feedback);
}

/** @param sorted ascending, not empty */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

function sumOf(rows: readonly InventoryRow[], of: 'count' | 'bytes'): number {
  return rows.reduce((sum, it) => sum + it[of], 0);
}

function recordOf<K extends string, V>(keys: readonly K[], value: (key: K) => V): Readonly<Record<K, V>> {
  return Object.fromEntries(keys.map(it => [it, value(it)])) as Record<K, V>;
}
