import type { MemoryRowValues } from '../memoryRow.js';
import { caseClass, type SqlDialect } from '../sql/sharedSql.js';
import { memoryArraySql, readableJsonSql } from './postgresRows.js';

/** Each value is cast: a server finds no function of another schema by the type of an argument. */
export const postgresDialect: SqlDialect = {
  text: place => `$${place}::text`,
  integer: place => `$${place}::bigint`,
  // An array, and no query, can be looked up in an index.
  isIn: (text, list) => `${text} = ANY (ARRAY(SELECT json_array_elements_text(${list}::json)))`,
  field: (json, name) => `(${json}::json ->> '${name}')`,
  // A bigint would arrive as text.
  count: (condition = 'TRUE') => `count(*) FILTER (WHERE ${condition})::int`,
  byBytes: text => `${text} COLLATE "C"`,
  latest: (...texts) => `greatest(${texts.join(', ')})`,
  handle: id => `right(${id}, 8)`,
  unindexed: column => column,
  inOrder: 'memories m',
  byTime: 'memories m',
  isAidOf: 'a.id = m.id',
  hasTags: list => `${readableJsonSql('m.tags')}::jsonb @> ${readableJsonSql(list)}::jsonb`,
  fits: (text, pattern) => `${text} ~ ${pattern}`,
  // A regular expression, whatever letters the locale of the database knows. No text on the server holds a NUL.
  containing: text =>
    text.includes('\0')
      ? undefined
      : Array.from(text, it => caseClass(it) ?? (/[!-/:-@[-`{-~]/u.test(it) ? `\\${it}` : it)).join(''),
  memory: memoryArraySql('m'),
  toRow: cell => cell as MemoryRowValues,
  // Otherwise the server would make an array of each memory, and then sort.
  page: (where, limit, offset) =>
    `SELECT ${memoryArraySql('m')} AS memory FROM (
       SELECT * FROM memories m WHERE ${where}
       ORDER BY m.created_at DESC, m.id DESC LIMIT ${limit} OFFSET ${offset}) m
     ORDER BY m.created_at DESC, m.id DESC`,
};
