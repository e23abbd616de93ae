import type { Context } from '../context.js';
import type { Timeline, TimelineInput, TimelineWeek } from '../model/explanation.js';
import { kinds, statuses, type Memory } from '../model/memory.js';
import type { Period } from '../model/query.js';

/**
 * The newest weeks in which something was learned, without the empty ones between them. Reads what lies in these weeks,
 * however much there is in others.
 */
export async function readTimeline(ctx: Context, { before, weeks, memoriesPerWeek }: TimelineInput): Promise<Timeline> {
  const found: TimelineWeek[] = [];
  let until = before === undefined ? undefined : weekFrom(before).since;
  let newest = await newestBefore(ctx, until);
  while (newest !== undefined && found.length < weeks) {
    const created = new Date(newest.createdAt);
    // A damaged date belongs to no week.
    if (Number.isNaN(created.getTime())) until = newest.createdAt;
    else {
      const week = weekOf(created);
      found.push(await readWeek(ctx, week, memoriesPerWeek));
      until = week.since;
    }
    newest = await newestBefore(ctx, until);
  }
  return { weeks: found, hasMore: newest !== undefined };
}

interface Week extends Period {
  /** `YYYY-MM-DD`. */
  readonly monday: string;
}

async function readWeek(ctx: Context, { monday, ...period }: Week, limit: number): Promise<TimelineWeek> {
  const [memories, groups] = await Promise.all([
    newestOf(ctx, period, limit),
    Promise.all(ctx.stores.map(it => it.store.groups('', period))),
  ]);
  const counts = groups.flat();
  const countOf = (its: typeof counts): number => its.reduce((sum, it) => sum + it.count, 0);
  const byKind = kinds
    .map(kind => ({ kind, count: countOf(counts.filter(it => it.kind === kind)) }))
    .filter(it => it.count > 0)
    .sort((a, b) => b.count - a.count);
  return { monday, count: countOf(counts), byKind, memories };
}

async function newestBefore(ctx: Context, until: string | undefined): Promise<Memory | undefined> {
  return (await newestOf(ctx, until === undefined ? {} : { until }, 1))[0];
}

/** Newest first, of every status. */
async function newestOf(ctx: Context, period: Partial<Period>, limit: number): Promise<Memory[]> {
  // One status at a time: for several at once, SQLite would sort all that there are.
  const lists = ctx.stores.flatMap(({ store }) =>
    statuses.map(it => store.list({ ...period, scopeId: '', statuses: [it] }, { limit, offset: 0 })),
  );
  return (await Promise.all(lists))
    .flat()
    .sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1))
    .slice(0, limit);
}

/** The week from Monday to Sunday around a moment, in the time zone of this machine. */
function weekOf(moment: Date): Week {
  const daysSinceMonday = (moment.getDay() + 6) % 7;
  return weekAt(moment.getFullYear(), moment.getMonth(), moment.getDate() - daysSinceMonday);
}

/** @param monday `YYYY-MM-DD` */
function weekFrom(monday: string): Week {
  const [year, month, day] = monday.split('-').map(Number) as [number, number, number];
  return weekAt(year, month - 1, day);
}

function weekAt(year: number, month: number, day: number): Week {
  const start = new Date(year, month, day);
  const monday = [start.getFullYear(), start.getMonth() + 1, start.getDate()].map(it => String(it).padStart(2, '0'));
  return {
    monday: monday.join('-'),
    since: start.toISOString(),
    until: new Date(year, month, day + 7).toISOString(),
  };
}
