import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import { codeKinds } from '../../model/memory.js';
import { MemoryIndex, type CorpusStatistics } from '../../search/index/memoryIndex.js';
import { BatchFacts, noTextFeatures, type IndexedFact } from '../../search/neighbors/batchFacts.js';
import type { FactInput, ParsedText, ParsedTextCache } from '../../search/neighbors/classifyCandidates.js';
import { compareFacts, maxFactsByEmbedding } from '../../search/neighbors/compareFacts.js';
import type { BuiltInModel } from '../../search/query/builtInModel.js';
import { memoryTerms } from '../../text/memoryTerms.js';
import type { ComparisonOptions, ComparisonSession, FactComparison } from '../factComparison.js';
import type { StoreQuery } from '../store.js';
import { toInt8 } from './candidateIndex.js';
import { quoteLexeme } from './postgresRows.js';
import { idf, nearestSql, termMatchesSql } from './searchCandidates.js';
import { readTermStatistics, type TermStatistics } from './storeStatistics.js';
import type { VectorTables } from './vectorTables.js';

export interface PostgresComparisonParts {
  readonly sql: PostgresSql;
  readonly builtInModel: BuiltInModel;
  readonly parsedTexts: ParsedTextCache;
  readonly vectorTables: VectorTables;
}

/** Memories read on the server that share a fact's rare terms, the rarest first; ten times as many of one term. */
const maxTermMatches = 1_000;
const maxPerTopic = 12;
/** Of a fact; the comparison takes the best of them. */
const [maxByTerms, maxByMeaning] = [24, 10];

