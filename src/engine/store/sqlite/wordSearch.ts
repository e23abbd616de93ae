import type { StoreKind } from '../../model/memory.js';
import type { Question } from '../../text/question.js';
import { featureNames } from '../../model/trace.js';
import { featureAt } from '../index/features.js';
import type { RowFilter } from '../index/indexProtocol.js';
import type { SearchResult, StoreFilter } from '../store.js';
import { candidatesOf, readCandidates } from './candidates.js';
import type { Sql } from './database.js';
import { filterSql } from './filterSql.js';
import { readState } from './meta.js';

/** By FTS5 alone: what the index thread does not hold, and while it is being built. */
export async function searchWords(
  sql: Sql,
  question: Question,
  filter: StoreFilter,
  { limit, store, why }: { readonly limit: number; readonly store: StoreKind; readonly why: SearchResult['wordsOnly'] },
): Promise<SearchResult> {
  const nothing = {
    hits: [],
    opposites: { of: new Map(), memories: new Map() },
    largest: { words: 0, session: 0 },
    embedded: 0,
    searchable: 0,
    embedding: undefined,
    ...(await readState(sql, filter.scopeId)),
    wordsOnly: why,
  };
  if (question.terms.length === 0) return nothing;
  const { where, params } = rowFilter(filter, question) ?? filterSql(filter);
  const rows = await sql.all(
    `SELECT m.row, -bm25(memory_terms) AS score
     FROM memory_terms JOIN memories m ON m.row = memory_terms.rowid
     WHERE memory_terms MATCH ? AND ${where} ORDER BY score DESC, m.id DESC LIMIT ?`,
    question.terms.map(it => quoted([it])).join(' OR '),
    ...params,
    limit,
  );
  const words = Math.max(0, ...rows.map(it => it.score as number));
  const read = await readCandidates(
    sql,
    rows.map(it => it.row as number),
    filter.scopeId,
  );
  const { memories, opposites } = candidatesOf(read, store);
  const hits = rows.flatMap(({ row, score }) => {
    const memory = memories.get(row as number);
    // What was deleted a moment ago is not there.
    if (memory === undefined) return [];
    const features = new Float32Array(featureNames.length);
    // Where every memory has every term, BM25 is 0 or below for all: they are then equally relevant.
    features[featureAt.words] = words > 0 ? Math.max(0, score as number) / words : 1;
    return [{ memory, features }];
  });
  return { ...nothing, hits, opposites, largest: { words, session: 0 } };
}

/** What the index thread cannot tell by itself, as SQL; undefined when there is nothing of the kind. */
export function rowFilter(filter: StoreFilter, { phrases, excluded }: Question): RowFilter | undefined {
  const { scopeId, withoutForgotten, statuses, ...rest } = filter;
  const bothStatuses = statuses?.includes('active') === true && statuses.includes('archived');
  const narrows = Object.keys(rest).length > 0 || !bothStatuses;
  if (!narrows && phrases.length + excluded.length === 0) return undefined;
  const { where, params } = filterSql(filter);
  const matching = 'IN (SELECT rowid FROM memory_terms WHERE memory_terms MATCH ?)';
  return {
    where: [where, ...phrases.map(() => `m.row ${matching}`), ...excluded.map(() => `m.row NOT ${matching}`)].join(
      ' AND ',
    ),
    params: [...params, ...phrases.map(quoted), ...excluded.map(quoted)] as (string | number)[],
  };
}

/** Terms one after another, as an FTS5 phrase. */
function quoted(phrase: readonly string[]): string {
  return `"${phrase.join(' ').replaceAll('"', '""')}"`;
}
