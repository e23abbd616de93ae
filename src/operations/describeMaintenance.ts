import type {
  Alert,
  ItemCounts,
  MaintenanceAction,
  MaintenanceRun,
  Metrics,
  StoreMetrics,
} from '../engine/model/maintenance.js';
import { maintenanceActions, ruledKinds, type RuledKind, type TakenBack } from '../engine/model/maintenance.js';
import { shortId, type Memory, type Tier } from '../engine/model/memory.js';
import { formatMemoryCount, formatNumber, pluralize } from '../engine/model/pluralize.js';

const actionLabels: Readonly<Record<MaintenanceAction, string>> = {
  faded: 'faded',
  expired: 'expired',
  quota: 'no room',
  pruned: 'deleted',
};

/** A run for a person: what it did or would do, each memory that goes with the reason, and how full the tiers are. */
export function describeRun(run: MaintenanceRun, memoriesById: ReadonlyMap<string, Memory>): string[] {
  const { counts, inputs, dryRun, status } = run;
  const archived = counts.faded + counts.expired + counts.quota;
  const would = dryRun ? 'would be ' : '';
  return [
    `${run.store} store: of ${formatMemoryCount(run.processed)} ${archived} ${would}forgotten and ${counts.pruned} deleted for good${status === 'finished' ? '' : ` (${status})`}`,
    `  decided by: profile ${inputs.profile}, preset ${inputs.preset}, ${pluralize(inputs.goals.length, 'goal')}, ${pluralize(inputs.promises, 'open promise')}${inputs.branch === undefined ? '' : `, branch ${inputs.branch}`}`,
    ...describeTakenBack(run, memoriesById),
    ...maintenanceActions.flatMap(action => describeAction(run, action, memoriesById)),
    ...Object.entries(run.tiers).map(([tier, use]) => {
      const protectedNote = use.protected > use.quota ? ', all of it pinned, critical or promised' : '';
      return `  ${tier.padEnd(10)}  ${formatBytes(use.before)} before, ${formatBytes(use.after)} after, room for ${formatBytes(use.quota)}${protectedNote}`;
    }),
    ...(run.leftOver === 0
      ? []
      : [
          `  ${formatBytes(run.leftOver)} are still too much: the runs of a day forget at most ${formatBytes(inputs.bytesPerRun)}`,
        ]),
    ...(run.promisesToRevisit === 0
      ? []
      : [`  ${pluralize(run.promisesToRevisit, 'promise')} faded or past due, to stay until you decide`]),
    ...(dryRun || (archived === 0 && run.takenBack === undefined)
      ? []
      : [`  undo with: recollect maintain --undo ${shortId(run)}`]),
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

const ruledLabels: Readonly<Record<RuledKind, string>> = {
  day: 'days',
  life: 'short lives',
  points: 'confidence',
  mark: 'contradictions',
};

/** Judgements by rules of an earlier version, by kind. */
function describeTakenBack({ takenBack, dryRun }: MaintenanceRun, memoriesById: ReadonlyMap<string, Memory>): string[] {
  if (takenBack === undefined) return [];
  const verb = dryRun ? 'would be taken back' : 'taken back';
  return [
    `  ${verb}, for rules of an earlier version gave it and no person or assistant did:`,
    ...ruledKinds.flatMap(kind => {
      const items = takenBack.items.filter(it => it.kind === kind);
      const more = takenBack.counts[kind] - items.length;
      return [
        ...(items.length === 0 ? [] : [`  ${ruledLabels[kind]}: ${takenBack.counts[kind]}`]),
        ...items.map(it =>
          `    #${shortId(it)}  ${formatTakenBack(it)}  ${memoriesById.get(it.id)?.summary ?? ''}`.trimEnd(),
        ),
        ...(more > 0 ? [`    and ${more} more`] : []),
      ];
    }),
  ];
}

function formatTakenBack({ kind, from, to }: TakenBack): string {
  if (kind === 'day') return from.slice(0, 10);
  return kind === 'mark' ? `contradicts #${shortId({ id: from })}` : `${from} -> ${to ?? ''}`;
}

/** One run on one line. */
export function formatRunLine(run: MaintenanceRun): string {
  const { faded, expired, quota, pruned } = run.counts;
  const summary = `${faded} faded, ${expired} expired, ${quota} without room, ${pruned} deleted for good`;
  return `#${shortId(run)}  ${run.at}  ${run.store.padEnd(7)}  ${run.status}  ${summary}  (${run.trigger}, ${run.inputs.preset})`;
}

export function describeMetrics({ stores, recall, embedding, alerts }: Metrics): string[] {
  return [
    ...stores.flatMap(describeStoreMetrics),
    describeRecalls(recall),
    recall.precisionAt5 === undefined
      ? 'precision of the first five: not judged yet'
      : `precision of the first five: ${Math.round(100 * recall.precisionAt5)}% of ${pluralize(recall.judged, 'judged memory', 'judged memories')} helped`,
    `embeddings: ${embedding.enabled ? `on, ${embedding.model}` : 'off, memories are found by words alone'}`,
    ...(embedding.averageMs === undefined
      ? []
      : [
          `embedding by this command: ${pluralize(embedding.calls, 'call')}, ${embedding.failures} failed, ${formatMs(embedding.averageMs)} on average`,
        ]),
    ...alerts.map(it => `attention${it.store === undefined ? '' : `, ${it.store} store`}: ${describeAlert(it)}`),
  ];
}

/** An alert with what settles it. */
export function describeAlert({ kind, text }: { readonly kind: Alert['kind']; readonly text: string }): string {
  return kind === 'syncWaits' ? `${text} Decide: recollect sync` : text;
}

const formatMs = (value: number): string => `${value.toFixed(1)} ms`;

/** Of the traces that are kept. */
function describeRecalls({ recalls, p50, p95, cacheHits, degraded }: Metrics['recall']): string {
  if (p50 === undefined || p95 === undefined) return `recalls on record: ${formatNumber(recalls)}`;
  return `recalls on record: ${formatNumber(recalls)}, median ${formatMs(p50)}, 95% within ${formatMs(p95)}, ${formatNumber(cacheHits)} from the cache, ${formatNumber(degraded)} by words alone or otherwise incomplete`;
}

function describeStoreMetrics(store: StoreMetrics): string[] {
  const formatCounts = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${formatNumber(count)}`)
      .join(', ');
  const describeTier = ([name, use]: [string, StoreMetrics['tiers'][Tier]]): string =>
    `  ${name.padEnd(10)}  ${formatMemoryCount(use.count)}, ${formatBytes(use.bytes)} of ${formatBytes(use.quota)}`;
  const { lastRun, dueAt } = store;
  const { active, superseded, archived } = store.status;
  const { total, months } = store.items;
  const formatItems = ({ created, deleted, ...others }: ItemCounts): string =>
    `${formatNumber(created)} created, ${formatNumber(others.archived)} forgotten, ${formatNumber(deleted)} deleted for good`;
  const due = dueAt === undefined ? '' : `, next due ${dueAt.slice(0, 10)}`;
  return [
    `${store.store} store: ${formatCounts({ active, replaced: superseded, forgotten: archived })}`,
    `  file: ${store.file}`,
    ...Object.entries(store.tiers).map(describeTier),
    `  gates: ${formatCounts(store.gates)}`,
    `  lanes: ${formatCounts(store.lanes)}`,
    `  without search words of their own yet: ${formatMemoryCount(store.withoutAids)}`,
    `  on disk: ${formatBytes(store.fileBytes)}, search indexes ${formatBytes(store.indexBytes)}`,
    `  ${pluralize(store.vectors, 'vector')}: ${formatBytes(store.vectorBytes)} in memory while searching`,
    `  since the beginning: ${formatItems(total)}`,
    ...Object.entries(months).map(([month, counts]) => `  ${month}: ${formatItems(counts)}`),
    `  growth: about ${formatBytes(store.bytesPerMonth)} a month`,
    lastRun === undefined
      ? `  maintenance: never run${due}`
      : `  maintenance: last run ${lastRun.at.slice(0, 10)}, ${lastRun.processed} looked at, ${lastRun.archived} forgotten, ${lastRun.pruned} deleted for good${due}`,
  ];
}

const byteUnits = ['B', 'KB', 'MB', 'GB'] as const;

/** `873 B`, `2.0 MB`: in steps of 1,024, as the quotas are. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  // A value that one decimal would round up to 1,024 is 1.0 of the next unit.
  while (unit < byteUnits.length - 1 && (unit === 0 ? value : Math.round(value * 10) / 10) >= 1024) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${byteUnits[unit]!}`;
}
