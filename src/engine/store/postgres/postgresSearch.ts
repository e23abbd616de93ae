import { EngineError } from '../../base/errors.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import type { Log } from '../../model/host.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import { TermCache } from '../../search/neighbors/relatedMemories.js';
import { BuiltInModel, splitVectors } from '../../search/query/builtInModel.js';
import { noWordStatistics, searchMemories } from '../../search/query/searchMemories.js';
import type { ComparisonOptions, ComparisonSession } from '../factComparison.js';
import type { Contradictions, SearchableStore, SearchHit, SearchResult, StoreFilter, StoreQuery } from '../store.js';
import { CachedVectors } from './cachedVectors.js';
import { buildCandidateIndex, ParsedMemoryCache } from './candidateIndex.js';
import { PostgresComparisonSession } from './postgresComparison.js';
import { findPostgresContradictions } from './postgresRelations.js';
import { fromPostgres, memoryArraySql } from './postgresRows.js';
import {
  findSearchCandidates,
  maxFullySearched,
  type CandidateCounts,
  type CandidateRow,
  type CandidateSearch,
} from './searchCandidates.js';
import { CachedCounts, readTermStatistics } from './storeStatistics.js';
import { VectorTables } from './vectorTables.js';

export interface PostgresSearchParts {
  readonly log: Log;
  /** The built-in model, opened on first use; undefined where there is none. @throws Error where it cannot be read */
  readonly openBuiltInModel: () => StaticModel | undefined;
  /** How long a search waits for the server; default two seconds. */
  readonly deadlineMs?: number;
}

const defaultDeadlineMs = 2_000;
const candidateCounts = {
  /** A store that is searched as thoroughly as a file. */
  small: { byWords: 800, byMeaning: 200 },
  large: { byWords: 300, byMeaning: 200 },
  /** With pgvector, by `npm run bench -- server --pgvector`: the numbers of `large` take a third longer for one per cent more. */
  largeIndexed: { byWords: 150, byMeaning: 150 },
} satisfies Readonly<Record<string, CandidateCounts>>;
const maxContradictions = 3;

/** The answer of a store that cannot be asked now. */
const unreachableResult: SearchResult = {
  hits: [],
  contradictions: { byMemoryId: new Map(), memories: new Map() },
  statistics: noWordStatistics,
  embedded: 0,
  searchable: 0,
  embedding: undefined,
  revision: -1,
  sequence: 0,
  lexicalOnlyReason: 'unreachable',
};

/** Searches one store on a server: the server finds candidates, and they are scored here as those of any other store. */
export class PostgresSearch implements SearchableStore {
  private readonly builtInModel: BuiltInModel;
  private readonly counts: CachedCounts;
  private readonly vectorTables: VectorTables;
  private readonly cachedVectors: CachedVectors;
  private readonly parsedMemories = new ParsedMemoryCache();
  private readonly termCache = new TermCache();

  constructor(
    private readonly kind: StoreKind,
    private readonly sql: PostgresSql,
    private readonly parts: PostgresSearchParts,
  ) {
    this.builtInModel = new BuiltInModel(parts.openBuiltInModel);
    this.counts = new CachedCounts(sql);
    this.vectorTables = new VectorTables(sql, parts.log);
    this.cachedVectors = new CachedVectors(sql, parts.log);
  }

  prepareSearch(model: StoreQuery['model']): void {
    this.vectorTables.prepare(model);
  }

  openComparison(model: StoreQuery['model'], options: ComparisonOptions): ComparisonSession {
    const { sql, builtInModel, termCache, vectorTables, cachedVectors } = this;
    return new PostgresComparisonSession({ sql, builtInModel, termCache, vectorTables, cachedVectors }, model, options);
  }

