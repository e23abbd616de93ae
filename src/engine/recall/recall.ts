import { throwIfAborted } from '../base/cancellation.js';
import { storesInScope, type RecallContext } from '../context.js';
import { requestLimits } from '../model/config.js';
import type { RecallInput, RecallResult } from '../model/query.js';
import type { Trace, TraceStage, TraceTime } from '../model/trace.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import type { Store } from '../store/store.js';
import type { TimeWindow } from '../text/timeWindow.js';
import type { CachedAnswer, CacheStamp, RecallAnswer } from './answerCache.js';
import { cutIrrelevant, cutOf, partitionGiven } from './answerCut.js';
import { placeCode } from './codeAnswers.js';
import { findDescriptions, mergeCodePlaces } from './codePlaces.js';
import { annotateCodeState } from './codeState.js';
import { packContext } from './packContext.js';
import { placeCurrent } from './currentMemories.js';
import { placeNearDuplicates } from './nearDuplicates.js';
import { rankCandidates, type RankedMemory, type Ranking, type StoreSearchResult } from './rank.js';
import { rankWithParts } from './rankParts.js';
import { hasExpansion, parseRecallQuery, type RecallQuery } from './recallQuery.js';
import { buildTrace, newTraceHeader, redactQuery, type ChosenCandidates } from './recallTrace.js';
import { rerank, type Reranked } from './rerank.js';
import { decayInputFor, embedQuery, searchApart, type FoundApart, type RecallRun } from './searchStores.js';

/**
 * Answers from the cache where it may, else searches, and records what was returned; nothing of an aborted call.
 * @throws EngineError invalidInput | aborted, and what reading a store throws.
 */
export async function recall(ctx: RecallContext, input: RecallInput, signal?: AbortSignal): Promise<RecallResult> {
  const startedAtMs = performance.now();
  const config = ctx.host.config();
  const now = ctx.host.now();
  const recallQuery = parseRecallQuery(input, config.recall, now);
  const stores = storesInScope(ctx, recallQuery.scope);
  const cacheKey = JSON.stringify(recallQuery);
  const stampFor = (revisions: readonly number[]): CacheStamp => ({ revisions, now, config });
  if (input.mode !== 'fresh' && ctx.cache.has(cacheKey)) {
    const pendingRevisions = Promise.all(stores.map(it => it.revision()));
    const cached = ctx.cache.get(cacheKey)!;
    const isFresh = pendingRevisions.then(revisions => ctx.cache.isFresh(cacheKey, cached, stampFor(revisions)));
    // Rejection is handled by the caller that awaits it.
    isFresh.catch(() => undefined);
    const answer = await answerFromCache(ctx, cached, { recallQuery, input, startedAtMs, isFresh });
    throwIfAborted(signal);
    if (answer !== undefined) return recordUsage(ctx, answer, stores, input);
  }
  const answer = await computeAnswer(ctx, recallQuery, stores, { input, signal });
  throwIfAborted(signal);
  if (answer.isCacheable) ctx.cache.set(cacheKey, answer, stampFor(answer.revisions));
  return recordUsage(ctx, answer, stores, input);
}

/** Notes what an answer returned, unless it was a glance. */
function recordUsage(
  ctx: RecallContext,
  { result, hitStoreIndexes }: Pick<RecallAnswer, 'result' | 'hitStoreIndexes'>,
  stores: readonly Store[],
  { isUntracked }: RecallInput,
): RecallResult {
  const { hits, trace } = result;
  if (isUntracked !== true) {
    // The scope may have no store; the trace is kept in any case.
    ctx.usage.add(
      stores[0] ?? ctx.stores[0]!.store,
      trace,
      hits.map((hit, i) => ({ store: stores[hitStoreIndexes[i]!]!, hit })),
    );
  }
  return result;
}

interface CachedAnswerRequest {
  readonly recallQuery: RecallQuery;
  readonly input: RecallInput;
  readonly startedAtMs: number;
  /** Whether the known answer still holds. */
  readonly isFresh: Promise<boolean>;
}

