import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import { codeKinds } from '../../model/memory.js';
import { MemoryIndex, type CorpusStatistics } from '../../search/index/memoryIndex.js';
import { BatchFacts, type IndexedFact } from '../../search/neighbors/batchFacts.js';
import type { FactInput, TermCache } from '../../search/neighbors/relatedMemories.js';
import { compareFacts, maxFactsByEmbedding } from '../../search/neighbors/compareFacts.js';
import type { BuiltInModel } from '../../search/query/builtInModel.js';
import { memoryTerms } from '../../text/memoryTerms.js';
import type { ComparisonOptions, ComparisonSession, FactComparison } from '../factComparison.js';
import type { StoreQuery } from '../store.js';
import type { CachedVectors } from './cachedVectors.js';
import { toInt8Components } from '../../base/int8Vector.js';
import { quoteLexeme } from './postgresRows.js';
import { idf, nearestSql, termMatchesSql } from './searchCandidates.js';
import { readTermStatistics, type TermStatistics } from './storeStatistics.js';
import type { VectorTables } from './vectorTables.js';

export interface PostgresComparisonParts {
  readonly sql: PostgresSql;
  readonly builtInModel: BuiltInModel;
  readonly termCache: TermCache;
  readonly vectorTables: VectorTables;
  /** Where the server has no table of vectors. */
  readonly cachedVectors: CachedVectors;
}

/** Memories read on the server that share a fact's rare terms, the rarest first; ten times as many of one term. */
const maxTermMatches = 1_000;
/** Of a fact; the comparison takes the best of them. */
const [maxByTerms, maxByMeaning] = [24, 10];
/** Of a fact, before those of other sets and what is archived are left out. */
const maxNearest = 100;

/** Compares one call's facts with the memories of a server that share rare terms or meaning with them. */
export class PostgresComparisonSession implements ComparisonSession {
  private readonly earlierFacts: BatchFacts;
  /** Facts are compared in the order in which they are added. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly parts: PostgresComparisonParts,
    private readonly model: StoreQuery['model'],
    private readonly options: ComparisonOptions,
  ) {
    this.earlierFacts = new BatchFacts(model?.dimensions);
  }

  add(facts: readonly IndexedFact[]): Promise<FactComparison> {
    const comparing = this.last.then(() => this.compare(facts));
    this.last = comparing.catch(() => undefined);
    return comparing;
  }

  end(): void {
    // Nothing is kept elsewhere.
  }

  private async compare(given: readonly IndexedFact[]): Promise<FactComparison> {
    const { builtInModel, termCache, sql } = this.parts;
    const { embeds, relatedCosine } = this.options;
    const { vectors: components, embedding } = builtInModel.embed(embeds ? given.map(it => it.content) : []);
    const width = (components?.length ?? 0) / given.length;
    const vectors = given.map((_, i) => components?.subarray(i * width, (i + 1) * width));
    const facts = given.map((it, i) => (vectors[i] === undefined ? it : { ...it, vector: vectors[i] }));
    const factTerms = facts.map(it => termCache.termsOf(it));
    const statistics = await readTermStatistics(sql, factTerms.flat(), '');
    const candidates = await this.findCandidates(facts, factTerms, statistics);
    const index = new MemoryIndex(this.model?.dimensions, await this.corpusOf(candidates, statistics));
    for (const [i, it] of candidates.entries()) {
      index.add({
        row: i + 1,
        key: 0,
        searchable: true,
        active: true,
        scopeId: it.scope_id,
        terms: this.termsOf(it),
        vector: it.vector === null ? undefined : toInt8Components(it.vector),
      });
    }
    const loadFacts = (rows: ReadonlySet<number>): Promise<ReadonlyMap<number, FactInput>> =>
      Promise.resolve(new Map([...rows].map(row => [row, toFact(candidates[row - 1]!)])));
    const relatedMemories = await compareFacts(
      { index, loadFacts, termCache, earlierFacts: this.earlierFacts },
      { facts, relatedCosine },
    );
    return { relatedMemories, vectors, embedding };
  }

  /** In the order of their rows. */
  private async findCandidates(
    facts: readonly IndexedFact[],
    factTerms: readonly (readonly string[])[],
    statistics: TermStatistics,
  ): Promise<readonly ComparedRow[]> {
    const { sql, vectorTables } = this.parts;
    const { content } = statistics;
    const values: unknown[] = [];
    const parameter = (value: unknown): string => `$${String(values.push(value))}`;
    const isActive = `m.status = 'active' AND m.kind <> ALL (${parameter([...codeKinds])}::text[])`;
    const terms = facts.flatMap(({ scopeId }, fact) =>
      rareTerms(factTerms[fact]!, content).map(({ term, frequency }) => ({
        fact,
        scopeId,
        query: quoteLexeme(term),
        weight: idf(frequency, content),
      })),
    );
    const termTable = `unnest(${parameter(terms.map(it => it.fact))}::int[], ${parameter(terms.map(it => it.scopeId))}::text[],
      ${parameter(terms.map(it => it.query))}::tsquery[], ${parameter(terms.map(it => it.weight))}::float8[])`;
    const averageLength = `${parameter(Math.max(1, content.averageLength))}::float8`;
    const embedded = facts.length > maxFactsByEmbedding ? [] : facts.flatMap(({ vector }) => vector ?? []);
    const table = embedded.length === 0 ? undefined : await vectorTables.find(this.model);
    const passes = (): string => `${isActive} AND m.scope_id = ANY (${parameter(facts.map(it => it.scopeId))}::text[])`;
    const nearest = table === undefined ? await this.findNearest(embedded, statistics) : [];
    const semantic =
      table === undefined
        ? nearestRowsSql(nearest, passes, parameter)
        : nearestSql(embedded, {
            ...table,
            model: this.model!.id,
            passes: passes(),
            parameter,
            count: maxByMeaning,
          });
    const model = parameter(this.model?.id ?? '');
    return (await sql.all(
      `WITH -- Long texts match more of any terms.
       matches AS (
         SELECT w.fact, f.row, sum(w.weight) / (1 + min(f.length) / ${averageLength}) AS weight
         FROM ${termTable} AS w (fact, scope_id, query, weight) CROSS JOIN LATERAL (
           SELECT m.row, length(m.terms) AS length FROM ${termMatchesSql} m
           WHERE m.scope_id = w.scope_id AND ${isActive}) f
         GROUP BY w.fact, f.row),
       by_terms AS (
         SELECT DISTINCT row FROM (
           SELECT row, row_number() OVER (PARTITION BY fact ORDER BY weight DESC, row DESC) AS place FROM matches) ranked
         WHERE place <= ${maxByTerms}),
       ${semantic}
       chosen AS (
         SELECT row FROM by_terms ${semantic === '' ? '' : 'UNION SELECT row FROM semantic'})
       SELECT m.id, m.content, m.content_hash, m.tags, m.scope_id, m.reinforced_at, v.vector
       FROM chosen c JOIN memories m ON m.row = c.row LEFT JOIN vectors v ON v.model = ${model} AND v.id = m.id
       ORDER BY m.row`,
      ...values,
    )) as unknown as readonly ComparedRow[];
  }

