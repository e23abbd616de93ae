import { v7 as uuidv7 } from 'uuid';
import { EngineError } from '../base/errors.js';
import { storesOf, type Context } from '../context.js';
import { callLimits } from '../model/config.js';
import type { Hit, RecallInput, Recollection } from '../model/query.js';
import type { CandidateOutcome, RankFactors, Trace, TraceStage } from '../model/trace.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { recallRank } from '../scoring/recallRank.js';
import { strength } from '../scoring/strength.js';
import type { LexicalHit, Store, StoreFilter } from '../store/store.js';
import { redactSecrets } from '../text/secrets.js';
import { isStopWord, terms } from '../text/terms.js';
import { readFilter } from './filter.js';
import { pack } from './pack.js';

interface Candidate {
  readonly store: Store;
  readonly hit: Hit;
  readonly factors: RankFactors;
}

/**
 * The read path, top to bottom: filter and search every store of the scope, fuse, rank, pack, record.
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

  const words = await stage('terms', () => searchTerms(query));
  const found = await stage('lexical', () => searchText(ctx, stores, words, input));
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
    degraded: ['no embedder: lexical search only'],
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

/** Every distinct term that carries meaning; all of them when none does ("who are we"). */
function searchTerms(query: string): readonly string[] {
  const all = [...new Set(terms(query))];
  const meaningful = all.filter(it => !isStopWord(it));
  return meaningful.length > 0 ? meaningful : all;
}

async function searchText(
  ctx: Context,
  stores: readonly Store[],
  words: readonly string[],
  input: RecallInput,
): Promise<readonly (LexicalHit & { readonly store: Store })[]> {
  const filter: StoreFilter = {
    ...readFilter(input),
    scopeId: input.scopeId ?? '',
    statuses: input.statuses ?? ['active', 'archived'],
    withoutForgotten: true,
  };
  const { candidates } = ctx.host.config().recall;
  const found = await Promise.all(
    stores.map(async store => {
      const hits = await store.searchText(words, filter, candidates);
      return hits.map(it => ({ ...it, store }));
    }),
  );
  return found.flat();
}

async function rank(
  ctx: Context,
  found: readonly (LexicalHit & { readonly store: Store })[],
  scopeId: string,
): Promise<Candidate[]> {
  const { recall: config, decayProfile: profile } = ctx.host.config();
  const now = ctx.host.now();
  const sequences = new Map<Store, number>();
  for (const store of new Set(found.map(it => it.store))) sequences.set(store, await store.sequence(scopeId));
  const best = Math.max(...found.map(it => it.score));
  const centrality = 0; // No edges are made yet.
  const ranked = found.map(({ store, memory, score }): Candidate => {
    // Where every memory has every term, BM25 is 0 or below for all: they are then equally relevant.
    const lexical = best > 0 ? Math.max(0, score) / best : 1;
    const effective = effectiveConfidence(memory, { profile, centrality, now });
    const factors = recallRank(
      memory,
      {
        lexical,
        semantic: 0,
        relevance: lexical,
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
