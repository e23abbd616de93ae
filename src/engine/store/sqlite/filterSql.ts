import { unsearchableArchiveReasons } from '../../model/memory.js';
import type { StoreFilter } from '../store.js';
import type { SqlValue } from '../../database/database.js';
import type { HotSince } from '../../scoring/temperature.js';
import { missingAidsSql } from './aids.js';

/** A filter as the WHERE clause of a query over `memories m`. */
export function buildFilterSql(filter: StoreFilter): { where: string; params: SqlValue[] } {
  const parts: string[] = [];
  const params: SqlValue[] = [];
  const add = (sql: string, ...values: SqlValue[]): void => {
    parts.push(sql);
    params.push(...values);
  };
  const addOneOf = (column: string, values: readonly string[] | undefined): void => {
    // SQLite can read a page in index order only for an equality.
    if (values?.length === 1) add(`${column} = ?`, values[0]!);
    else if (values !== undefined) add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values));
  };

  // The plus disables the index of the set: a document or a session has few memories, but SQLite would scan the whole
  // set, newest first; and a text is searched in every memory, which in the order of the table takes a sixth of the time.
  const texts = [filter.containing, ...(filter.words ?? [])].filter(it => it !== undefined);
  const needsNoIndex = filter.uri !== undefined || filter.session !== undefined || texts.length > 0;
  add(`${needsNoIndex ? '+' : ''}m.scope_id = ?`, filter.scopeId);
  addOneOf('m.status', filter.statuses);
  addOneOf('m.gate', filter.gates);
  addOneOf('m.kind', filter.kinds);
  addOneOf('m.decay_class', filter.decayClasses);
  if (filter.lane !== undefined) add('m.lane = ?', filter.lane);
  if (filter.pinned !== undefined) add('m.pinned = ?', filter.pinned ? 1 : 0);
  if (filter.since !== undefined) add('m.created_at >= ?', filter.since);
  if (filter.until !== undefined) add('m.created_at < ?', filter.until);
  if (filter.uri !== undefined) add('m.uri = ?', filter.uri);
  if (filter.session !== undefined) add('m.session = ?', filter.session);
  if (filter.temperature !== undefined) {
    const { is, since } = filter.temperature;
    const { condition, params: times } = isHotSql(since);
    add(is === 'hot' ? condition : `NOT ${condition}`, ...times);
  }
  if (filter.withoutAids === true) add(missingAidsSql);
  if (filter.tags !== undefined && filter.tags.length > 0) {
    const missing =
      'SELECT value FROM json_each(?) EXCEPT SELECT value FROM json_each(iif(json_valid(m.tags), m.tags, ?))';
    add(`NOT EXISTS (${missing})`, JSON.stringify(filter.tags), '[]');
  }
  for (const text of texts) add('m.content GLOB ?', toGlob(text));
  if (filter.exceptIds !== undefined && filter.exceptIds.length > 0)
    add('m.id NOT IN (SELECT value FROM json_each(?))', JSON.stringify(filter.exceptIds));
  // Active memories have no reason; their index answers without reading them.
  const isActive = filter.statuses?.every(it => it === 'active') === true;
  if (filter.withoutForgotten === true && !isActive) {
    const hidden = 'SELECT value FROM json_each(?)';
    add(`coalesce(m.archive_reason, '') NOT IN (${hidden})`, JSON.stringify(unsearchableArchiveReasons));
  }
  return { where: parts.join(' AND '), params };
}

/** Whether a row of `memories m` is hot, as `temperatureOf` says it. */
export function isHotSql({ usual, ofOftenUsed, oftenUsed }: HotSince): {
  readonly condition: string;
  readonly params: readonly SqlValue[];
} {
  return {
    condition: `(m.pinned = 1 OR m.decay_class = 'permanent' OR m.source = 'code-index'
      OR max(m.updated_at, m.reinforced_at, coalesce(m.accessed_at, '')) >= iif(m.access_count > ?, ?, ?))`,
    params: [oftenUsed, ofOftenUsed, usual],
  };
}

/** A pattern for what contains a text in any case: LIKE would ignore the case of ASCII letters only. */
function toGlob(text: string): string {
  const parts = Array.from(text, it => {
    // A few letters have no counterpart of one letter.
    const cases = new Set([it, it.toLowerCase(), it.toUpperCase()].filter(that => that.length === it.length));
    return cases.size > 1 || '*?['.includes(it) ? `[${[...cases].join('')}]` : it;
  });
  return `*${parts.join('')}*`;
}