  /** Rows near to each vector, nearest first, where this process knows all vectors of the store. */
  private async findNearest(
    vectors: readonly Int8Array[],
    { revision, content: { documents } }: TermStatistics,
  ): Promise<readonly (readonly number[])[]> {
    const { model } = this;
    if (model === undefined) return [];
    const ofStore = await this.parts.cachedVectors.load(model, { revision, documents });
    return vectors.map(it => ofStore?.findNearest([it]).slice(0, maxNearest) ?? []);
  }

  /** The frequencies of all terms of the candidates count, too. */
  private async corpusOf(
    candidates: readonly ComparedRow[],
    { content, aids }: TermStatistics,
  ): Promise<CorpusStatistics> {
    const rest = { aids, counts: noCounts };
    const unknown = candidates.flatMap(it => this.termsOf(it)).filter(it => !content.documentFrequencies.has(it));
    if (unknown.length === 0) return { content, ...rest };
    const { content: ofCandidates } = await readTermStatistics(this.parts.sql, unknown, '');
    const documentFrequencies = new Map([...content.documentFrequencies, ...ofCandidates.documentFrequencies]);
    return { content: { ...content, documentFrequencies }, ...rest };
  }

  private termsOf(row: ComparedRow): readonly string[] {
    return memoryTerms(row.content, parseStringArray(row.tags), this.parts.termCache.termsOf(toFact(row)));
  }
}

const noCounts = { embedded: 0, searchable: 0 };

interface ComparedRow {
  readonly id: string;
  readonly content: string;
  readonly content_hash: string;
  /** A JSON list. */
  readonly tags: string;
  readonly scope_id: string;
  readonly reinforced_at: string;
  readonly vector: Uint8Array | null;
}

/** A table `semantic` of a WITH clause: of each list of rows the first that pass. Empty without rows. */
function nearestRowsSql(
  lists: readonly (readonly number[])[],
  passes: () => string,
  parameter: (value: unknown) => string,
): string {
  const near = lists.flatMap((rows, list) => rows.map((row, place) => ({ list, row, place })));
  if (near.length === 0) return '';
  const columns = (['list', 'row', 'place'] as const).map(name => `${parameter(near.map(it => it[name]))}::int[]`);
  return `semantic AS (
       SELECT row FROM (
         SELECT m.row, row_number() OVER (PARTITION BY near.list ORDER BY near.place) AS rank
         FROM unnest(${columns.join(', ')}) AS near (list, row, place) JOIN memories m ON m.row = near.row
         WHERE ${passes()}) ranked
       WHERE rank <= ${maxByMeaning}),`;
}

function toFact(row: ComparedRow): FactInput {
  return { id: row.id, content: row.content, contentHash: row.content_hash, assertedAt: row.reinforced_at };
}

/** Terms that some memories have, the rarest first, as many as InvertedIndex.moreLikeThis reads. */
function rareTerms(
  terms: readonly string[],
  { documentFrequencies }: TermStatistics['content'],
): readonly { readonly term: string; readonly frequency: number }[] {
  const known = [...new Set(terms)]
    .map(term => ({ term, frequency: documentFrequencies.get(term) ?? 0 }))
    .filter(it => it.frequency > 0)
    .sort((a, b) => a.frequency - b.frequency);
  let matches = 0;
  const end = known.findIndex(({ frequency }) => {
    if (matches + frequency > maxTermMatches * (matches > 0 ? 1 : 10)) return true;
    matches += frequency;
    return false;
  });
  return end < 0 ? known : known.slice(0, end);
}
