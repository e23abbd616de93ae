import type { CountedItems, ItemCounts, ItemHistory } from '../model/maintenance.js';
import { dayMs } from '../model/duration.js';
import type { Store, StoreTransaction } from '../store/store.js';

/** A store's record of what its audit log added up to, so that no later look reads the whole log. */
const stateId = 'items';
const keptMonths = 12;
const keptDays = 30;

type State = ItemHistory & Pick<CountedItems, 'head'>;

/** Counts of created, archived and deleted memories: the sum that is kept, and what the audit log has had since. */
export async function readItemHistory(store: Store, now: Date): Promise<ItemHistory> {
  const { head, ...history } = await countHistory(store, now);
  return history;
}

/** Makes what keeps the sum, in a transaction that is there anyway. */
export async function prepareItemHistory(store: Store, now: Date): Promise<(tx: StoreTransaction) => Promise<void>> {
  const state = await countHistory(store, now);
  return tx => tx.putRecord('state', stateId, state);
}

async function countHistory(store: Store, now: Date): Promise<State> {
  const state = (await store.record<State>('state', stateId))?.body;
  const { isWhole, head, days } = await store.countItems(state?.head ?? '');
  const before = isWhole ? undefined : state;
  const months = Object.entries(days).map(([day, counts]) => [day.slice(0, 'YYYY-MM'.length), counts] as const);
  const firstDay = new Date(now.getTime() - (keptDays - 1) * dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const firstMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keptMonths + 1)).toISOString();
  return {
    head,
    total: Object.values(days).reduce(add, before?.total ?? none),
    months: addPeriods(before?.months, months, firstMonth.slice(0, 'YYYY-MM'.length)),
    days: addPeriods(before?.days, Object.entries(days), firstDay),
  };
}

const none: ItemCounts = { created: 0, archived: 0, deleted: 0 };

function add(a: ItemCounts, b: ItemCounts): ItemCounts {
  return { created: a.created + b.created, archived: a.archived + b.archived, deleted: a.deleted + b.deleted };
}

/** The sums by period, from the first one that is kept on. */
function addPeriods(
  before: Readonly<Record<string, ItemCounts>> = {},
  later: readonly (readonly [period: string, counts: ItemCounts])[],
  first: string,
): Readonly<Record<string, ItemCounts>> {
  const sums = new Map(Object.entries(before));
  for (const [period, counts] of later) sums.set(period, add(sums.get(period) ?? none, counts));
  return Object.fromEntries([...sums].filter(([period]) => period >= first).sort(([a], [b]) => (a < b ? -1 : 1)));
}
