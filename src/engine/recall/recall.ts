import { throwIfCalledOff } from '../base/calledOff.js';
import { EngineError } from '../base/errors.js';
import { newId } from '../base/newId.js';
import { quantise } from '../base/quantise.js';
import { doesNotRun } from '../embeddings/embedder.js';
import { storesOf, type Context } from '../context.js';
import { callLimits } from '../model/config.js';
import type { RecallInput, Recollection } from '../model/query.js';
import { sentence, type SentenceName } from '../model/sentences.js';
import type { CandidateOutcome, Trace, TraceCandidate, TraceStage, TraceTime } from '../model/trace.js';
import type { SearchResult, Store, StoreQuery } from '../store/store.js';
import { readQuestion } from '../text/question.js';
import { calendarRanges, type TimeWindow } from '../text/timeWindow.js';
import { redactSecrets } from '../text/secrets.js';
import { readAsked, type Asked } from './asked.js';
import type { Answer, KnownAnswer, Moment } from './cache.js';
import { withCodeStates } from './codeChanges.js';
import { fuse, type Fused, type Searched } from './fuse.js';
import { pack } from './pack.js';
import { ordered, rankerOf, type Candidate } from './rank.js';
import { widen } from './widen.js';

/** Does a piece of the work, and notes how long it took and how many things it gave. */
type Staged = <T extends readonly unknown[]>(name: string, work: () => T | Promise<T>) => Promise<T>;

/** What a call has to do without. */
interface Lack {
  readonly what: string;
  /** It may be there at the next call, without any write in between. */
  readonly passing: boolean;
}

/**
 * Answers from the cache where it may, else searches, and records what was returned; nothing of a call that was called
 * off.
 * @throws EngineError invalidInput | aborted, and what reading a store throws.
 */
export async function recall(ctx: Context, input: RecallInput, signal?: AbortSignal): Promise<Recollection> {
  const started = performance.now();
  const config = ctx.host.config();
  const now = ctx.host.now();
  const asked = readAsked(input, config.recall, now);
  const stores = storesOf(ctx, asked.scope);
  const key = JSON.stringify(asked);
  const at = (revisions: readonly number[]): Moment => ({ revisions, now, config });
  if (input.mode !== 'fresh' && ctx.cache.has(key)) {
    const standing = Promise.all(stores.map(it => it.revision()));
    const known = ctx.cache.find(key)!;
    const stands = standing.then(revisions => ctx.cache.stands(key, known, at(revisions)));
    // Who waits for it learns of its failure.
    stands.catch(() => undefined);
    const answer = await again(ctx, known, { asked, input, started, stands });
    throwIfCalledOff(signal);
    if (answer !== undefined) return counted(ctx, answer, stores, input);
  }
  const answer = await search(ctx, asked, stores, { input, signal });
  throwIfCalledOff(signal);
  if (answer.mayBeKept) ctx.cache.keep(key, answer, at(answer.revisions));
  return counted(ctx, answer, stores, input);
}

/** Notes what an answer returned, unless it was a glance. */
function counted(
  { usage }: Context,
  { recollection, stores: from }: Pick<Answer, 'recollection' | 'stores'>,
  stores: readonly Store[],
  { glance }: RecallInput,
): Recollection {
  const { hits, trace } = recollection;
  if (glance !== true) {
    usage.add(
      stores[0]!,
      trace,
      hits.map((hit, i) => ({ store: stores[from[i]!]!, hit })),
    );
  }
  return recollection;
}

interface AskedAgain {
  readonly asked: Asked;
  readonly input: RecallInput;
  readonly started: number;
  /** Whether the known answer still holds. */
  readonly stands: Promise<boolean>;
}

/**
 * A known answer, as that of a new call: made ready while the stores are asked whether anything was written. People write
 * code all the time, whatever the stores say.
 * @returns undefined where it holds no more
 */
async function again(
  ctx: Context,
  known: KnownAnswer,
  { asked, input, started, stands }: AskedAgain,
): Promise<Pick<Answer, 'recollection' | 'stores'> | undefined> {
  const { recollection: before } = known;
  const { trace } = before;
  const marked = await withCodeStates(ctx.host.workspaceFolders, before.hits);
  const isSame = marked.every((it, i) => it.code === before.hits[i]!.code);
  const { included: hits, ...packed } = isSame ? { included: before.hits } : pack(marked, asked.tokenBudget);
  const stores = isSame ? known.stores : known.stores.filter((_, i) => hits.includes(marked[i]!));
  const query = input.query === known.written ? trace.query : withoutSecrets(input.query);
  const made = { ...trace, ...newTrace(ctx, input), query };
  if (!(await stands)) return undefined;
  const stages = [{ name: 'cache', ms: performance.now() - started, count: hits.length }];
  const renewed: Trace = { ...made, cache: 'hit', stages };
  return { recollection: { ...before, ...packed, hits, trace: renewed }, stores };
}

