import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { storesInScope, type Context } from '../context.js';
import { requestLimits } from '../model/config.js';
import type { Memory, SearchAids } from '../model/memory.js';
import type { GroupCount, GroupsInput, ListInput } from '../model/query.js';
import { hotSince } from '../scoring/temperature.js';
import type { StoreFilter } from '../store/store.js';
import { normalizeFilter } from './recallQuery.js';

/** A page of the memories of all stores of the scope, newest first. @throws EngineError invalidInput */
export async function listPage(ctx: Context, input: ListInput): Promise<Memory[]> {
  const { scope = 'project-then-global', limit = 100, offset = 0 } = input;
  const areWhole = Number.isInteger(limit) && Number.isInteger(offset);
  if (!areWhole || limit < 1 || limit > requestLimits.maxPageSize || offset < 0) {
    throw new EngineError(
      'invalidInput',
      message`limit must be a whole number from 1 to ${requestLimits.maxPageSize}, offset 0 or more.`,
    );
  }
  const storeFilter = toStoreFilter(ctx, input);
  const pages = await Promise.all(
    storesInScope(ctx, scope).map(it => it.list(storeFilter, { limit: offset + limit, offset: 0 })),
  );
  return pages
    .flat()
    .sort(byNewest)
    .slice(offset, offset + limit);
}

export function byNewest(a: Memory, b: Memory): number {
  if (a.createdAt === b.createdAt) return a.id < b.id ? 1 : -1;
  return a.createdAt < b.createdAt ? 1 : -1;
}

/** How many memories `listPage` would return in all, whatever its page. @throws EngineError invalidInput */
export async function countListed(ctx: Context, input: ListInput): Promise<number> {
  const storeFilter = toStoreFilter(ctx, input);
  const stores = storesInScope(ctx, input.scope ?? 'project-then-global');
  const counts = await Promise.all(stores.map(it => it.count(storeFilter)));
  return counts.reduce((sum, it) => sum + it, 0);
}

function toStoreFilter(
  ctx: Context,
  { scope: _scope, scopeId = '', limit: _limit, offset: _offset, temperature, ...filter }: ListInput,
): StoreFilter {
  return {
    ...normalizeFilter(filter),
    scopeId,
    statuses: filter.statuses ?? ['active'],
    ...(temperature === undefined ? {} : { temperature: { is: temperature, since: hotSince(ctx.aging.now()) } }),
  };
}

/** How many memories there are of each gate, class, kind and status, over every store of the scope. */
export async function readGroups(
  ctx: Context,
  { scope = 'project-then-global', scopeId = '', period }: GroupsInput,
): Promise<GroupCount[]> {
  const counts = storesInScope(ctx, scope).map(it => it.groups(scopeId, period));
  return (await Promise.all(counts)).flat();
}

/** The memories with these ids in any store, in the order given. */
export async function readMemories(ctx: Context, ids: readonly string[]): Promise<Memory[]> {
  const found = (await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat();
  const byId = new Map(found.map(it => [it.id, it]));
  return ids.flatMap(it => byId.get(it) ?? []);
}

/** Search aids by memory id, of those that have any. */
export async function readAids(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
  const found = await Promise.all(ctx.stores.map(it => it.store.aids(ids)));
  return new Map(found.flatMap(it => [...it]));
}
