import { unsearchableArchiveReasons } from '../../model/memory.js';
import type { HotSince } from '../../scoring/temperature.js';
import type { StoreFilter } from '../store.js';
import { readableJsonSql } from './postgresRows.js';

/** Condition on `memories m`: it lacks search aids and may have some. Code is found by its names. */
export const postgresMissingAidsSql = `m.source <> 'code-index'
  AND NOT EXISTS (SELECT 1 FROM aids a WHERE a.id = m.id)`;

/**
 * A filter as the WHERE clause of a query over `memories m`.
 * @param firstParameter number of the first of its parameters
 */
export function postgresFilter(
  filter: StoreFilter,
  firstParameter: number,
): { readonly where: string; readonly values: readonly unknown[] } {
  const parts: string[] = [];
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${String(firstParameter + values.push(value) - 1)}`;
  const addOneOf = (column: string, allowed: readonly string[] | undefined): void => {
    // The server reads a page in the order of an index only for an equality.
    if (allowed?.length === 1) parts.push(`m.${column} = ${parameter(allowed[0])}`);
    else if (allowed !== undefined) parts.push(`m.${column} = ANY (${parameter([...allowed])}::text[])`);
  };

  parts.push(`m.scope_id = ${parameter(filter.scopeId)}`);
  addOneOf('status', filter.statuses);
  addOneOf('gate', filter.gates);
  addOneOf('kind', filter.kinds);
  addOneOf('decay_class', filter.decayClasses);
  if (filter.lane !== undefined) parts.push(`m.lane = ${parameter(filter.lane)}`);
  if (filter.pinned !== undefined) parts.push(`m.pinned = ${parameter(filter.pinned ? 1 : 0)}`);
  if (filter.since !== undefined) parts.push(`m.created_at >= ${parameter(filter.since)}`);
  if (filter.until !== undefined) parts.push(`m.created_at < ${parameter(filter.until)}`);
  if (filter.uri !== undefined) parts.push(`m.uri = ${parameter(filter.uri)}`);
  if (filter.session !== undefined) parts.push(`m.session = ${parameter(filter.session)}`);
  if (filter.temperature !== undefined) {
    const isHot = postgresIsHotSql(filter.temperature.since, parameter);
    parts.push(filter.temperature.is === 'hot' ? isHot : `NOT ${isHot}`);
  }
  if (filter.withoutAids === true) parts.push(postgresMissingAidsSql);
  if (filter.tags !== undefined && filter.tags.length > 0)
    parts.push(
      `${readableJsonSql('m.tags')}::jsonb @> ${readableJsonSql(parameter(JSON.stringify(filter.tags)))}::jsonb`,
    );
  // No text on the server holds a NUL.
  for (const text of [filter.containing, ...(filter.words ?? [])].filter(it => it !== undefined))
    parts.push(text.includes('\0') ? 'FALSE' : `m.content ~ ${parameter(toPattern(text))}`);
  if (filter.exceptIds !== undefined && filter.exceptIds.length > 0)
    parts.push(`m.id <> ALL (${parameter([...filter.exceptIds])}::text[])`);
  if (filter.withoutForgotten === true)
    parts.push(`coalesce(m.archive_reason, '') <> ALL (${parameter([...unsearchableArchiveReasons])}::text[])`);
  return { where: parts.join(' AND '), values };
}

/**
 * Whether a row of `memories m` is hot, as `temperatureOf` says it.
 * @param parameter adds a value and returns its number, as `$1`
 */
export function postgresIsHotSql(
  { usual, ofOftenUsed, oftenUsed }: HotSince,
  parameter: (value: unknown) => string,
): string {
  return `(m.pinned = 1 OR m.decay_class = 'permanent' OR m.source = 'code-index'
    OR greatest(m.updated_at, m.reinforced_at, coalesce(m.accessed_at, '')) >=
       CASE WHEN m.access_count > ${parameter(oftenUsed)}::int THEN ${parameter(ofOftenUsed)}::text ELSE ${parameter(usual)}::text END)`;
}

/** A regular expression for what contains a text in any case, whatever letters the locale of the database knows. */
function toPattern(text: string): string {
  return Array.from(text, it => {
    // A few letters have no counterpart of one letter.
    const cases = new Set([it, it.toLowerCase(), it.toUpperCase()].filter(that => that.length === it.length));
    if (cases.size > 1) return `[${[...cases].join('')}]`;
    return /[!-/:-@[-`{-~]/u.test(it) ? `\\${it}` : it;
  }).join('');
}
