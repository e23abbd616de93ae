import type { MaintenanceAction, MaintenanceRun, Metrics, StoreMetrics } from '../engine/model/maintenance.js';
import { maintenanceActions } from '../engine/model/maintenance.js';
import { shortId, type Memory, type Tier } from '../engine/model/memory.js';
import { pluralize, formatMemoryCount } from '../engine/model/pluralize.js';

const actionWords: Readonly<Record<MaintenanceAction, string>> = {
  faded: 'faded',
  expired: 'expired',
  quota: 'over quota',
  pruned: 'deleted',
};

/** A run for a person: what it did or would do, each memory that goes with the reason, and how the tiers stand. */
export function describeRun(run: MaintenanceRun, texts: ReadonlyMap<string, Memory>): string[] {
  const { counts, inputs, dryRun, status } = run;
  const archived = counts.faded + counts.expired + counts.quota;
  const would = dryRun ? 'would be ' : '';
  return [
    `${run.store} store: of ${formatMemoryCount(run.processed)} ${archived} ${would}archived and ${counts.pruned} deleted${status === 'finished' ? '' : ` (${status})`}`,
    `  decided by: profile ${inputs.profile}, preset ${inputs.preset}, ${pluralize(inputs.goals.length, 'goal')}, ${pluralize(inputs.promises, 'open promise')}${inputs.branch === undefined ? '' : `, branch ${inputs.branch}`}`,
    ...maintenanceActions.flatMap(action => describeAction(run, action, texts)),
    ...Object.entries(run.tiers).map(([tier, use]) => {
      const kept = use.protected > use.quota ? ', all of it pinned, critical or promised' : '';
      return `  ${tier.padEnd(10)}  ${kilobytes(use.before)} before, ${kilobytes(use.after)} after, quota ${kilobytes(use.quota)}${kept}`;
    }),
    ...(run.leftOver === 0
      ? []
      : [
          `  ${kilobytes(run.leftOver)} are still over quota: a day's runs archive at most ${kilobytes(inputs.bytesPerRun)}`,
        ]),
    ...(run.promisesToRevisit === 0
      ? []
      : [`  ${pluralize(run.promisesToRevisit, 'promise')} faded or past due, to stay until you decide`]),
    ...(dryRun || archived === 0 ? [] : [`  undo with: recollect maintain --undo ${shortId(run)}`]),
    ...run.warnings.map(it => `  ${it}`),
  ];
}

function describeAction(run: MaintenanceRun, action: MaintenanceAction, texts: ReadonlyMap<string, Memory>): string[] {
  const lines = run.decisions[action].map(({ id, effective, score }) => {
    const why = score === undefined ? `${Math.round(effective)}% left` : `score ${score.toFixed(2)}`;
    return `    #${shortId({ id })}  ${actionWords[action]}, ${why}  ${texts.get(id)?.summary ?? ''}`.trimEnd();
  });
  return [...lines, ...(run.more[action] > 0 ? [`    and ${run.more[action]} more ${actionWords[action]}`] : [])];
}

/** One run on one line. */
export function runLine(run: MaintenanceRun): string {
  const { faded, expired, quota, pruned } = run.counts;
  const did = `${faded} faded, ${expired} expired, ${quota} over quota, ${pruned} deleted`;
  return `#${shortId(run)}  ${run.at}  ${run.store.padEnd(7)}  ${run.status}  ${did}  (${run.trigger}, ${run.inputs.preset})`;
}

export function describeMetrics({ stores, recall, embedding }: Metrics): string[] {
  const ms = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(1)} ms`);
  const precision = recall.precisionAt5 === undefined ? 'not judged yet' : `${Math.round(100 * recall.precisionAt5)}%`;
  return [
    ...stores.flatMap(describeStore),
    `recalls: ${recall.recalls} kept, ${ms(recall.p50)} in the middle, ${ms(recall.p95)} at most for 95 of 100, ${recall.cacheHits} from the cache, ${recall.degraded} by words alone or otherwise short of something`,
    `precision of the first five: ${precision} (${pluralize(recall.judged, 'place')} judged)`,
    `embedding in this process: ${pluralize(embedding.calls, 'call')}, ${embedding.failures} failed, ${ms(embedding.averageMs)} on average`,
  ];
}

function describeStore(it: StoreMetrics): string[] {
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const tier = ([name, use]: [string, StoreMetrics['tiers'][Tier]]): string =>
    `  ${name.padEnd(10)}  ${formatMemoryCount(use.count)}, ${kilobytes(use.bytes)} of ${kilobytes(use.quota)}`;
  const last = it.lastRun;
  return [
    `${it.store} store: ${list(it.status)}  ${it.file}`,
    ...Object.entries(it.tiers).map(tier),
    `  gates: ${list(it.gates)}`,
    `  lanes: ${list(it.lanes)}`,
    `  on disk: ${kilobytes(it.fileBytes)}, search indexes ${kilobytes(it.indexBytes)}, ${pluralize(it.vectors, 'vector')}`,
    last === undefined
      ? '  maintenance: never run'
      : `  maintenance: ${last.at}, ${last.processed} looked at, ${last.archived} archived, ${last.pruned} deleted`,
    ...(it.dueAt === undefined ? [] : [`  due again: ${it.dueAt}`]),
  ];
}

function kilobytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`;
}
