import { throwIfAborted } from '../base/cancellation.js';
import { newUuid } from '../base/uuid.js';
import { storesInScope, type RecallContext } from '../context.js';
import { requestLimits } from '../model/config.js';
import type { RecallInput, RecallResult } from '../model/query.js';
import type { CandidateOutcome, Trace, TraceCandidate, TraceStage, TraceTime } from '../model/trace.js';
import type { Store } from '../store/store.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import type { TimeWindow } from '../text/temporalQuery.js';
import { redactSecrets, redactStrings } from '../secrets/secretScanner.js';
import { hasExpansion, parseRecallQuery, type RecallQuery } from './recallQuery.js';
import type { RecallAnswer, CachedAnswer, CacheStamp } from './answerCache.js';
import { annotateCodeState } from './annotateCodeState.js';
import { placeCode, searchApart } from './codeAnswers.js';
import { formatContext } from './contextFormatter.js';
import { rerank, type Reranked } from './rerank.js';
import { cutOf, reaches } from './answerCut.js';
import { rankCandidates, type RankedMemory, type Ranking, type StoreSearchResult } from './rank.js';
import { mergeCodePlaces } from './codePlaces.js';
import { placeCurrent } from './currentMemories.js';
import { partitionGiven } from './givenMemories.js';
import { placeNearDuplicates } from './nearDuplicates.js';
import {
  decayInputFor,
  embedQuery,
  searchStores,
  type Degradation,
  type SearchContext,
  type StageTimer,
} from './searchStores.js';

/**
 * Answers from the cache where it may, else searches, and records what was returned; nothing of a call that was called
 * off.
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
    // Who waits for it learns of its failure.
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
    // The scope may have no store; the trace is kept all the same.
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
    : formatContext(annotated, recallQuery.tokenBudget);
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

function newTraceHeader(ctx: RecallContext, input: RecallInput): Pick<Trace, 'id' | 'at' | 'asker' | 'request'> {
  const now = ctx.aging.writeTime();
  const { query, scope, scopeId, mode, isUntracked, withoutCut, given, asker = 'person', ...request } = input;
  const { alternatives, keywords, ...filters } = request;
  const expansion = {
    ...(alternatives === undefined
      ? {}
      : { alternatives: alternatives.slice(0, requestLimits.maxAlternatives).map(redactQuery) }),
    ...(keywords === undefined ? {} : { keywords: keywords.slice(0, requestLimits.maxKeywords).map(redactQuery) }),
  };
  return { id: newUuid(now), at: now.toISOString(), asker, request: { ...redactStrings(filters), ...expansion } };
}

/** More than is kept is looked at, and what a cut may have halved is dropped: half a secret would not be known for one. */
function redactQuery(rawQuery: string): string {
  const { maxQueryLength } = requestLimits;
  const query = rawQuery.trim();
  const looked = query.slice(0, 4 * maxQueryLength);
  const redacted = redactSecrets(looked);
  const kept = looked === query ? redacted : redacted.slice(0, -maxQueryLength);
  return kept.slice(0, maxQueryLength);
}

