import type { Context } from '../context.js';
import { requestLimits } from '../model/config.js';
import type { Memory } from '../model/memory.js';
import type { MemoryOrder, PlaceInput, PlacePage } from '../model/project.js';
import { predictArchiveTime } from '../scoring/forecast.js';
import { keptUntil } from '../scoring/retentionRules.js';
import type { StoreFilter } from '../store/store.js';
import { byNewest } from './listPage.js';
import { recall } from './recall.js';

/** A page of the memories of all stores of a context, for a person who looks through them. */
export async function listPlace(ctx: Context, input: PlaceInput): Promise<PlacePage> {
  const { query = '', words = '', order = 'newest', outOfUse = false, limit, offset = 0 } = input;
  const terms = words.toLowerCase().split(/\s+/u).filter(Boolean);
  const filter: StoreFilter = { scopeId: '', statuses: outOfUse ? ['archived', 'superseded'] : ['active'] };
  const hasTerms = ({ content }: Memory): boolean => terms.every(it => content.toLowerCase().includes(it));
  if (query.trim() !== '') {
    const found = await search(ctx, filter, { query: query.trim(), limit: offset + limit });
    return { memories: found.filter(hasTerms).slice(offset, offset + limit) };
  }
  if (order === 'newest' && terms.length === 0) {
    const pages = await Promise.all(
      ctx.stores.map(({ store }) => store.list(filter, { limit: offset + limit, offset: 0 })),
    );
    return {
      memories: pages
        .flat()
        .sort(byNewest)
        .slice(offset, offset + limit),
      total: await count(ctx, filter),
    };
  }
  const all = (await scan(ctx, { ...filter, ...longest(terms) })).filter(hasTerms);
  return { memories: sort(ctx, all, order).slice(offset, offset + limit), total: all.length };
}

/** Answers, best first, then the newest of those that contain the text. */
async function search(
  ctx: Context,
  filter: StoreFilter,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<Memory[]> {
  const { maxHits, maxTokenBudget } = requestLimits;
  const isInUse = filter.statuses?.includes('active') === true;
  const input = { query, limit: maxHits, tokenBudget: maxTokenBudget, isUntracked: true };
  const { hits } = isInUse ? await recall(ctx, input) : { hits: [] };
  const answers = hits.filter(it => it.broughtBy === undefined).map(it => it.memory);
  const rest = { ...filter, containing: query, exceptIds: answers.map(it => it.id) };
  const containing = await Promise.all(ctx.stores.map(({ store }) => store.list(rest, { limit, offset: 0 })));
  return [...answers, ...containing.flat().sort(byNewest)];
}

async function scan(ctx: Context, filter: StoreFilter): Promise<Memory[]> {
  const found: Memory[] = [];
  for (const { store } of ctx.stores) for await (const page of store.scanAll(filter)) found.push(...page);
  return found;
}

async function count(ctx: Context, { statuses = [] }: StoreFilter): Promise<number> {
  const groups = (await Promise.all(ctx.stores.map(({ store }) => store.groups('')))).flat();
  return groups.filter(it => statuses.includes(it.status)).reduce((sum, it) => sum + it.count, 0);
}

function sort(ctx: Context, memories: readonly Memory[], order: MemoryOrder): Memory[] {
  const rules = ctx.host.config().decay;
  const keyOf: Readonly<Record<MemoryOrder, (it: Memory) => number>> = {
    newest: () => 0,
    used: it => -(it.accessCount + it.reinforcementCount),
    fading: it =>
      Math.min(...[predictArchiveTime(it, rules), keptUntil(it, rules, it.centrality)].map(at => at ?? Infinity)),
  };
  const keys = new Map(memories.map(it => [it.id, keyOf[order](it)]));
  // Two that never fade differ by NaN.
  return memories.toSorted((a, b) => keys.get(a.id)! - keys.get(b.id)! || byNewest(a, b));
}

/** The word that leaves the fewest to read. */
function longest(terms: readonly string[]): Pick<StoreFilter, 'containing'> {
  const [containing] = terms.toSorted((a, b) => b.length - a.length);
  return containing === undefined ? {} : { containing };
}
