import { EngineError } from '../base/errors.js';
import { toInt8Vector } from '../base/int8Vector.js';
import type { RecallContext } from '../context.js';
import { embedderError } from '../embeddings/embedder.js';
import { codeKinds, kinds, type Memory } from '../model/memory.js';
import { formatMessage, type MessageTemplateName } from '../model/engineMessages.js';
import type { RecallInput } from '../model/query.js';
import type { TraceStage } from '../model/trace.js';
import type { DecayInput } from '../scoring/decay.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import { noWordStatistics } from '../search/query/searchMemories.js';
import type { SearchResult, Store, StoreQuery } from '../store/store.js';
import type { StoreSearchResult } from './rank.js';
import type { RecallQuery } from './recallQuery.js';

/** Reason for a degraded search. */
export interface Degradation {
  readonly reason: string;
  /** It may be there at the next call, without any write in between. */
  readonly isTransient: boolean;
  /** Words alone have weights and a cut of their own, so that the answer is cut nevertheless. */
  readonly isCut?: boolean;
}

/** One question on its way, and what its stages note for the trace. */
export interface RecallRun {
  readonly ctx: RecallContext;
  readonly recallQuery: RecallQuery;
  readonly stores: readonly Store[];
  readonly input: RecallInput;
  readonly signal: AbortSignal | undefined;
  readonly maxPlaces: number;
  readonly stages: TraceStage[];
  readonly degradations: Degradation[];
  readonly remarks: Set<string>;
  /** Does a piece of the work, and notes how long it took and how many things it gave. */
  readonly timeStage: <T extends readonly unknown[]>(name: string, work: () => T | Promise<T>) => Promise<T>;
}

/**
 * The vectors of the question and its alternatives, or their texts where the search embeds them; or none: words alone
 * decide, and the trace says why.
 */
export async function embedQuery(
  { ctx, stores, timeStage, degradations }: RecallRun,
  texts: readonly string[],
): Promise<StoreQuery['meaning']> {
  const { embedder } = ctx;
  await embedder.prepare('query');
  const { unavailableReason } = embedder;
  if (unavailableReason !== undefined) {
    const isTransient = unavailableReason !== 'embeddingsOff' && unavailableReason !== 'modelUnusable';
    degradations.push({ reason: formatMessage(unavailableReason), isTransient });
    return undefined;
  }
  if (embedder.runsInSearchWorker) return { texts };
  // While the question is embedded, which takes a while the first time.
  for (const store of stores) store.prepareSearch(embedder.model);
  try {
    const vectors = await timeStage('embed', () => embedder.embed(texts, 'query'));
    return { vectors: vectors.map(toInt8Vector) };
  } catch (error) {
    if (EngineError.is(error, 'aborted')) throw error;
    if (EngineError.is(error, 'embedderLate'))
      degradations.push({ reason: formatMessage('modelLate'), isTransient: true, isCut: true });
    else degradeToLexical(ctx, error instanceof Error ? error.message : String(error), degradations);
    return undefined;
  }
}

function degradeToLexical(ctx: RecallContext, problem: string, degradations: Degradation[]): void {
  ctx.host.log.warn(problem);
  degradations.push({ reason: formatMessage(ctx.embedder.unavailableReason ?? 'modelFails'), isTransient: true });
}

/**
 * Of a question that the searches embedded by themselves: as its own stage where they did, a lack where they could not.
 * @returns whether there was a vector to search with
 */
function recordEmbedding(
  { ctx, stages, degradations }: RecallRun,
  results: readonly Pick<SearchResult, 'embedding'>[],
  meaning: StoreQuery['meaning'],
): boolean {
  const outcomes = results.map(it => it.embedding).filter(it => it !== undefined);
  for (const it of outcomes) {
    ctx.embedder.recordCall('failed' in it ? { ms: 0, failures: 1 } : { ms: it.ms, failures: 0 });
  }
  const failure = outcomes.find(it => 'failed' in it);
  if (failure !== undefined) {
    degradeToLexical(ctx, embedderError(ctx.embedder.model!, failure.failed).message, degradations);
    return false;
  }
  if (outcomes.length > 0) {
    const ms = outcomes.reduce((sum, it) => sum + ('ms' in it ? it.ms : 0), 0);
    stages.push({ name: 'embed', ms, count: 1 });
  }
  return meaning !== undefined;
}

const lexicalOnlyMessages = {
  building: 'indexBuilding',
  failed: 'indexFails',
  notIndexed: 'notIndexed',
  unreachable: 'storeUnreachable',
} as const satisfies Readonly<Record<NonNullable<SearchResult['lexicalOnlyReason']>, MessageTemplateName>>;

const otherKinds = kinds.filter(it => !codeKinds.includes(it));

