import type { StoreFilter } from '../store.js';
import { filterSql } from '../sql/memoryFilter.js';
import type { SharedValue } from '../sql/sharedSql.js';
import { postgresDialect } from './postgresDialect.js';

/**
 * A filter as the WHERE clause of a query over `memories m`.
 * @param firstParameter number of the first of its parameters
 */
export function postgresFilter(
  filter: StoreFilter,
  firstParameter: number,
): { readonly where: string; readonly values: readonly SharedValue[] } {
  const values: SharedValue[] = [];
  const where = filterSql(filter, postgresDialect, value => {
    const place = firstParameter + values.push(value) - 1;
    return typeof value === 'number' ? postgresDialect.integer(place) : postgresDialect.text(place);
  });
  return { where, values };
}
