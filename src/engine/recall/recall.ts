import { v7 as uuidv7 } from 'uuid';
import { EngineError } from '../base/errors.js';
import { quantise } from '../base/quantise.js';
import { storesOf, type Context } from '../context.js';
import { callLimits } from '../model/config.js';
import type { Hit, MemoryFilter, RecallInput, Recollection } from '../model/query.js';
import type { CandidateOutcome, RankFactors, Trace, TraceStage } from '../model/trace.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { recallRank } from '../scoring/recallRank.js';
import { strength } from '../scoring/strength.js';
import type { SearchResult, Store, StoreFilter } from '../store/store.js';
import { readQuestion } from '../text/question.js';
import { redactSecrets } from '../text/secrets.js';
import { readFilter } from './filter.js';
import { fuse, type Fused } from './fuse.js';
import { pack } from './pack.js';

interface Candidate {
  readonly store: Store;
  readonly hit: Hit;
  readonly factors: RankFactors;
}

/**
 * The read path, top to bottom: embed the question, search every store of the scope, fuse, rank, pack, record.
 * @throws EngineError invalidInput, and what reading a store throws.
 */
export async function recall(ctx: Context, input: RecallInput): Promise<Recollection> {
  const { limit, tokenBudget, query } = checkInput(ctx, input);
  const scope = input.scope ?? 'project-then-global';
  const stores = storesOf(ctx, scope);
  const stages: TraceStage[] = [];
  const stage = async <T extends readonly unknown[]>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    stages.push({ name, ms: performance.now() - start, count: result.length });
    return result;
  };

  const degraded: string[] = [];
  const [vector] = await stage('embed', () => embedQuery(ctx, query, degraded));
  const found = await stage('search', () => searchStores(ctx, stores, query, vector, input, degraded));
  const ranked = await stage('rank', () => rank(ctx, found, input.scopeId ?? ''));
  const best = ranked.slice(0, limit);
  const packed = pack(
    best.map(it => it.hit),
    tokenBudget,
  );
  await stage('pack', () => packed.included);

  const outcome = (it: Candidate, position: number): CandidateOutcome => {
    if (position >= limit) return 'over limit';
    return packed.included.includes(it.hit) ? 'returned' : 'over budget';
  };
  const now = ctx.host.now();
  const trace: Trace = {
    id: uuidv7({ msecs: now.getTime() }),
    at: now.toISOString(),
    client: ctx.host.client,
    // The whole query: a secret cut in two would not be known for one.
    query: redactSecrets(input.query.trim()).slice(0, callLimits.queryCharacters),
    scope,
    ...(input.scopeId === undefined ? {} : { scopeId: input.scopeId }),
    cache: 'miss',
    degraded,
    stages,
    candidates: ranked.slice(0, ctx.host.config().traces.candidates).map((it, position) => ({
      id: it.hit.memory.id,
      store: it.store.kind,
      factors: it.factors,
      outcome: outcome(it, position),
    })),
    candidateCount: ranked.length,
    tokens: packed.tokens,
  };
  const returned = best.filter(it => packed.included.includes(it.hit));
  if (input.glance !== true) ctx.usage.add(stores[0]!, trace, returned);
  return { hits: packed.included, context: packed.context, tokens: packed.tokens, trace };
}

/** The question's vector, or none: then words alone decide, and the trace says why. */
async function embedQuery(ctx: Context, query: string, degraded: string[]): Promise<readonly Int8Array[]> {
  if (ctx.embedder.missing !== undefined) {
    degraded.push(`${ctx.embedder.missing}: searched by words alone`);
    return [];
  }
  try {
    return (await ctx.embedder.embed([query], 'query')).map(quantise);
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
    degraded.push('the embedding model does not run: searched by words alone');
    return [];
  }
}

const wordsOnlyBecause: Readonly<Record<NonNullable<SearchResult['wordsOnly']>, string>> = {
  building: 'the search index is being built',
  failed: 'the search index does not run',
  notIndexed: 'superseded memories are not in the search index',
};

async function searchStores(
  ctx: Context,
  stores: readonly Store[],
  query: string,
  vector: Int8Array | undefined,
  input: RecallInput,
  degraded: string[],
): Promise<readonly Fused[]> {
  const filter: StoreFilter = {
    ...storeFilter(readFilter(input)),
    scopeId: input.scopeId ?? '',
    statuses: input.statuses ?? ['active', 'archived'],
    withoutForgotten: true,
  };
  const asked = { question: readQuestion(query), model: ctx.embedder.model, vector };
  const { candidates } = ctx.host.config().recall;
  const results = await Promise.all(
    stores.map(async store => ({ store, ...(await store.search(asked, filter, candidates)) })),
  );
  const reasons = new Set(results.map(it => it.wordsOnly).filter(it => it !== undefined));
  for (const it of reasons) degraded.push(`${wordsOnlyBecause[it]}: searched by words alone`);
  const embedded = results.reduce((sum, it) => sum + it.embedded, 0);
  const searchable = results.reduce((sum, it) => sum + it.searchable, 0);
  if (vector !== undefined && embedded < searchable) {
    degraded.push(`${embedded} of ${searchable} memories are embedded: the others were found by words alone`);
  }
  return fuse(results, ctx.host.config().recall);
}

async function rank(ctx: Context, found: readonly Fused[], scopeId: string): Promise<Candidate[]> {
  const { recall: config, decayProfile: profile } = ctx.host.config();
  const now = ctx.host.now();
  const sequences = new Map<Store, number>();
  for (const store of new Set(found.map(it => it.store))) sequences.set(store, await store.sequence(scopeId));
  const centrality = 0; // No edges are made yet.
  const ranked = found.map(({ store, memory, features, score, relevance }): Candidate => {
    const effective = effectiveConfidence(memory, { profile, centrality, now });
    const factors = recallRank(
      memory,
      {
        features,
        score,
        relevance,
        effectiveConfidence: effective,
        strength: strength(memory, sequences.get(store)!, now),
        centrality,
        now,
      },
      config,
    );
    return { store, factors, hit: { memory, effectiveConfidence: effective, rank: factors.rank } };
  });
  // Equal ranks: the newer first, so that the order never depends on the store.
  return ranked.sort((a, b) => b.factors.rank - a.factors.rank || (a.hit.memory.id < b.hit.memory.id ? 1 : -1));
}

/** What of a call's input narrows the memories. */
function storeFilter(input: RecallInput): MemoryFilter {
  const { query, scope, scopeId, limit, tokenBudget, ...filter } = input;
  return filter;
}

function checkInput(ctx: Context, input: RecallInput): { limit: number; tokenBudget: number; query: string } {
  const { recall: config } = ctx.host.config();
  const query = input.query.trim().slice(0, callLimits.queryCharacters);
  if (query === '') throw new EngineError('invalidInput', 'The query is empty. Say in a few words what to recall.');
  const whole = (name: string, value: number, max: number): number => {
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    throw new EngineError('invalidInput', `${name} must be a whole number from 1 to ${max}; it was ${value}.`);
  };
  return {
    query,
    limit: whole('limit', input.limit ?? config.limit, callLimits.limit),
    tokenBudget: whole('tokenBudget', input.tokenBudget ?? config.tokenBudget, callLimits.tokenBudget),
  };
}
