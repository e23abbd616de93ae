import { unsearchableArchiveReasons } from '../../model/memory.js';
import type { HotSince } from '../../scoring/temperature.js';
import type { StoreFilter } from '../store.js';
import type { SharedValue, SqlDialect } from './sharedSql.js';

/** Keeps a value for a query, and returns its parameter. Called in the order in which the parameters are in the query. */
export type Bind = (value: SharedValue) => string;

/** A filter as the WHERE clause of a query over `memories m`. */
export function filterSql(filter: StoreFilter, dialect: SqlDialect, bind: Bind): string {
  const parts: string[] = [];
  const addOneOf = (column: string, values: readonly string[] | undefined): void => {
    // A page is read in the order of an index only for an equality.
    if (values?.length === 1) parts.push(`${column} = ${bind(values[0]!)}`);
    else if (values !== undefined) parts.push(dialect.isIn(column, bind(JSON.stringify(values))));
  };

  // A document or a session has few memories, but SQLite would scan the whole set, newest first; and a text is searched in
  // every memory, which in the order of the table takes a sixth of the time.
  const texts = [filter.containing, ...(filter.words ?? [])].filter(it => it !== undefined);
  const needsNoIndex = filter.uri !== undefined || filter.session !== undefined || texts.length > 0;
  parts.push(`${needsNoIndex ? dialect.unindexed('m.scope_id') : 'm.scope_id'} = ${bind(filter.scopeId)}`);
  addOneOf('m.status', filter.statuses);
  addOneOf('m.gate', filter.gates);
  addOneOf('m.kind', filter.kinds);
  addOneOf('m.decay_class', filter.decayClasses);
  if (filter.lane !== undefined) parts.push(`m.lane = ${bind(filter.lane)}`);
  if (filter.pinned !== undefined) parts.push(`m.pinned = ${bind(filter.pinned ? 1 : 0)}`);
  if (filter.since !== undefined) parts.push(`m.created_at >= ${bind(filter.since)}`);
  if (filter.until !== undefined) parts.push(`m.created_at < ${bind(filter.until)}`);
  if (filter.uri !== undefined) parts.push(`m.uri = ${bind(filter.uri)}`);
  if (filter.session !== undefined) parts.push(`m.session = ${bind(filter.session)}`);
  if (filter.temperature !== undefined) {
    const isHot = isHotSql(filter.temperature.since, dialect, bind);
    parts.push(filter.temperature.is === 'hot' ? isHot : `NOT ${isHot}`);
  }
  if (filter.withoutAids === true) parts.push(missingAidsSql(dialect));
  if (filter.tags !== undefined && filter.tags.length > 0)
    parts.push(dialect.hasTags(bind(JSON.stringify(filter.tags))));
  for (const text of texts) {
    const pattern = dialect.containing(text);
    parts.push(pattern === undefined ? 'FALSE' : dialect.fits('m.content', bind(pattern)));
  }
  if (filter.ids !== undefined) parts.push(dialect.isIn('m.id', bind(JSON.stringify(filter.ids))));
  if (filter.exceptIds !== undefined && filter.exceptIds.length > 0)
    parts.push(`NOT (${dialect.isIn('m.id', bind(JSON.stringify(filter.exceptIds)))})`);
  // Active memories have no reason; their index answers without reading them.
  const isActive = filter.statuses?.every(it => it === 'active') === true;
  if (filter.withoutForgotten === true && !isActive) {
    const hidden = bind(JSON.stringify(unsearchableArchiveReasons));
    parts.push(`NOT (${dialect.isIn("coalesce(m.archive_reason, '')", hidden)})`);
  }
  return parts.join(' AND ');
}

/**
 * Condition on `memories m`: it is hot, that is in use. A person pinned it or called it critical, or it was used, said or changed
 * in the last 30 days, or 60 if it was used often; and code, which is as it is. Everything else is cold: an answer finds it.
 */
function isHotSql({ usual, ofOftenUsed, oftenUsed }: HotSince, { latest }: SqlDialect, bind: Bind): string {
  const lastTime = latest('m.updated_at', 'm.reinforced_at', "coalesce(m.accessed_at, '')");
  return `(m.pinned = 1 OR m.decay_class = 'permanent' OR m.source = 'code-index'
    OR ${lastTime} >= CASE WHEN m.access_count > ${bind(oftenUsed)} THEN ${bind(ofOftenUsed)} ELSE ${bind(usual)} END)`;
}

/** Condition on `memories m`: it lacks search aids and may have some. Code is found by its names. */
export function missingAidsSql({ isAidOf }: SqlDialect): string {
  return `m.source <> 'code-index' AND NOT EXISTS (SELECT 1 FROM aids a WHERE ${isAidOf})`;
}
