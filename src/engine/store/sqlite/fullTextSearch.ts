import type { StoreKind } from '../../model/memory.js';
import type { QuestionAnalysis } from '../../text/questionAnalysis.js';
import { noWordStatistics } from '../../search/query/searchMemories.js';
import type { RowFilter } from '../../search/worker/searchProtocol.js';
import type { SearchResult, StoreFilter } from '../store.js';
import { decodeCandidates, fetchCandidates } from './fetchCandidates.js';
import type { Sql } from '../../database/database.js';
import { buildFilterSql } from './filterSql.js';
import { loadReadState } from '../../database/storeState.js';

/** Lexical search with FTS5, for memories that the memory index lacks and while it is unavailable. */
export async function searchFullText(
  sql: Sql,
  question: QuestionAnalysis,
  filter: StoreFilter,
  {
    limit,
    store,
    reason,
  }: { readonly limit: number; readonly store: StoreKind; readonly reason: SearchResult['lexicalOnlyReason'] },
): Promise<SearchResult> {
  const emptyResult = {
    hits: [],
    contradictions: { byMemoryId: new Map(), memories: new Map() },
    statistics: noWordStatistics,
    embedded: 0,
    searchable: 0,
    embedding: undefined,
    ...(await loadReadState(sql, filter.scopeId)),
    lexicalOnlyReason: reason,
  };
  if (question.terms.length === 0) return emptyResult;
  const { where, params } = toRowFilter(filter, question) ?? buildFilterSql(filter);
  const rows = await sql.all(
    `SELECT m.row, -bm25(memory_terms) AS score
     FROM memory_terms JOIN memories m ON m.row = memory_terms.rowid
     WHERE memory_terms MATCH ? AND ${where} ORDER BY score DESC, m.id DESC LIMIT ?`,
    question.terms.map(it => toFtsPhrase([it])).join(' OR '),
    ...params,
    limit,
  );
  const fetched = await fetchCandidates(
    sql,
    rows.map(it => it.row as number),
    filter.scopeId,
  );
  const { memories, aids, contradictions } = decodeCandidates(fetched, store);
  const hits = rows.flatMap(({ row }) => {
    const memory = memories.get(row as number);
    // Deleted since the query.
    return memory === undefined
      ? []
      : [
          {
            memory,
            nearness: undefined,
            questionNearness: undefined,
            vector: undefined,
            aids: aids.get(row as number),
          },
        ];
  });
  return { ...emptyResult, hits, contradictions };
}

/** The parts of a filter that the memory index cannot apply, as SQL; undefined if there are none. */
export function toRowFilter(
  filter: StoreFilter,
  { phrases, excludedPhrases }: QuestionAnalysis,
): RowFilter | undefined {
  const { scopeId, withoutForgotten, statuses, ...rest } = filter;
  const bothStatuses = statuses?.includes('active') === true && statuses.includes('archived');
  const narrows = Object.keys(rest).length > 0 || !bothStatuses;
  if (!narrows && phrases.length + excludedPhrases.length === 0) return undefined;
  const { where, params } = buildFilterSql(filter);
  const matchesTerms = 'IN (SELECT rowid FROM memory_terms WHERE memory_terms MATCH ?)';
  return {
    where: [
      where,
      ...phrases.map(() => `m.row ${matchesTerms}`),
      ...excludedPhrases.map(() => `m.row NOT ${matchesTerms}`),
    ].join(' AND '),
    params: [...params, ...phrases.map(toFtsPhrase), ...excludedPhrases.map(toFtsPhrase)] as (string | number)[],
  };
}

/** Consecutive terms as an FTS5 phrase. */
function toFtsPhrase(phrase: readonly string[]): string {
  return `"${phrase.join(' ').replaceAll('"', '""')}"`;
}