  /** Finds nothing, and says why, where the server does not answer in time. */
  async search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    const { log, deadlineMs = defaultDeadlineMs } = this.parts;
    const searching = this.searchServer(query, filter, limit).catch((error: unknown) => {
      const problem = EngineError.is(error) ? error.message : 'an error of its own';
      log.warn(`The memories on the server were not searched: ${problem}`);
      return unreachableResult;
    });
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<SearchResult>(resolve => {
      timer = setTimeout(() => {
        resolve(unreachableResult);
      }, deadlineMs);
    });
    try {
      return await Promise.race([searching, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async searchServer(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    const { terms, model } = query;
    const reading = readTermStatistics(
      this.sql,
      terms.map(it => it.term),
      filter.scopeId,
    );
    // While the server answers.
    const { vectors, embedding } = this.embedQuestion(query);
    // The server finds what is near to the question; all that it finds is compared with the alternatives, too.
    const vector = vectors?.[0];
    const vectorIndex = vector === undefined ? undefined : await this.vectorTables.find(model);
    const statistics = await reading;
    const { revision, sequence, content } = statistics;
    const state = { revision, documents: content.documents };
    const nearest =
      vector === undefined || model === undefined || vectorIndex !== undefined
        ? undefined
        : await this.cachedVectors.findNearest(vector, model, state);
    const search = planSearch(query, filter, {
      documents: content.documents,
      limit,
      vector: vector === undefined || vectorIndex === undefined ? undefined : { components: vector, ...vectorIndex },
      nearest,
    });
    const [counts, candidates] = await Promise.all([
      this.counts.read(model?.id, state),
      findSearchCandidates(this.sql, search, statistics),
    ]);
    const index = buildCandidateIndex(candidates, {
      scopeId: filter.scopeId,
      dimensions: model?.dimensions,
      corpus: { content, aids: statistics.aids, counts },
      parse: it => this.parsedMemories.parse(it),
    });
    const { scopeId } = filter;
    const { hits, statistics: ofWords } = searchMemories(index, { terms, vectors, scopeId, allowed: undefined, limit });
    const found = hits.map(({ row, nearness, vector: ofHit }) => ({
      candidate: candidates[row - 1]!,
      nearness,
      vector: ofHit?.slice(),
    }));
    const { memories, contradictions } = await this.fetchHits(found.map(it => it.candidate.id));
    const toHits = ({ candidate, ...rest }: (typeof found)[number]): SearchHit[] => {
      const memory = memories.get(candidate.id);
      // Missing if it was deleted since the search.
      return memory === undefined ? [] : [{ memory, aids: aidsOf(candidate), questionNearness: undefined, ...rest }];
    };
    return {
      hits: found.flatMap(toHits),
      contradictions,
      statistics: ofWords,
      embedded: counts.embedded,
      searchable: counts.searchable,
      embedding,
      revision,
      sequence,
      lexicalOnlyReason: undefined,
      candidatesBy: search.vector === undefined && nearest === undefined ? 'words' : 'wordsAndMeaning',
    };
  }

  /** Vectors of the question and its alternatives, made here where they came as texts. */
  private embedQuestion({ meaning }: StoreQuery): Pick<SearchResult, 'embedding'> & {
    readonly vectors: readonly Int8Array[] | undefined;
  } {
    const texts = meaning !== undefined && 'texts' in meaning ? meaning.texts : [];
    const { vectors, embedding } = this.builtInModel.embed(texts);
    const isGiven = meaning !== undefined && 'vectors' in meaning;
    return { vectors: isGiven ? meaning.vectors : splitVectors(vectors, texts.length), embedding };
  }

  /** The memories and those that contradict them. */
  private async fetchHits(ids: readonly string[]): Promise<FetchedHits> {
    const [memories, byMemoryId] = await Promise.all([
      this.fetchMemories(ids),
      findPostgresContradictions(this.sql, ids, maxContradictions),
    ]);
    const contradicting = new Set([...byMemoryId.values()].flatMap(list => list.map(it => it.id)));
    const missing = [...contradicting].filter(it => !memories.has(it));
    const others = missing.length === 0 ? new Map<string, Memory>() : await this.fetchMemories(missing);
    const ofContradictions = [...contradicting].flatMap(id => {
      const memory = memories.get(id) ?? others.get(id);
      return memory === undefined ? [] : [[id, memory] as const];
    });
    return { memories, contradictions: { byMemoryId, memories: new Map(ofContradictions) } };
  }

  private async fetchMemories(ids: readonly string[]): Promise<ReadonlyMap<string, Memory>> {
    const rows = await this.sql.all(
      `SELECT ${memoryArraySql()} AS memory FROM memories WHERE id = ANY ($1::text[])`,
      ids,
    );
    const memories = rows.map(it => fromPostgres(it, this.kind));
    return new Map(memories.map(it => [it.id, it]));
  }
}

interface FetchedHits {
  readonly memories: ReadonlyMap<string, Memory>;
  readonly contradictions: Contradictions;
}

function aidsOf({ questions, keywords }: CandidateRow): SearchHit['aids'] {
  return questions === null
    ? undefined
    : { questions: parseStringArray(questions), keywords: parseStringArray(keywords) };
}

/** How candidates are searched: with pgvector (`vector`), by vectors known here (`nearest`), or by words alone. */
function planSearch(
  { question, terms, model }: StoreQuery,
  filter: StoreFilter,
  {
    documents,
    limit,
    vector,
    nearest,
  }: Pick<CandidateSearch, 'vector' | 'nearest'> & { readonly documents: number; readonly limit: number },
): CandidateSearch {
  const isSmall = documents <= maxFullySearched;
  const { byWords, byMeaning } = candidateCounts[isSmall ? 'small' : vector === undefined ? 'large' : 'largeIndexed'];
  return {
    terms,
    phrases: question.phrases,
    excludedPhrases: question.excludedPhrases,
    filter,
    counts: { byWords: Math.max(byWords, limit), byMeaning },
    model: model?.id,
    vector,
    nearest,
  };
}