/** Hits among people's memories, and in the index of code. */
export interface FoundApart {
  readonly memories: readonly StoreSearchResult[];
  readonly code: readonly StoreSearchResult[];
}

/**
 * Searches so that an index of code takes nothing from memories: neither a place among the candidates nor a part of what
 * their rank is measured by. A caller that names kinds gets what it names.
 */
export async function searchApart(
  run: RecallRun,
  recallQuery: RecallQuery,
  meaning: StoreQuery['meaning'],
): Promise<FoundApart> {
  const found = await searchStores(run, recallQuery, meaning);
  const { filter } = recallQuery;
  if (filter.kinds !== undefined || !found.some(it => it.hits.some(({ memory }) => isIndexedCode(memory))))
    return { memories: found, code: [] };
  const ofOtherKinds = { ...recallQuery, filter: { ...filter, kinds: otherKinds } };
  const others = await searchStores(run, ofOtherKinds, meaning);
  // All that the stores have besides code: words are weighed among them, as they would be without the index.
  const { candidates } = run.ctx.host.config().recall;
  const isAll = others.every(it => it.hits.length < candidates);
  const memories = found.map((result, i) => {
    const { hits, ...rest } = others[i]!;
    const ids = new Set(hits.map(it => it.memory.id));
    // Code that a person wrote down or confirmed is a memory like others.
    const kept = result.hits.filter(it => !isIndexedCode(it.memory) && !ids.has(it.memory.id));
    return {
      ...rest,
      ...(isAll ? { statistics: noWordStatistics } : {}),
      hits: [...hits, ...kept],
      revision: result.revision,
    };
  });
  const code = found.map(it => ({ ...it, hits: it.hits.filter(({ memory }) => isIndexedCode(memory)) }));
  return { memories, code };
}

/** Whether the index made it, and no person has made it theirs. */
function isIndexedCode({ kind, lane, pinned, provenance }: Memory): boolean {
  return provenance.source === 'code-index' && codeKinds.includes(kind) && lane === 'note' && !pinned;
}

async function searchStores(
  run: RecallRun,
  { question, terms, filter, limit }: RecallQuery,
  meaning: StoreQuery['meaning'],
): Promise<readonly StoreSearchResult[]> {
  const { ctx, stores, degradations, remarks } = run;
  const storeQuery: StoreQuery = { question, terms, model: ctx.embedder.model, meaning };
  const maxCandidates = Math.max(limit, ctx.host.config().recall.candidates);
  const searchStore = (store: Store) => (max: number) => store.search(storeQuery, filter, max);
  const pendingResults = stores.map(async store => ({
    store,
    ...(await searchCurrent(searchStore(store), maxCandidates, it => hasLapsed(it, decayInputFor(ctx, it)))),
  }));
  const results = await Promise.all(pendingResults);
  const hadEmbedding = recordEmbedding(run, results, meaning);
  const reasons = new Set(results.map(it => it.lexicalOnlyReason).filter(it => it !== undefined));
  for (const it of reasons) {
    degradations.push({ reason: formatMessage(lexicalOnlyMessages[it]), isTransient: it !== 'notIndexed' });
  }
  if (hadEmbedding && results.some(it => it.candidatesBy === 'words')) remarks.add(formatMessage('foundByWords'));
  const embedded = results.reduce((sum, it) => sum + it.embedded, 0);
  const searchable = results.reduce((sum, it) => sum + it.searchable, 0);
  if (hadEmbedding && embedded < searchable) {
    const reason = formatMessage('partlyEmbedded', embedded, searchable);
    degradations.push({ reason, isTransient: false, isCut: true });
  }
  return results;
}

/**
 * The candidates of a search without those whose time is over. Where they crowd out what still counts, it is searched for
 * more: maintenance, which takes them out of the index, may not have run for long.
 */
async function searchCurrent(
  search: (maxCandidates: number) => Promise<SearchResult>,
  maxCandidates: number,
  isOver: (memory: Memory) => boolean,
): Promise<SearchResult> {
  for (let max = maxCandidates; ; max *= lapsedSearchGrowth) {
    const { hits: found, contradictions, ...result } = await search(max);
    const hits = found.filter(it => !isOver(it.memory));
    if (hits.length < maxCandidates / 2 && found.length >= max) continue;
    const memories = new Map([...contradictions.memories].filter(([, it]) => !isOver(it)));
    return { ...result, hits, contradictions: { ...contradictions, memories } };
  }
}
const lapsedSearchGrowth = 4;

/** For what is returned: a time that is over is over by the clock itself, right or wrong. */
export function decayInputFor({ host }: RecallContext, { centrality }: Memory): DecayInput {
  return { rules: host.config().decay, centrality, now: host.now() };
}