/**
 * A known answer, as that of a new call: made ready while the stores are asked whether anything was written. People write
 * code all the time, whatever the stores say.
 * @returns undefined where it holds no more
 */
async function answerFromCache(
  ctx: RecallContext,
  cached: CachedAnswer,
  { recallQuery, input, startedAtMs, isFresh }: CachedAnswerRequest,
): Promise<Pick<RecallAnswer, 'result' | 'hitStoreIndexes'> | undefined> {
  const { result: cachedResult } = cached;
  const { trace } = cachedResult;
  const annotated = await annotateCodeState(ctx.host.workspaceFolders, cachedResult.hits);
  const isSame = annotated.every((it, i) => it.code === cachedResult.hits[i]!.code);
  const { included: hits, ...formatted } = isSame
    ? { included: cachedResult.hits }
    : packContext(annotated, recallQuery.tokenBudget);
  const hitStoreIndexes = isSame
    ? cached.hitStoreIndexes
    : cached.hitStoreIndexes.filter((_, i) => hits.some(it => it.memory.id === annotated[i]!.memory.id));
  const query = input.query === cached.rawQuery ? trace.query : redactQuery(input.query);
  const header = { ...trace, ...newTraceHeader(ctx, input), query };
  if (!(await isFresh)) return undefined;
  if (hits.some(it => hasLapsed(it.memory, decayInputFor(ctx, it.memory)))) return undefined;
  const stages = [{ name: 'cache', ms: performance.now() - startedAtMs, count: hits.length }];
  const renewed: Trace = { ...header, cache: 'hit', stages };
  return { result: { ...cachedResult, ...formatted, hits, trace: renewed }, hitStoreIndexes };
}

/** The read path, top to bottom. */
async function computeAnswer(
  ctx: RecallContext,
  recallQuery: RecallQuery,
  stores: readonly Store[],
  { input, signal }: { readonly input: RecallInput; readonly signal: AbortSignal | undefined },
): Promise<RecallAnswer> {
  const run = startRun(ctx, recallQuery, stores, { input, signal });
  const searched = await searchAndRank(run);
  const placed = await placeRanked(run, searched);
  const chosen = chooseAnswering(run, placed, searched.time);
  const { context, tokens, included: hits } = await pack(run, chosen.kept);
  const returnedIds = new Set(hits.map(it => it.memory.id));
  const trace = buildTrace(run, { time: searched.time, chosen, placed, returnedIds, tokens });
  const hasSecret = trace.query !== input.query.trim().slice(0, requestLimits.maxQueryLength);
  return {
    rawQuery: input.query,
    revisions: searched.revisions,
    result: { hits, context, tokens, trace },
    hitStoreIndexes: chosen.kept.filter(it => returnedIds.has(it.hit.memory.id)).map(it => stores.indexOf(it.store)),
    isCacheable: !hasSecret && !placed.isLate && !run.degradations.some(it => it.isTransient),
  };
}

function startRun(
  ctx: RecallContext,
  recallQuery: RecallQuery,
  stores: readonly Store[],
  { input, signal }: Pick<RecallRun, 'input' | 'signal'>,
): RecallRun {
  const { limit, given } = recallQuery;
  // As many more as are left out for they were given before.
  const maxPlaces = limit + Math.min(given.length, requestLimits.maxHits);
  const stages: TraceStage[] = [];
  const timeStage: RecallRun['timeStage'] = async (name, work) => {
    const start = performance.now();
    const before = stages.length;
    const result = await work();
    throwIfAborted(signal);
    // The time of a stage within it is recorded there.
    const nestedMs = stages.slice(before).reduce((sum, it) => sum + it.ms, 0);
    stages.push({ name, ms: performance.now() - start - nestedMs, count: result.length });
    return result;
  };
  return {
    ctx,
    recallQuery,
    stores,
    input,
    signal,
    maxPlaces,
    stages,
    degradations: [],
    remarks: new Set(),
    timeStage,
  };
}