/** Compares one call's facts with the memories of a server that share topics, rare terms or meaning with them. */
export class PostgresComparisonSession implements ComparisonSession {
  revision = Infinity;
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
    const { builtInModel, parsedTexts, sql } = this.parts;
    const { embeds, relatedCosine } = this.options;
    const { vectors: components, embedding } = builtInModel.embed(embeds ? given.map(it => it.content) : []);
    const width = (components?.length ?? 0) / given.length;
    const vectors = given.map((_, i) => components?.subarray(i * width, (i + 1) * width));
    const facts = given.map((it, i) => (vectors[i] === undefined ? it : { ...it, vector: vectors[i] }));
    const parsed = facts.map(it => parsedTexts.parse(it));
    const statistics = await readTermStatistics(
      sql,
      parsed.flatMap(it => it.terms),
      '',
    );
    const candidates = await this.findCandidates(facts, parsed, statistics);
    const index = new MemoryIndex(this.model?.dimensions, await this.corpusOf(facts, candidates, statistics));
    for (const [i, it] of candidates.entries()) {
      index.add({
        row: i + 1,
        key: 0,
        searchable: true,
        active: true,
        scopeId: it.scope_id,
        session: undefined,
        createdAt: 0,
        textFeatures: noTextFeatures,
        terms: this.termsOf(it),
        topicKeys: it.topics,
        tokens: [],
        vector: it.vector === null ? undefined : toInt8(it.vector),
      });
    }
    const loadFacts = (rows: ReadonlySet<number>): Promise<ReadonlyMap<number, FactInput>> =>
      Promise.resolve(new Map([...rows].map(row => [row, toFact(candidates[row - 1]!)])));
    const relatedMemories = await compareFacts(
      { index, loadFacts, parsedTexts, earlierFacts: this.earlierFacts },
      { facts, relatedCosine },
    );
    this.revision = Math.min(this.revision, statistics.revision);
    return { relatedMemories, vectors, embedding };
  }

  /** In the order of their rows. */
  private async findCandidates(
    facts: readonly IndexedFact[],
    parsed: readonly ParsedText[],
    statistics: TermStatistics,
  ): Promise<readonly ComparedRow[]> {
    const { sql, vectorTables } = this.parts;
    const { content } = statistics;
    const values: unknown[] = [];
    const parameter = (value: unknown): string => `$${String(values.push(value))}`;
    const isActive = `m.status = 'active' AND m.kind <> ALL (${parameter([...codeKinds])}::text[])`;
    const topics = facts.flatMap(({ scopeId }, i) => parsed[i]!.statement.topicKeys.map(key => ({ scopeId, key })));
    const terms = facts.flatMap(({ scopeId }, fact) =>
      rareTerms(parsed[fact]!.terms, content).map(({ term, frequency }) => ({
        fact,
        scopeId,
        query: quoteLexeme(term),
        weight: idf(frequency, content),
      })),
    );
    const topicTable = `unnest(${parameter(topics.map(it => it.key))}::text[], ${parameter(topics.map(it => it.scopeId))}::text[])`;
    const termTable = `unnest(${parameter(terms.map(it => it.fact))}::int[], ${parameter(terms.map(it => it.scopeId))}::text[],
      ${parameter(terms.map(it => it.query))}::tsquery[], ${parameter(terms.map(it => it.weight))}::float8[])`;
    const averageLength = `${parameter(Math.max(1, content.averageLength))}::float8`;
    const embedded = facts.length > maxFactsByEmbedding ? [] : facts.flatMap(({ vector }) => vector ?? []);
    const table = embedded.length === 0 ? undefined : await vectorTables.find(this.model);
    const semantic =
      table === undefined
        ? ''
        : nearestSql(embedded, {
            ...table,
            model: this.model!.id,
            passes: `${isActive} AND m.scope_id = ANY (${parameter(facts.map(it => it.scopeId))}::text[])`,
            parameter,
            count: maxByMeaning,
          });
    const model = parameter(this.model?.id ?? '');
    return (await sql.all(
      `WITH by_topic AS (
         SELECT f.row FROM ${topicTable} AS t (key, scope_id) CROSS JOIN LATERAL (
           SELECT m.row FROM (SELECT * FROM memories WHERE topics @> ARRAY[t.key] OFFSET 0) m
           WHERE m.scope_id = t.scope_id AND ${isActive}
           ORDER BY m.row DESC LIMIT ${maxPerTopic}) f),
       -- Long texts match more of any terms.
       matches AS (
         SELECT w.fact, f.row, sum(w.weight) / (1 + min(f.length) / ${averageLength}) AS weight
         FROM ${termTable} AS w (fact, scope_id, query, weight) CROSS JOIN LATERAL (
           SELECT m.row, length(m.terms) AS length FROM ${termMatchesSql} m
           WHERE m.scope_id = w.scope_id AND ${isActive}) f
         GROUP BY w.fact, f.row),
       by_terms AS (
         SELECT row FROM (
           SELECT row, row_number() OVER (PARTITION BY fact ORDER BY weight DESC, row DESC) AS place FROM matches) ranked
         WHERE place <= ${maxByTerms}),
       ${semantic}
       chosen AS (
         SELECT row FROM by_topic UNION SELECT row FROM by_terms ${semantic === '' ? '' : 'UNION SELECT row FROM semantic'})
       SELECT m.id, m.content, m.content_hash, m.tags, m.topics, m.scope_id, m.reinforced_at, v.vector
       FROM chosen c JOIN memories m ON m.row = c.row LEFT JOIN vectors v ON v.model = ${model} AND v.id = m.id
       ORDER BY m.row`,
      ...values,
    )) as unknown as readonly ComparedRow[];
  }

  /** Where vectors are missing, terms are compared: then the frequencies of all terms of the candidates count. */
  private async corpusOf(
    facts: readonly IndexedFact[],
    candidates: readonly ComparedRow[],
    { content, aids }: TermStatistics,
  ): Promise<CorpusStatistics> {
    const rest = { aids, counts: noCounts, sessions: { turns: 0, sessions: 0 } };
    const comparesTerms = facts.some(it => it.vector === undefined) || candidates.some(it => it.vector === null);
    const unknown = comparesTerms
      ? candidates.flatMap(it => this.termsOf(it)).filter(it => !content.documentFrequencies.has(it))
      : [];
    if (unknown.length === 0) return { content, ...rest };
    const { content: ofCandidates } = await readTermStatistics(this.parts.sql, unknown, '');
    const documentFrequencies = new Map([...content.documentFrequencies, ...ofCandidates.documentFrequencies]);
    return { content: { ...content, documentFrequencies }, ...rest };
  }

  private termsOf(row: ComparedRow): readonly string[] {
    return memoryTerms(row.content, parseStringArray(row.tags), this.parts.parsedTexts.parse(toFact(row)).terms);
  }
}

const noCounts = { embedded: 0, searchable: 0, instructions: 0 };

interface ComparedRow {
  readonly id: string;
  readonly content: string;
  readonly content_hash: string;
  /** A JSON list. */
  readonly tags: string;
  readonly topics: readonly string[];
  readonly scope_id: string;
  readonly reinforced_at: string;
  readonly vector: Uint8Array | null;
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
