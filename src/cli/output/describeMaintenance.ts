import type {
  ItemCounts,
  MaintenanceAction,
  MaintenanceRun,
  Metrics,
  StoreMetrics,
} from '../../engine/model/maintenance.js';
import { maintenanceActions } from '../../engine/model/maintenance.js';
import { shortId, type Memory, type Tier } from '../../engine/model/memory.js';
import { pluralize, formatMemoryCount } from '../../engine/model/pluralize.js';

const actionLabels: Readonly<Record<MaintenanceAction, string>> = {
  faded: 'faded',
  expired: 'expired',
  quota: 'over quota',
  pruned: 'deleted',
};

/** A run for a person: what it did or would do, each memory that goes with the reason, and how the tiers stand. */
export function describeRun(run: MaintenanceRun, memoriesById: ReadonlyMap<string, Memory>): string[] {
  const { counts, inputs, dryRun, status } = run;
  const archived = counts.faded + counts.expired + counts.quota;
  const would = dryRun ? 'would be ' : '';
  return [
    `${run.store} store: of ${formatMemoryCount(run.processed)} ${archived} ${would}archived and ${counts.pruned} deleted${status === 'finished' ? '' : ` (${status})`}`,
    `  decided by: profile ${inputs.profile}, preset ${inputs.preset}, ${pluralize(inputs.goals.length, 'goal')}, ${pluralize(inputs.promises, 'open promise')}${inputs.branch === undefined ? '' : `, branch ${inputs.branch}`}`,
    ...maintenanceActions.flatMap(action => describeAction(run, action, memoriesById)),
    ...Object.entries(run.tiers).map(([tier, use]) => {
      const protectedNote = use.protected > use.quota ? ', all of it pinned, critical or promised' : '';
      return `  ${tier.padEnd(10)}  ${formatBytes(use.before)} before, ${formatBytes(use.after)} after, quota ${formatBytes(use.quota)}${protectedNote}`;
    }),
    ...(run.leftOver === 0
      ? []
      : [
          `  ${formatBytes(run.leftOver)} are still over quota: a day's runs archive at most ${formatBytes(inputs.bytesPerRun)}`,
        ]),
    ...(run.promisesToRevisit === 0
      ? []
      : [`  ${pluralize(run.promisesToRevisit, 'promise')} faded or past due, to stay until you decide`]),
    ...(dryRun || archived === 0 ? [] : [`  undo with: recollect maintain --undo ${shortId(run)}`]),
    ...run.warnings.map(it => `  ${it}`),
  ];
}

function describeAction(
  run: MaintenanceRun,
  action: MaintenanceAction,
  memoriesById: ReadonlyMap<string, Memory>,
): string[] {
  const lines = run.decisions[action].map(({ id, effective, score }) => {
    const reason = score === undefined ? `${Math.round(effective)}% left` : `score ${score.toFixed(2)}`;
    return `    #${shortId({ id })}  ${actionLabels[action]}, ${reason}  ${memoriesById.get(id)?.summary ?? ''}`.trimEnd();
  });
  return [...lines, ...(run.more[action] > 0 ? [`    and ${run.more[action]} more ${actionLabels[action]}`] : [])];
}

/** One run on one line. */
export function formatRunLine(run: MaintenanceRun): string {
  const { faded, expired, quota, pruned } = run.counts;
  const summary = `${faded} faded, ${expired} expired, ${quota} over quota, ${pruned} deleted`;
  return `#${shortId(run)}  ${run.at}  ${run.store.padEnd(7)}  ${run.status}  ${summary}  (${run.trigger}, ${run.inputs.preset})`;
}

export function describeMetrics({ stores, recall, embedding, alerts }: Metrics): string[] {
  const formatMs = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(1)} ms`);
  const precision = recall.precisionAt5 === undefined ? 'not judged yet' : `${Math.round(100 * recall.precisionAt5)}%`;
  return [
    ...stores.flatMap(describeStoreMetrics),
    `recalls: ${recall.recalls} kept, ${formatMs(recall.p50)} in the middle, ${formatMs(recall.p95)} at most for 95 of 100, ${recall.cacheHits} from the cache, ${recall.degraded} by words alone or otherwise short of something`,
    `precision of the first five: ${precision} (${pluralize(recall.judged, 'place')} judged)`,
    `embeddings: ${embedding.enabled ? `on, ${embedding.model}` : 'off, memories are found by words alone'}`,
    `embedding in this process: ${pluralize(embedding.calls, 'call')}, ${embedding.failures} failed, ${formatMs(embedding.averageMs)} on average`,
    ...alerts.map(it => `attention${it.store === undefined ? '' : `, ${it.store} store`}: ${it.text}`),
  ];
}

function describeStoreMetrics(store: StoreMetrics): string[] {
  const formatCounts = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const describeTier = ([name, use]: [string, StoreMetrics['tiers'][Tier]]): string =>
    `  ${name.padEnd(10)}  ${formatMemoryCount(use.count)}, ${formatBytes(use.bytes)} of ${formatBytes(use.quota)}`;
  const lastRun = store.lastRun;
  const { total, months } = store.items;
  const formatItems = ({ created, archived, deleted }: ItemCounts): string =>
    `${created} created, ${archived} archived, ${deleted} deleted`;
  return [
    `${store.store} store: ${formatCounts(store.status)}  ${store.file}`,
    ...Object.entries(store.tiers).map(describeTier),
    `  gates: ${formatCounts(store.gates)}`,
    `  lanes: ${formatCounts(store.lanes)}`,
    `  without search words: ${formatMemoryCount(store.withoutAids)}`,
    `  on disk: ${formatBytes(store.fileBytes)}, search indexes ${formatBytes(store.indexBytes)}, ${pluralize(store.vectors, 'vector')}, ${formatBytes(store.vectorBytes)} in memory while searching`,
    `  in all: ${formatItems(total)}`,
    ...Object.entries(months).map(([month, counts]) => `  ${month}: ${formatItems(counts)}`),
    `  growth: about ${formatBytes(store.bytesPerMonth)} a month`,
    lastRun === undefined
      ? '  maintenance: never run'
      : `  maintenance: ${lastRun.at}, ${lastRun.processed} looked at, ${lastRun.archived} archived, ${lastRun.pruned} deleted`,
    ...(store.dueAt === undefined ? [] : [`  due again: ${store.dueAt}`]),
  ];
}

function formatBytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`;
}