function newTrace(ctx: Context, input: RecallInput): Pick<Trace, 'id' | 'at' | 'asker' | 'request'> {
  const now = ctx.host.now();
  const { query, scope, scopeId, mode, glance, asker = 'person', ...request } = input;
  return { id: newId(now), at: now.toISOString(), asker, request };
}

/** The whole query is looked at: a secret cut in two would not be known for one. */
function withoutSecrets(written: string): string {
  return redactSecrets(written.trim()).slice(0, callLimits.queryCharacters);
}

/** The read path, top to bottom: embed the question, search every store of the scope, fuse, rank, widen, pack. */
async function search(
  ctx: Context,
  asked: Asked,
  stores: readonly Store[],
  { input, signal }: { readonly input: RecallInput; readonly signal: AbortSignal | undefined },
): Promise<Answer> {
  const { query: written } = input;
  const { recall } = ctx.host.config();
  const { query, limit, tokenBudget, filter } = asked;
  const stages: TraceStage[] = [];
  const stage: Staged = async (name, work) => {
    const start = performance.now();
    const before = stages.length;
    const result = await work();
    throwIfCalledOff(signal);
    // What a stage within it took is told there.
    const within = stages.slice(before).reduce((sum, it) => sum + it.ms, 0);
    stages.push({ name, ms: performance.now() - start - within, count: result.length });
    return result;
  };

  const lacks: Lack[] = [];
  const meaning = await embedQuery(ctx, query, { stores, stage, lacks });
  const searching: Searching = { meaning, stages, lacks };
  let searched: readonly Searched[] = [];
  const searchFor = async (what: Asked): Promise<readonly Fused[]> => {
    searched = await searchStores(ctx, stores, what, searching);
    return fuse(searched, { ...recall, meaningFloor: ctx.embedder.model?.thresholds.answer ?? recall.meaningFloor });
  };
  let time = timeOf(asked);
  let found = await stage('search', () => searchFor(narrowed(asked)));
  // The answer is at least as new as what was known before anything was read.
  const revisions = searched.map(it => it.revision);
  if (time?.use === 'narrowed' && found.length === 0) {
    time = { ...time, use: 'dropped' };
    found = await stage('search all times', () => searchFor(asked));
  }
  const ranker = rankerOf(ctx, searched);
  const ranked = await stage('rank', () => ordered(found.map(ranker)));
  const widening = performance.now();
  const { placed, others, because } = widen(ranked, limit, { searched, rank: ranker });
  if (because.size > 0) stages.push({ name: 'widen', ms: performance.now() - widening, count: placed.length });
  const marked = await withCodeStates(
    ctx.host.workspaceFolders,
    placed.map(it => it.hit),
  );
  const packing = performance.now();
  const packed = pack(marked, tokenBudget);
  stages.push({ name: 'pack', ms: performance.now() - packing, count: packed.included.length });

  const explained = (it: Candidate, outcome: CandidateOutcome): TraceCandidate => {
    const { id } = it.hit.memory;
    const why = because.get(id);
    return { id, store: it.store.kind, factors: it.factors, outcome, ...(why === undefined ? {} : { because: why }) };
  };
  const candidates = [
    ...placed.map((it, i) => explained(it, packed.included.includes(marked[i]!) ? 'returned' : 'over budget')),
    ...others.map(it => explained(it, 'over limit')),
  ];
  const trace: Trace = {
    ...newTrace(ctx, input),
    client: ctx.host.client,
    query: withoutSecrets(written),
    scope: asked.scope,
    ...(filter.scopeId === '' ? {} : { scopeId: filter.scopeId }),
    ...(time === undefined ? {} : { time }),
    cache: 'miss',
    degraded: [...new Set(lacks.map(it => it.what))],
    stages,
    candidates: candidates.slice(0, Math.max(placed.length, ctx.host.config().traces.candidates)),
    candidateCount: candidates.length,
    tokens: packed.tokens,
  };
  const hits = packed.included;
  const hasSecret = trace.query !== written.trim().slice(0, callLimits.queryCharacters);
  return {
    written,
    revisions,
    recollection: { hits, context: packed.context, tokens: packed.tokens, trace },
    stores: placed.filter((_, i) => hits.includes(marked[i]!)).map(it => stores.indexOf(it.store)),
    mayBeKept: !hasSecret && !lacks.some(it => it.passing) && !hits.some(it => it.memory.sensitive),
  };
}