/** The read path, top to bottom: embed the question, search every store of the scope, fuse, rank, widen, pack. */
async function computeAnswer(
  ctx: RecallContext,
  recallQuery: RecallQuery,
  stores: readonly Store[],
  { input, signal }: { readonly input: RecallInput; readonly signal: AbortSignal | undefined },
): Promise<RecallAnswer> {
  const { query: rawQuery } = input;
  const { query, limit, tokenBudget, filter, given } = recallQuery;
  // As many more as are left out for they were given before.
  const maxPlaces = limit + Math.min(given.length, requestLimits.maxHits);
  const stages: TraceStage[] = [];
  const timeStage: StageTimer = async (name, work) => {
    const start = performance.now();
    const before = stages.length;
    const result = await work();
    throwIfAborted(signal);
    // The time of a stage within it is recorded there.
    const nestedMs = stages.slice(before).reduce((sum, it) => sum + it.ms, 0);
    stages.push({ name, ms: performance.now() - start - nestedMs, count: result.length });
    return result;
  };

  const degradations: Degradation[] = [];
  const meaning = await embedQuery(ctx, [query, ...recallQuery.alternatives], { stores, timeStage, degradations });
  const remarks = new Set<string>();
  const searchContext: SearchContext = { meaning, stages, degradations, remarks };
  let storeResults: readonly StoreSearchResult[] = [];
  let codeResults: readonly StoreSearchResult[] = [];
  const search = async (wantedQuery: RecallQuery): Promise<readonly StoreSearchResult[]> => {
    const found = await searchApart(
      it => searchStores(ctx, stores, it, searchContext),
      { ...wantedQuery, limit: maxPlaces },
      ctx.host.config().recall.candidates,
    );
    ({ memories: storeResults, code: codeResults } = found);
    return storeResults;
  };
  let time = traceTimeOf(recallQuery);
  await timeStage('search', () => search(applyTimeFilter(recallQuery)));
  // The answer is at least as new as what was known before anything was read.
  const revisions = storeResults.map(it => it.revision);
  let ranking!: Ranking;
  const rank = (): Promise<readonly RankedMemory[]> =>
    timeStage('rank', () => (ranking = rankCandidates(ctx, storeResults, recallQuery)).ranked);
  let sorted = await rank();
  if (time?.use === 'narrowed' && sorted.length === 0 && codeResults.length === 0) {
    time = { ...time, use: 'dropped' };
    await timeStage('search all times', () => search(recallQuery));
    sorted = await rank();
  }
  // Asked for what was said at a time, the newest is not what is wanted.
  const newestFirst = !hasExpansion(recallQuery) && recallQuery.time?.refersToAssertionTime !== true;
  const wantsCode = filter.kinds !== undefined && !filter.kinds.includes('code-description');
  const describeCode = (it: readonly RankedMemory[]) =>
    mergeCodePlaces(it, maxPlaces, codes => findDescriptions(codes, filter));
  const { ranked: byRank, merged } = wantsCode ? { ranked: sorted, merged: [] } : await describeCode(sorted);
  const code = await describeCode(codeResults.length === 0 ? [] : rankCandidates(ctx, codeResults, recallQuery).ranked);
  const describedCode = [...merged, ...code.merged];
  const { ranked: reranked, isLate } = await rerankBest(ctx, byRank, { query, input, stages });
  throwIfAborted(signal);
  // The last step, because it places some against their rank.
  const ranked = placeNearDuplicates(reranked, { newestFirst });
  const expansionStartedMs = performance.now();
  const {
    kept: placed,
    dropped,
    reasons,
  } = placeCurrent(
    ranked,
    maxPlaces,
    storeResults.map(({ store, contradictions }) => ({
      contradictions,
      toCandidate: memory => ranking.toCandidate(store, memory),
    })),
  );
  // A late model leaves a cut of words' own. Without a model nothing else can find what a cut takes away, and who asks for a
  // time wants all that is of it.
  const isCut = degradations.every(it => it.isLate === true) && time?.use !== 'narrowed';
  const cut = isCut ? cutOf(placed) : undefined;
  const [relevant, others] = cutIrrelevant(placed, cut);
  const belowCut = new Set(others);
  const [answering, irrelevant] = recallQuery.withoutCut
    ? [placed.map(it => (belowCut.has(it) ? { ...it, hit: { ...it.hit, isBelowCut: true } } : it)), []]
    : [relevant, others];
  const [beyond, irrelevantBeyond] = cutIrrelevant(dropped, recallQuery.withoutCut ? undefined : cut);
  const { fresh, repeated } = partitionGiven(answering, given);
  const { fresh: freshCode, repeated: repeatedCode } = partitionGiven(code.ranked, given);
  const { kept, beyond: overLimit, left: otherCode } = placeCode(fresh, freshCode, recallQuery);
  if (reasons.size > 0) stages.push({ name: 'widen', ms: performance.now() - expansionStartedMs, count: kept.length });
  const annotated = await annotateCodeState(
    ctx.host.workspaceFolders,
    kept.map(it => it.hit),
  );
  const formattingStartedMs = performance.now();
  const formatted = formatContext(annotated, tokenBudget);
  stages.push({ name: 'pack', ms: performance.now() - formattingStartedMs, count: formatted.included.length });

  const returnedIds = new Set(formatted.included.map(it => it.memory.id));
  const toTraceCandidate = (it: RankedMemory, outcome: CandidateOutcome): TraceCandidate => {
    const { id } = it.hit.memory;
    const because = reasons.get(id);
    return {
      id,
      store: it.store.kind,
      factors: it.factors,
      relevance: it.relevance,
      outcome,
      ...(it.pairScore === undefined ? {} : { pairScore: Math.round(it.pairScore * 1e4) / 1e4 }),
      ...(because === undefined ? {} : { because: because }),
    };
  };
  const candidates = [
    ...kept.map(it => [it, returnedIds.has(it.hit.memory.id) ? 'returned' : 'over budget'] as const),
    ...describedCode.map(it => [it, 'same code'] as const),
    ...[...repeated, ...repeatedCode].map(it => [it, 'given before'] as const),
    ...[...irrelevant, ...irrelevantBeyond, ...otherCode].map(it => [it, 'not relevant'] as const),
    ...[...overLimit, ...beyond].map(it => [it, 'over limit'] as const),
  ];
  const tracedCandidates = candidates.slice(0, Math.max(kept.length, ctx.host.config().traces.candidates));
  const trace: Trace = {
    ...newTraceHeader(ctx, input),
    client: ctx.host.client,
    query: redactQuery(rawQuery),
    scope: recallQuery.scope,
    ...(filter.scopeId === '' ? {} : { scopeId: redactSecrets(filter.scopeId) }),
    ...(time === undefined ? {} : { time }),
    cache: 'miss',
    degraded: [...new Set(degradations.map(it => it.reason))],
    ...(remarks.size === 0 ? {} : { remarks: [...remarks] }),
    stages,
    candidates: tracedCandidates.map(([it, outcome]) => toTraceCandidate(it, outcome)),
    candidateCount: candidates.length,
    ...(cut === undefined ? {} : { cut }),
    tokens: formatted.tokens,
  };
  const hits = formatted.included;
  const hasSecret = trace.query !== rawQuery.trim().slice(0, requestLimits.maxQueryLength);
  return {
    rawQuery,
    revisions,
    result: { hits, context: formatted.context, tokens: formatted.tokens, trace },
    hitStoreIndexes: kept.filter(it => returnedIds.has(it.hit.memory.id)).map(it => stores.indexOf(it.store)),
    isCacheable: !hasSecret && !isLate && !degradations.some(it => it.isTransient),
  };
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
    // What an assistant or a glance waits for is the answer.
    waitsForModel: asker === 'person' && isUntracked !== true,
    log: host.log,
  });
  const name = reranked.isLate ? 'rerank, too late' : 'rerank';
  stages.push({ name, ms: performance.now() - startedMs, count: reranked.ranked.length });
  return reranked;
}

