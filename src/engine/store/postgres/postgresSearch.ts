import { toInt8Components } from '../../base/int8Vector.js';
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
import { decodeQuestionVectors, nearestOf, questionModel } from '../questionVectors.js';
import type { Contradictions, SearchableStore, SearchHit, SearchResult, StoreFilter, StoreQuery } from '../store.js';
import { CachedVectors } from './cachedVectors.js';
import { buildCandidateIndex, ParsedMemoryCache } from './candidateIndex.js';
import { PostgresComparisonSession } from './postgresComparison.js';
import { findPostgresContradictions } from './postgresRelations.js';
import { fromPostgres, memoryArraySql } from './postgresRows.js';
import {
  findSearchCandidates,
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
  /** Memories up to which a store is searched as thoroughly as a file, in words and in meaning; default 10,000. */
  readonly maxFullySearched?: number;
}

const defaultDeadlineMs = 2_000;
const defaultMaxFullySearched = 10_000;
const candidateCounts = {
  /** A store that is searched as thoroughly as a file. */
  small: { byWords: 800, byMeaning: 200 },
  large: { byWords: 150, byMeaning: 200 },
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
    if (model === undefined) return;
    const prepare = async (): Promise<void> => {
      if ((await this.vectorTables.find(model)) === undefined) await this.cachedVectors.prepare(model);
    };
    // The first question tries again, and says what it lacks.
    prepare().catch(() => undefined);
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
    const { terms, meaning, model } = query;
    const reading = readTermStatistics(
      this.sql,
      terms.map(it => it.term),
      filter.scopeId,
    );
    // While the server answers.
    const { vectors, asked, ofQuestions, embedding } = this.embed(meaning);
    const vectorIndex = asked === undefined ? undefined : await this.vectorTables.find(model);
    const statistics = await reading;
    const { revision, sequence, content } = statistics;
    const state = { revision, documents: content.documents };
    const isRead = asked !== undefined && model !== undefined && vectorIndex === undefined;
    const ofStore = isRead ? await this.cachedVectors.load(model, state) : undefined;
    const nearest = asked && ofStore?.findNearest(asked);
    const search = planSearch(query, filter, {
      limit,
      isSmall: content.documents <= (this.parts.maxFullySearched ?? defaultMaxFullySearched),
      near: asked === undefined || vectorIndex === undefined ? undefined : { vectors: asked, ...vectorIndex },
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
      vectorOf: it => (it.vector === null ? ofStore?.vectorOf(it.row) : toInt8Components(it.vector)),
    });
    const { scopeId } = filter;
    const { hits, statistics: ofWords } = searchMemories(index, { terms, vectors, scopeId, allowed: undefined, limit });
    const found = hits.map(({ row, nearness, vector: ofHit }) => ({
      candidate: candidates[row - 1]!,
      nearness,
      vector: ofHit?.slice(),
    }));
    const { contradictions, toHit } = await this.fetchHits(
      found.map(it => it.candidate),
      model,
      ofQuestions,
    );
    return {
      hits: found.flatMap(({ candidate, ...rest }) => toHit(candidate, rest) ?? []),
      contradictions,
      statistics: ofWords,
      embedded: counts.embedded,
      searchable: counts.searchable,
      embedding,
      revision,
      sequence,
      lexicalOnlyReason: undefined,
      candidatesBy: search.near === undefined && nearest === undefined ? 'words' : 'wordsAndMeaning',
    };
  }

  /** The vectors of a question and its alternatives. */
  private embed(meaning: StoreQuery['meaning']): EmbeddedQuestion {
    const isGiven = meaning !== undefined && 'vectors' in meaning;
    const texts = meaning === undefined || isGiven ? [] : meaning.texts;
    const embedded = this.builtInModel.embed(texts);
    const vectors = isGiven ? meaning.vectors : splitVectors(embedded.vectors, texts.length);
    // Of a question without a known word all components are zeros, and nothing is near to it.
    const asked = vectors?.[0]?.some(it => it !== 0) === true ? vectors : undefined;
    return { vectors, asked, ofQuestions: isGiven ? asked : undefined, embedding: embedded.embedding };
  }

  /** The memories with how near their questions are, and those that contradict them. */
  private async fetchHits(
    candidates: readonly CandidateRow[],
    model: StoreQuery['model'],
    asked: readonly Int8Array[] | undefined,
  ): Promise<FetchedHits> {
    const ids = candidates.map(it => it.id);
    const withQuestions = candidates.filter(it => it.questions !== null).map(it => it.id);
    const [memories, byMemoryId, questionVectors] = await Promise.all([
      this.fetchMemories(ids),
      findPostgresContradictions(this.sql, ids, maxContradictions),
      asked === undefined || model === undefined
        ? new Map<string, Uint8Array>()
        : this.fetchQuestionVectors(model.id, withQuestions),
    ]);
    const contradicting = new Set([...byMemoryId.values()].flatMap(list => list.map(it => it.id)));
    const missing = [...contradicting].filter(it => !memories.has(it));
    const others = missing.length === 0 ? new Map<string, Memory>() : await this.fetchMemories(missing);
    const ofContradictions = [...contradicting].flatMap(id => {
      const memory = memories.get(id) ?? others.get(id);
      return memory === undefined ? [] : [[id, memory] as const];
    });
    const toHit: FetchedHits['toHit'] = (candidate, rest) => {
      const memory = memories.get(candidate.id);
      if (memory === undefined) return undefined;
      const aids = aidsOf(candidate);
      const ofQuestions = decodeQuestionVectors(questionVectors.get(candidate.id), model, aids);
      return { memory, aids, questionNearness: asked && nearestOf(asked, ofQuestions), ...rest };
    };
    return { contradictions: { byMemoryId, memories: new Map(ofContradictions) }, toHit };
  }

  /** The encoded vectors of questions (questionVectors.ts), by memory id. */
  private async fetchQuestionVectors(model: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (ids.length === 0) return new Map();
    const rows = await this.sql.all(
      'SELECT id, vector FROM vectors WHERE model = $1 AND id = ANY ($2::text[])',
      questionModel(model),
      ids,
    );
    return new Map(rows.map(it => [it.id as string, it.vector as Uint8Array]));
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

interface EmbeddedQuestion {
  /** int8; all zeros for a text without a known word. */
  readonly vectors: readonly Int8Array[] | undefined;
  /** The same where the question has a known word. */
  readonly asked: readonly Int8Array[] | undefined;
  /** The same where questions of memories are compared with them: the built-in model makes none of those. */
  readonly ofQuestions: readonly Int8Array[] | undefined;
  readonly embedding: SearchResult['embedding'];
}

interface FetchedHits {
  readonly contradictions: Contradictions;
  /** Undefined for a memory that was deleted since the search. */
  readonly toHit: (candidate: CandidateRow, rest: Pick<SearchHit, 'nearness' | 'vector'>) => SearchHit | undefined;
}

function aidsOf({ questions, keywords }: CandidateRow): SearchHit['aids'] {
  return questions === null
    ? undefined
    : { questions: parseStringArray(questions), keywords: parseStringArray(keywords) };
}

/** How many candidates are looked for, by which words and vectors. */
function planSearch(
  { question, terms, model }: StoreQuery,
  filter: StoreFilter,
  { limit, isSmall, near, nearest }: Pick<CandidateSearch, 'isSmall' | 'near' | 'nearest'> & { readonly limit: number },
): CandidateSearch {
  const { byWords, byMeaning } = candidateCounts[isSmall ? 'small' : near === undefined ? 'large' : 'largeIndexed'];
  return {
    terms,
    isSmall,
    phrases: question.phrases,
    excludedPhrases: question.excludedPhrases,
    filter,
    // Where all are compared, no more than are wanted.
    counts: { byWords: Math.max(byWords, limit), byMeaning: nearest === undefined ? byMeaning : limit },
    model: model?.id,
    near,
    nearest,
  };
}