interface SearchedCandidates {
  readonly storeResults: readonly StoreSearchResult[];
  /** Of the index of code, which is ranked apart. */
  readonly codeResults: readonly StoreSearchResult[];
  readonly ranking: Ranking;
  /** Of each store, from before anything was read: the answer is at least as new. */
  readonly revisions: readonly number[];
  readonly time: TraceTime | undefined;
}

/** Searches every store and ranks what was found; without the time of the question where nothing is of that time. */
async function searchAndRank(run: RecallRun): Promise<SearchedCandidates> {
  const { ctx, recallQuery, maxPlaces, timeStage } = run;
  const meaning = await embedQuery(run, [recallQuery.query, ...recallQuery.alternatives]);
  const search = async (name: string, wantedQuery: RecallQuery): Promise<FoundApart> => {
    let found!: FoundApart;
    await timeStage(name, async () => {
      found = await searchApart(run, { ...wantedQuery, limit: maxPlaces }, meaning);
      return found.memories;
    });
    return found;
  };
  const rank = async (results: readonly StoreSearchResult[]): Promise<Ranking> => {
    let ranking!: Ranking;
    await timeStage('rank', () => (ranking = rankWithParts(ctx, results, recallQuery)).ranked);
    return ranking;
  };
  const time = traceTimeOf(recallQuery);
  const found = await search('search', applyTimeFilter(recallQuery));
  const revisions = found.memories.map(it => it.revision);
  const ranking = await rank(found.memories);
  if (time?.use !== 'narrowed' || ranking.ranked.length > 0 || found.code.length > 0)
    return { storeResults: found.memories, codeResults: found.code, ranking, revisions, time };
  const ofAllTimes = await search('search all times', recallQuery);
  return {
    storeResults: ofAllTimes.memories,
    codeResults: ofAllTimes.code,
    ranking: await rank(ofAllTimes.memories),
    revisions,
    time: { ...time, use: 'dropped' },
  };
}

type PlacedCandidates = ReturnType<typeof placeCurrent<RankedMemory>> & {
  /** Of the index, best first. */
  readonly code: readonly RankedMemory[];
  readonly describedCode: readonly RankedMemory[];
  /** Whether the cross-encoder did not answer in time. */
  readonly isLate: boolean;
  /** When the places of current memories were looked for, as `performance.now()`. */
  readonly placingStartedMs: number;
};

/** The order of the answer: by rank, but for code that is described, near duplicates and what is replaced. */
async function placeRanked(
  { ctx, recallQuery, input, signal, maxPlaces, stages }: RecallRun,
  { storeResults, codeResults, ranking }: SearchedCandidates,
): Promise<PlacedCandidates> {
  const { query, filter } = recallQuery;
  const wantsCode = filter.kinds !== undefined && !filter.kinds.includes('code-description');
  const describeCode = (it: readonly RankedMemory[]) =>
    mergeCodePlaces(it, maxPlaces, codes => findDescriptions(codes, filter));
  const { ranked: byRank, merged } = wantsCode
    ? { ranked: ranking.ranked, merged: [] }
    : await describeCode(ranking.ranked);
  const code = await describeCode(codeResults.length === 0 ? [] : rankCandidates(ctx, codeResults, recallQuery).ranked);
  const { ranked: reranked, isLate } = await rerankBest(ctx, byRank, { query, input, stages });
  throwIfAborted(signal);
  // Asked for what was said at a time, the newest is not what is wanted.
  const newestFirst = !hasExpansion(recallQuery) && recallQuery.time?.refersToAssertionTime !== true;
  // The last step, because it places some against their rank.
  const ranked = placeNearDuplicates(reranked, { newestFirst });
  const placingStartedMs = performance.now();
  const current = placeCurrent(
    ranked,
    maxPlaces,
    storeResults.map(({ store, contradictions }) => ({
      contradictions,
      toCandidate: memory => ranking.toCandidate(store, memory),
    })),
  );
  return { ...current, code: code.ranked, describedCode: [...merged, ...code.merged], isLate, placingStartedMs };
}