/** The active descriptions of code, each ranked as its code. */
async function findDescriptions(
  codes: readonly RankedMemory[],
  { statuses }: RecallQuery['filter'],
): Promise<ReadonlyMap<string, (code: RankedMemory) => RankedMemory>> {
  const found = new Map<string, (code: RankedMemory) => RankedMemory>();
  for (const store of new Set(codes.map(it => it.store))) {
    const edges = await store.edgesInSets(
      codes.filter(it => it.store === store).map(it => it.hit.memory.id),
      ['source_of'],
    );
    const descriptions = new Map((await store.get(edges.map(it => it.source))).map(it => [it.id, it]));
    for (const { source, target } of edges) {
      const memory = descriptions.get(source);
      if (memory?.kind !== 'code-description' || statuses?.includes(memory.status) === false) continue;
      found.set(target, code => ({ ...code, hit: { ...code.hit, memory } }));
    }
  }
  return found;
}

/** Those that probably answer, and the others. Without a cut all do. */
function cutIrrelevant(
  placed: readonly RankedMemory[],
  cut: Trace['cut'],
): readonly [relevant: readonly RankedMemory[], others: readonly RankedMemory[]] {
  if (cut === undefined) return [placed, []];
  return [placed.filter(it => reaches(it, cut)), placed.filter(it => !reaches(it, cut))];
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
