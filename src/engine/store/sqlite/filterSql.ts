import type { StoreFilter } from '../store.js';
import { filterSql } from '../sql/memoryFilter.js';
import type { SharedValue } from '../sql/sharedSql.js';
import { sqliteDialect } from './sqliteDialect.js';

/** A filter as the WHERE clause of a query over `memories m`, whose parameters `?` are the next ones of the query. */
export function buildFilterSql(filter: StoreFilter): { readonly where: string; readonly params: SharedValue[] } {
  const params: SharedValue[] = [];
  const where = filterSql(filter, sqliteDialect, value => {
    params.push(value);
    return '?';
  });
  return { where, params };
}
