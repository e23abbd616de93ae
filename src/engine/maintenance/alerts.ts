import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import type { EngineError } from '../base/errors.js';
import type { Context } from '../context.js';
import type { Alert, MaintenanceRun } from '../model/maintenance.js';
import type { Tier } from '../model/memory.js';
import { dayMs } from '../model/duration.js';
import { tiers } from '../scoring/tier.js';
import type { Store } from '../store/store.js';
import { tierUsage } from './metrics.js';
import { listRuns } from './run.js';

/** A store's record of the last run whose removals a person has seen. */
const seenRunId = 'seenRun';
interface SeenRun {
  /** When the run began, ISO-8601 UTC. */
  readonly at: string;
}

/** From as many on, or from a share of what a run looked at, a person should look at what it removed. */
const manyRemoved = 100;
const [minRemoved, removedShare] = [20, 0.25];
/** An older run needs no look any more. */
const maxRunAgeDays = 30;

const bytesPerKb = 1024;

const tierNames: Readonly<Record<Tier, LocalizableMessage>> = {
  imported: message`imported notes`,
  shared: message`memories that the team shares`,
  'short-term': message`short-term memories`,
  'long-term': message`long-term memories`,
  permanent: message`permanent memories`,
};

/** Problems of this program that may still exist. */
export interface ProgramFailures {
  /** Of the last change. */
  readonly write: EngineError | undefined;
  /** Of the last scheduled run. */
  readonly maintenance: LocalizableMessage | undefined;
}

/** Alerts about the stores: counts all memories. */
export async function collectStoreAlerts(ctx: Context): Promise<readonly Alert[]> {
  return (await Promise.all(ctx.stores.map(({ store }) => storeAlerts(ctx, store)))).flat();
}

/** A person has seen what runs removed. */
export async function confirmRemovals({ stores, host }: Pick<Context, 'stores' | 'host'>): Promise<void> {
  for (const { store } of stores) {
    const at = (await listRuns(store))[0]?.at;
    if (at === undefined || store.readOnly || (await readSeenAt(store)) === at) continue;
    await store.write(host.client, async tx => {
      await tx.putRecord('state', seenRunId, { at } satisfies SeenRun);
      await tx.announce();
    });
  }
}

/**
 * Confirms that a person has seen the notices of damaged stores.
 * @param options.alsoOlderCopies whether they have seen what `verify` says too: which stores are older copies, which is no
 * notice
 */
export async function confirmDamage(
  { stores }: Pick<Context, 'stores'>,
  { alsoOlderCopies = false }: { readonly alsoOlderCopies?: boolean } = {},
): Promise<void> {
  for (const { store } of stores) if (alsoOlderCopies || store.notices.length > 0) await store.confirmNotices();
}

async function storeAlerts(ctx: Context, store: Store): Promise<Alert[]> {
  const { kind } = store;
  const usage = tierUsage(ctx, await store.inventory());
  const overQuota = tiers.filter(it => usage[it].bytes > usage[it].quota);
  const run = await findRunToSee(store, ctx.host.now());
  return [
    ...store.notices.map(text => ({ kind: 'storeDamaged', store: kind, text }) as const),
    ...overQuota.map(it => ({ kind: 'overQuota', store: kind, text: overQuotaText(it, usage[it]) }) as const),
    ...(run === undefined ? [] : [{ kind: 'manyRemoved', store: kind, text: manyRemovedText(run) } as const]),
  ];
}

/** Alerts about this program: reads nothing. */
export function collectProgramAlerts(
  { embedder }: Pick<Context, 'embedder'>,
  { write, maintenance }: ProgramFailures,
): readonly Alert[] {
  const embeddingText = embeddingProblem(embedder);
  return [
    ...(write === undefined
      ? []
      : [{ kind: 'writeFailed', text: message`The last change was not stored. ${write.localizable}` } as const]),
    ...(maintenance === undefined
      ? []
      : [{ kind: 'maintenanceFailed', text: message`The last maintenance failed. ${maintenance}` } as const]),
    ...(embeddingText === undefined ? [] : [{ kind: 'embeddingFailed', text: embeddingText } as const]),
  ];
}

function embeddingProblem({
  model,
  unavailableReason,
  retryDelayMs,
  counts,
}: Context['embedder']): LocalizableMessage | undefined {
  switch (unavailableReason) {
    case 'modelUnusable':
      return message`The embedding model of the settings cannot be used, so memories are found by words alone. Choose another one: recollect.embeddings`;
    case 'endpointBudget':
      return message`The embedding endpoint has used its tokens of the day, so memories are found by words alone until the next day (UTC). The setting recollect.embeddingEndpoint.dailyTokens has more.`;
    case 'endpointFails':
      // Before its first use it has not failed yet.
      return retryDelayMs === 0
        ? undefined
        : message`The embedding endpoint gives no vectors now, so memories are found by words alone. It is asked again by itself. To see what is wrong, test it: recollect models endpoint, or "Recollect: Embedding Endpoint…" in VS Code.`;
    case 'embeddingsOff':
    case 'endpointUnasked':
      return undefined;
    case undefined:
      // Of an endpoint that can be asked again, the failure before says nothing.
      return model !== undefined && counts.isFailing && retryDelayMs === undefined
        ? message`The embedding model ${model.name} does not run, so memories are found by words alone. The log says why; another model can be chosen: recollect.embeddings`
        : undefined;
  }
}

function overQuotaText(
  tier: Tier,
  { bytes, quota }: { readonly bytes: number; readonly quota: number },
): LocalizableMessage {
  const [size, limit] = [Math.ceil(bytes / bytesPerKb), Math.floor(quota / bytesPerKb)];
  // A permanent memory is never archived by itself.
  return tier === 'permanent'
    ? message`Over the quota: ${tierNames[tier]}, ${size} of ${limit} KB. Unpin what no longer matters, or raise the quota: recollect.maintenance.quotas`
    : message`Over the quota: ${tierNames[tier]}, ${size} of ${limit} KB. Run maintenance, which forgets the least useful ones, or raise the quota: recollect.maintenance.quotas`;
}

function manyRemovedText({ at, counts: { faded, expired, quota, pruned } }: MaintenanceRun): LocalizableMessage {
  return message`Maintenance on ${at.slice(0, 10)} forgot ${faded + expired + quota} memories and deleted ${pruned} for good. Look at what went; what was forgotten can be restored.`;
}

/** The newest run that removed much and that no person has seen; an undone one needs no look. */
async function findRunToSee(store: Store, now: Date): Promise<MaintenanceRun | undefined> {
  const since = new Date(now.getTime() - maxRunAgeDays * dayMs).toISOString();
  const run = (await listRuns(store)).find(it => it.at >= since && removesMuch(it));
  if (run === undefined || ((await readSeenAt(store)) ?? '') >= run.at) return undefined;
  if (run.counts.pruned === 0 && (await store.autoArchivedAt(run.at)).length === 0) return undefined;
  return run;
}

function removesMuch({ processed, counts: { faded, expired, quota, pruned } }: MaintenanceRun): boolean {
  const removed = faded + expired + quota + pruned;
  return removed >= manyRemoved || (removed >= minRemoved && removed >= removedShare * processed);
}

async function readSeenAt(store: Store): Promise<string | undefined> {
  return (await store.record<SeenRun>('state', seenRunId))?.body.at;
}