/** Selects those of the placed candidates that answer: above the cut, not given before, within the limit. */
function chooseAnswering(
  { recallQuery, degradations, stages }: RecallRun,
  { kept: placed, dropped, reasons, code, placingStartedMs }: PlacedCandidates,
  time: TraceTime | undefined,
): ChosenCandidates {
  const { given, withoutCut } = recallQuery;
  // A late model, and a memory without a vector, leave a cut of words' own. Without a model nothing else can find what a cut
  // takes away, and who asks for a time wants all that is of it.
  const isCut = degradations.every(it => it.isCut === true) && time?.use !== 'narrowed';
  const cut = isCut ? cutOf(placed, recallQuery) : undefined;
  const [relevant, others] = cutIrrelevant(placed, cut);
  const belowCut = new Set(others);
  const [answering, irrelevant] = withoutCut
    ? [placed.map(it => (belowCut.has(it) ? { ...it, hit: { ...it.hit, isBelowCut: true } } : it)), []]
    : [relevant, others];
  const [beyond, irrelevantBeyond] = cutIrrelevant(dropped, withoutCut ? undefined : cut);
  const { fresh, repeated } = partitionGiven(answering, given);
  const { fresh: freshCode, repeated: repeatedCode } = partitionGiven(code, given);
  const { kept, beyond: overLimit, left: otherCode } = placeCode(fresh, freshCode, recallQuery);
  if (reasons.size > 0) stages.push({ name: 'widen', ms: performance.now() - placingStartedMs, count: kept.length });
  return {
    kept,
    repeated: [...repeated, ...repeatedCode],
    irrelevant: [...irrelevant, ...irrelevantBeyond, ...otherCode],
    beyondLimit: [...overLimit, ...beyond],
    cut,
  };
}

/** The text of the answer, as far as it fits in the budget. */
async function pack(
  { ctx, recallQuery, stages }: RecallRun,
  kept: readonly RankedMemory[],
): Promise<ReturnType<typeof packContext>> {
  const annotated = await annotateCodeState(
    ctx.host.workspaceFolders,
    kept.map(it => it.hit),
  );
  const startedMs = performance.now();
  const formatted = packContext(annotated, recallQuery.tokenBudget);
  stages.push({ name: 'pack', ms: performance.now() - startedMs, count: formatted.included.length });
  return formatted;
}

/** The order of the cross-encoder that the settings name; without one the order stays. */
async function rerankBest(
  { crossEncoder, host }: RecallContext,
  byRank: readonly RankedMemory[],
  { query, input, stages }: { readonly query: string; readonly input: RecallInput; readonly stages: TraceStage[] },
): Promise<Reranked> {
  if (crossEncoder === undefined) return { ranked: byRank, isLate: false };
  const startedMs = performance.now();
  const { asker = 'person', isUntracked } = input;
  const reranked = await rerank(crossEncoder, byRank, {
    question: query,
    deadlineMs: host.config().recall.rerankMs,
    // An assistant or a glance waits for the answer only.
    waitsForModel: asker === 'person' && isUntracked !== true,
    log: host.log,
  });
  const name = reranked.isLate ? 'rerank, too late' : 'rerank';
  stages.push({ name, ms: performance.now() - startedMs, count: reranked.ranked.length });
  return reranked;
}

/** A question for what was said at a time wants only that; what happened at a time may have been said later. */
function applyTimeFilter(recallQuery: RecallQuery): RecallQuery {
  if (recallQuery.time?.refersToAssertionTime !== true) return recallQuery;
  return { ...recallQuery, filter: { ...recallQuery.filter, ...toDateRange(recallQuery.time) } };
}

function traceTimeOf({ time }: RecallQuery): TraceTime | undefined {
  return (
    time && { phrase: time.phrase, ...toDateRange(time), use: time.refersToAssertionTime ? 'narrowed' : 'preferred' }
  );
}

function toDateRange({ since, until }: TimeWindow): { since?: string; until?: string } {
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}
