import { hiddenArchiveReasons } from '../../model/memory.js';
import type { StoreFilter } from '../store.js';
import type { SqlValue } from './database.js';

/** A filter as the WHERE part of a query over `memories m`. */
export function filterSql(filter: StoreFilter): { where: string; params: SqlValue[] } {
  const parts: string[] = [];
  const params: SqlValue[] = [];
  const add = (sql: string, ...values: SqlValue[]): void => {
    parts.push(sql);
    params.push(...values);
  };
  const oneOf = (column: string, values: readonly string[] | undefined): void => {
    // Only an equality lets SQLite walk an index in the order of a page.
    if (values?.length === 1) add(`${column} = ?`, values[0]!);
    else if (values !== undefined) add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values));
  };

  add('m.scope_id = ?', filter.scopeId);
  oneOf('m.status', filter.statuses);
  oneOf('m.gate', filter.gates);
  oneOf('m.kind', filter.kinds);
  oneOf('m.decay_class', filter.decayClasses);
  if (filter.lane !== undefined) add('m.lane = ?', filter.lane);
  if (filter.pinned !== undefined) add('m.pinned = ?', filter.pinned ? 1 : 0);
  if (filter.since !== undefined) add('m.created_at >= ?', filter.since);
  if (filter.until !== undefined) add('m.created_at < ?', filter.until);
  if (filter.uri !== undefined) add('m.uri = ?', filter.uri);
  if (filter.session !== undefined) add('m.session = ?', filter.session);
  if (filter.tags !== undefined && filter.tags.length > 0) {
    const missing = 'SELECT value FROM json_each(?) EXCEPT SELECT value FROM json_each(m.tags)';
    add(`NOT EXISTS (${missing})`, JSON.stringify(filter.tags));
  }
  if (filter.withoutForgotten === true) {
    const hidden = 'SELECT value FROM json_each(?)';
    add(`coalesce(m.archive_reason, '') NOT IN (${hidden})`, JSON.stringify(hiddenArchiveReasons));
  }
  return { where: parts.join(' AND '), params };
}
