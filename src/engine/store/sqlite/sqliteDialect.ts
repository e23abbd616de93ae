import type { MemoryRowValues } from '../memoryRow.js';
import { caseClass, type SqlDialect } from '../sql/sharedSql.js';
import { memoryJsonSql } from './memoryRows.js';

export const sqliteDialect: SqlDialect = {
  text: place => `?${place}`,
  integer: place => `?${place}`,
  isIn: (text, list) => `${text} IN (SELECT value FROM json_each(${list}))`,
  names: (text, list) => `EXISTS (SELECT 1 FROM json_each(${list}) wanted WHERE instr(${text}, wanted.value) > 0)`,
  field: (json, name) => `(${json} ->> '${name}')`,
  count: (condition = 'TRUE') => `count(*) FILTER (WHERE ${condition})`,
  byBytes: text => text,
  latest: (...texts) => `max(${texts.join(', ')})`,
  handle: id => `substr(${id}, -8)`,
  endOf: id => `(SELECT row FROM memories WHERE id = ${id})`,
  unindexed: column => `+${column}`,
  // With an index, SQLite would collect and sort all remaining rows for every page.
  inOrder: 'memories m NOT INDEXED',
  // SQLite would rather count all from another index than read the rows of a period.
  byTime: 'memories m INDEXED BY memories_by_time',
  isAidOf: 'a.row = m.row',
  hasTags: list =>
    `NOT EXISTS (SELECT value FROM json_each(${list}) EXCEPT SELECT value FROM json_each(iif(json_valid(m.tags), m.tags, '[]')))`,
  fits: (text, pattern) => `${text} GLOB ${pattern}`,
  // LIKE would ignore the case of ASCII letters only.
  containing: text => `*${Array.from(text, it => caseClass(it) ?? ('*?['.includes(it) ? `[${it}]` : it)).join('')}*`,
  memory: memoryJsonSql,
  toRow: cell => JSON.parse(cell as string) as MemoryRowValues,
  page: (where, limit, offset) =>
    `SELECT ${memoryJsonSql} AS memory FROM memories m WHERE ${where}
     ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`,
};
