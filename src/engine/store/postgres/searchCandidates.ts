import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { FieldStatistics } from '../../search/index/invertedIndex.js';
import type { StoreFilter } from '../store.js';
import { saturateSql, textFieldWeight } from '../../search/query/bm25f.js';
import { postgresFilter } from './postgresFilter.js';
import { quoteLexeme } from './postgresRows.js';
import type { TermStatistics } from './storeStatistics.js';
import { toVectorText, vectorTable } from './vectorRows.js';
import type { VectorTableUse } from './vectorTables.js';

/** A memory as the server sends it to be scored here. */
export interface CandidateRow {
  readonly row: number;
  readonly id: string;
  /** Whether it was found by its words. */
  readonly words: boolean;
  readonly content: string;
  /** JSON lists. */
  readonly tags: string;
  readonly questions: string | null;
  readonly keywords: string | null;
  /** The provenance as JSON, where it has the user's own words. */
  readonly quoting: string | null;
  /** Null where it has none, and where this process knows all vectors. */
  readonly vector: Uint8Array | null;
}

export interface SearchTerm {
  readonly term: string;
  readonly weight: number;
}

/** How many candidates are searched. */
export interface CandidateCounts {
  readonly byWords: number;
  readonly byMeaning: number;
}

/** Terms and vectors that candidates are searched by. */
export interface CandidateSearch {
  readonly terms: readonly SearchTerm[];
  /** Whether the store is searched as thoroughly as a file. */
  readonly isSmall: boolean;
  readonly phrases: readonly (readonly string[])[];
  readonly excludedPhrases: readonly (readonly string[])[];
  readonly filter: StoreFilter;
  readonly counts: CandidateCounts;
  readonly model: string | undefined;
  /** For pgvector; undefined without it. */
  readonly near: (VectorTableUse & { readonly vectors: readonly Int8Array[] }) | undefined;
  /** Rows of the memories nearest by meaning, nearest first, where this process knows all vectors. */
  readonly nearest: readonly number[] | undefined;
}

/** Memories with one of a question's terms that are looked at on the server: the rarest terms first. */
const maxMatchesRead = 3_000;
/** The same for the rarest term alone. */
const maxMatchesOfOneTerm = 20_000;
/** The same in a small store: all of its terms are looked up. */
const maxMatchesFullySearched = 60_000;
/** Matches by words below which common terms are looked up too. */
const minMatches = 150;
/** Common terms that are looked up then, each for its newest memories. */
const maxCommonTerms = 3;
/** Memories with a common term and another one of the question that are looked at in a large store, by a rough guess. */
const maxMatchesTogether = 6_000;
/** Weight of a memory's search aids, and of the words kept with it, against its own words. */
const aidWeight = 0.8;

/** The memories that may answer, in the order of their rows. */
export async function findSearchCandidates(
  sql: PostgresSql,
  search: CandidateSearch,
  statistics: TermStatistics,
): Promise<readonly CandidateRow[]> {
  const { rare, together, common } = chooseTerms(search, statistics);
  const first = { rare, together, common: rare.length === 0 ? common : [] };
  const found = await readCandidates(sql, search, statistics, first);
  const areEnough = rare.length === 0 || found.filter(it => it.words).length >= minMatches;
  return areEnough || common.length === 0 ? found : readCandidates(sql, search, statistics, { rare, together, common });
}

interface RatedTerm extends SearchTerm {
  readonly frequency: number;
  readonly inAids: boolean;
  readonly lexeme: string;
  /** Text of a `tsquery`: the term, or for one that is too common the term with another one of the question. */
  readonly query: string;
}

interface ChosenTerms {
  /** Looked up in all memories that have them. */
  readonly rare: readonly RatedTerm[];
  /** Looked up in memories with another term of the question. */
  readonly together: readonly RatedTerm[];
  /** Looked up in the newest memories. */
  readonly common: readonly RatedTerm[];
}

/** Weights become those of BM25. Terms that no memory has are left out. */
function chooseTerms(
  { terms, isSmall }: Pick<CandidateSearch, 'terms' | 'isSmall'>,
  { content, aids }: TermStatistics,
): ChosenTerms {
  const rated = terms
    .map(({ term, weight }): RatedTerm => {
      const [own, inAids] = [content, aids].map(it => it.documentFrequencies.get(term) ?? 0);
      const frequency = Math.max(own!, inAids!);
      const lexeme = quoteLexeme(term);
      const rest = { frequency, inAids: inAids! > 0, lexeme, query: lexeme };
      return { term, weight: weight * idf(frequency, content), ...rest };
    })
    .filter(it => it.frequency > 0)
    .sort((a, b) => a.frequency - b.frequency);
  const maxMatches = isSmall ? maxMatchesFullySearched : maxMatchesRead;
  let matches = 0;
  let count = 0;
  for (const { frequency } of rated) {
    if (matches + frequency > (count === 0 ? maxMatchesOfOneTerm : maxMatches)) break;
    matches += frequency;
    count++;
  }
  const common = rated.slice(count);
  return {
    rare: rated.slice(0, count),
    together: withOthers(common, rated, content.documents),
    common: common.slice(0, maxCommonTerms),
  };
}