/** Asked for what was told at a time, only that counts; where something happened, it may have been told later. */
function narrowed(asked: Asked): Asked {
  if (asked.time?.ofTelling !== true) return asked;
  return { ...asked, filter: { ...asked.filter, ...span(asked.time) } };
}

function timeOf({ time }: Asked): TraceTime | undefined {
  return time && { phrase: time.phrase, ...span(time), use: time.ofTelling ? 'narrowed' : 'preferred' };
}

function span({ since, until }: TimeWindow): { since?: string; until?: string } {
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}

/** What a search needs besides the question. */
interface Searching {
  readonly meaning: StoreQuery['meaning'];
  readonly stages: TraceStage[];
  readonly lacks: Lack[];
}

/** The question's vector, or its text where the search embeds it; or none: words alone decide, and the trace says why. */
async function embedQuery(
  ctx: Context,
  query: string,
  { stores, stage, lacks }: { readonly stores: readonly Store[]; readonly stage: Staged; readonly lacks: Lack[] },
): Promise<StoreQuery['meaning']> {
  const { embedder } = ctx;
  if (embedder.missing !== undefined) {
    lacks.push({ what: sentence(embedder.missing), passing: false });
    return undefined;
  }
  if (embedder.embedsInSearch) return query;
  // While the question is embedded, which takes a while the first time.
  for (const store of stores) store.prepare(embedder.model);
  try {
    const [vector] = await stage('embed', () => embedder.embed([query], 'query'));
    return quantise(vector!);
  } catch (error) {
    if (EngineError.is(error, 'aborted')) throw error;
    withoutModel(ctx, error instanceof Error ? error.message : String(error), lacks);
    return undefined;
  }
}

function withoutModel(ctx: Context, problem: string, lacks: Lack[]): void {
  ctx.host.log.warn(problem);
  lacks.push({ what: sentence('modelFails'), passing: true });
}

/**
 * Of a question that the searches embedded by themselves: as its own stage where they did, a lack where they could not.
 * @returns whether there was a vector to search with
 */
function noteEmbedding(
  ctx: Context,
  results: readonly Pick<SearchResult, 'embedding'>[],
  { meaning, stages, lacks }: Searching,
): boolean {
  const embedded = results.map(it => it.embedding).filter(it => it !== undefined);
  for (const it of embedded) {
    ctx.embedder.count('failed' in it ? { ms: 0, failures: 1 } : { ms: it.ms, failures: 0 });
  }
  const failed = embedded.find(it => 'failed' in it);
  if (failed !== undefined) {
    withoutModel(ctx, doesNotRun(ctx.embedder.model!, failed.failed).message, lacks);
    return false;
  }
  if (embedded.length > 0) {
    const ms = embedded.reduce((sum, it) => sum + ('ms' in it ? it.ms : 0), 0);
    stages.push({ name: 'embed', ms, count: 1 });
  }
  return meaning !== undefined;
}

const wordsOnlyBecause = {
  building: 'indexBuilding',
  failed: 'indexFails',
  notIndexed: 'notIndexed',
} as const satisfies Readonly<Record<NonNullable<SearchResult['wordsOnly']>, SentenceName>>;

async function searchStores(
  ctx: Context,
  stores: readonly Store[],
  { query, filter, time, limit }: Asked,
  searching: Searching,
): Promise<readonly Searched[]> {
  const { meaning, lacks } = searching;
  const times = time === undefined ? [] : calendarRanges(time, ctx.host.now());
  const asked: StoreQuery = { question: readQuestion(query), times, model: ctx.embedder.model, meaning };
  const candidates = Math.max(limit, ctx.host.config().recall.candidates);
  const searched = stores.map(async store => ({ store, ...(await store.search(asked, filter, candidates)) }));
  const results = await Promise.all(searched);
  const hadMeaning = noteEmbedding(ctx, results, searching);
  const reasons = new Set(results.map(it => it.wordsOnly).filter(it => it !== undefined));
  for (const it of reasons) {
    lacks.push({ what: sentence(wordsOnlyBecause[it]), passing: it !== 'notIndexed' });
  }
  const embedded = results.reduce((sum, it) => sum + it.embedded, 0);
  const searchable = results.reduce((sum, it) => sum + it.searchable, 0);
  if (hadMeaning && embedded < searchable) {
    lacks.push({ what: sentence('partlyEmbedded', embedded, searchable), passing: false });
  }
  return results;
}