/** Common terms that are looked up with one of the others, as if each were in any memory as likely as in another one. */
function withOthers(common: readonly RatedTerm[], all: readonly RatedTerm[], documents: number): readonly RatedTerm[] {
  let matches = 0;
  const chosen: RatedTerm[] = [];
  for (const it of common) {
    const others = all.filter(other => other !== it);
    if (others.length === 0) continue;
    matches += (it.frequency * others.reduce((sum, { frequency }) => sum + frequency, 0)) / documents;
    if (matches > maxMatchesTogether) break;
    chosen.push({ ...it, query: `${it.lexeme} & (${others.map(({ lexeme }) => lexeme).join(' | ')})` });
  }
  return chosen;
}

export function idf(frequency: number, { documents }: Pick<FieldStatistics, 'documents'>): number {
  return Math.log(1 + Math.max(0, documents - frequency + 0.5) / (frequency + 0.5));
}

async function readCandidates(
  sql: PostgresSql,
  search: CandidateSearch,
  { content: { averageLength } }: TermStatistics,
  { rare, together, common }: ChosenTerms,
): Promise<readonly CandidateRow[]> {
  const { filter, counts, model, nearest } = search;
  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${String(values.push(value))}`;
  const termTable = (terms: readonly RatedTerm[], weight = 1): string =>
    `unnest(${parameter(terms.map(it => it.query))}::tsquery[],
      ${parameter(terms.map(it => it.weight * weight))}::float8[],
      ${parameter(terms.map(it => it.lexeme))}::tsquery[]) AS w (query, weight, lexeme)`;
  const wanted = [...rare, ...together];
  const inWords = termTable(wanted);
  const inCommonWords = termTable(common);
  const ofAids = wanted.filter(it => it.inAids);
  const inAids = termTable(ofAids, aidWeight);
  const score = scoreSql(parameter(averageLength));
  const most = `${parameter(counts.byWords)}::int`;
  const passes = conditionsOf(search, values, parameter);
  // Few memories are of one document or session; otherwise the newest are read until enough pass.
  const hasOwnIndex = filter.uri !== undefined || filter.session !== undefined;
  const semantic = semanticSql(search, { passes, parameter });
  // This process has them, where it knows the nearest.
  const isKnown = nearest !== undefined;
  const withVectors = isKnown ? '' : `LEFT JOIN vectors v ON v.model = ${parameter(model ?? '')} AND v.id = m.id`;
  return (await sql.all(
    `WITH matches AS (
       SELECT row, sum(weight) AS weight FROM (
         SELECT f.row, f.weight FROM ${inWords}
           CROSS JOIN LATERAL (SELECT m.row, ${score} AS weight FROM ${termMatchesSql} m WHERE ${passes}) f
         UNION ALL
         SELECT f.row, f.weight FROM ${inCommonWords} CROSS JOIN LATERAL (
           SELECT m.row, ${score} AS weight FROM ${termMatchesSql} m WHERE ${passes} ORDER BY m.row DESC LIMIT ${most}) f
         UNION ALL
         SELECT m.row, w.weight FROM ${inAids}
           CROSS JOIN LATERAL (SELECT id FROM aids WHERE terms @@ w.query
             UNION SELECT id FROM said WHERE terms @@ w.query OFFSET 0) a
           JOIN memories m ON m.id = a.id AND ${passes}) every_match
       GROUP BY row),
     lexical AS MATERIALIZED (SELECT row FROM matches ORDER BY weight DESC, row DESC LIMIT ${most}),
     newest AS (
       SELECT m.row FROM ${hasOwnIndex ? 'memories' : '(SELECT * FROM memories ORDER BY row DESC OFFSET 0)'} m
       WHERE ${passes} AND m.row NOT IN (SELECT row FROM lexical)
       ORDER BY m.row DESC LIMIT greatest(0, ${most} - (SELECT count(*) FROM lexical))),
     ${semantic}
     chosen AS MATERIALIZED (
       SELECT row, bool_or(words) AS words FROM (
         SELECT row, TRUE AS words FROM lexical
         UNION ALL SELECT row, FALSE FROM newest
         ${semantic === '' ? '' : 'UNION ALL SELECT row, FALSE FROM semantic'}) every_way
       GROUP BY row)
     SELECT m.row, m.id, c.words, m.content, m.tags, a.questions, a.keywords, ${isKnown ? 'NULL AS vector' : 'v.vector'},
       CASE WHEN s.id IS NULL THEN NULL ELSE m.provenance END AS quoting
     FROM chosen c
     JOIN memories m ON m.row = c.row LEFT JOIN aids a ON a.id = m.id
     LEFT JOIN said s ON s.id = m.id
     ${withVectors} ORDER BY m.row`,
    ...values,
  )) as unknown as readonly CandidateRow[];
}

/** The filter, the phrases and the excluded phrases of a search, on `memories m`. */
function conditionsOf(
  { filter, phrases, excludedPhrases }: CandidateSearch,
  values: unknown[],
  parameter: (value: unknown) => string,
): string {
  const { where, values: filterValues } = postgresFilter(filter, values.length + 1);
  values.push(...filterValues);
  return [
    where,
    ...phrases.map(it => `m.terms @@ ${parameter(phraseOf(it))}::tsquery`),
    ...excludedPhrases.map(it => `NOT m.terms @@ ${parameter(phraseOf(it))}::tsquery`),
  ].join(' AND ');
}

/** The part of a query that is being written. */
interface QueryPart {
  /** Condition on `memories m`. */
  readonly passes: string;
  /** Adds a value, and returns its placeholder. */
  readonly parameter: (value: unknown) => string;
}

/** Tables of a WITH clause with the memories nearest by meaning, `semantic`; empty where words alone are searched. */
function semanticSql({ counts, model, near, nearest }: CandidateSearch, { passes, parameter }: QueryPart): string {
  const count = counts.byMeaning;
  if (near !== undefined) return nearestSql(near.vectors, { ...near, model: model!, passes, parameter, count });
  if (nearest === undefined) return '';
  return `semantic AS (
       SELECT m.row FROM unnest(${parameter(nearest)}::int[]) WITH ORDINALITY AS near (row, place)
         JOIN memories m ON m.row = near.row WHERE ${passes} ORDER BY near.place LIMIT ${count}),`;
}

/** Terms of a text with its stop words, of which a `tsvector` keeps each once, for one without them. */
const termsPerRankedTerm = 1.4;

/** A memory's score for the term of `w`, as search/query/bm25f.ts has it but for the length, which the server knows about only. */
function scoreSql(averageLength: string): string {
  // ts_rank gives 0.061 for one occurrence, 0.076 for two, at least 0.082 for more.
  const frequency = `${textFieldWeight} * (CASE WHEN rank < 0.07 THEN 1 WHEN rank < 0.08 THEN 2 ELSE 3 END)`;
  const length = `length(m.terms) / ${termsPerRankedTerm} / greatest(1, ${averageLength}::float8)`;
  return `(SELECT w.weight * ${saturateSql('frequency', length)} FROM (
    SELECT ${frequency} AS frequency FROM ts_rank(m.terms, w.lexeme) AS rank) f)`;
}

/**
 * Tables of a WITH clause, the last one `semantic`: the memories nearest to each of some vectors, by pgvector's index. Its
 * settings hold for the statement, and the condition on them has them set before the index is read.
 */
export function nearestSql(
  vectors: readonly Int8Array[],
  {
    isIterative,
    schema,
    model,
    passes,
    parameter,
    count,
  }: VectorTableUse & {
    readonly model: string;
    /** Condition on `memories m`. */
    readonly passes: string;
    readonly parameter: (value: unknown) => string;
    readonly count: number;
  },
): string {
  const settings = [
    `set_config('hnsw.ef_search', '${String(count)}', TRUE)`,
    // Goes on where the filter leaves too few.
    ...(isIterative ? ["set_config('hnsw.iterative_scan', 'relaxed_order', TRUE)"] : []),
  ];
  return `tuned AS MATERIALIZED (SELECT ${settings.join(' || ')} AS settings),
     semantic AS (
       SELECT nearest.row FROM tuned CROSS JOIN unnest(${parameter(vectors.map(it => toVectorText(it)))}::text[]) AS q (embedding)
         CROSS JOIN LATERAL (
           SELECT m.row FROM ${vectorTable(vectors[0]!.length)} e JOIN memories m ON m.id = e.id
           WHERE e.model = ${parameter(model)} AND ${passes} AND tuned.settings <> ''
           ORDER BY e.embedding OPERATOR(${schema}.<=>) q.embedding::${schema}.vector LIMIT ${count}) nearest),`;
}

/**
 * The memories with the term of `w.query`, by the index of terms: without `OFFSET` a server that has not counted a growing
 * table yet would read all of a set instead.
 */
export const termMatchesSql = '(SELECT * FROM memories WHERE terms @@ w.query OFFSET 0)';

/** Consecutive terms. */
function phraseOf(terms: readonly string[]): string {
  return terms.map(it => quoteLexeme(it)).join(' <-> ');
}
