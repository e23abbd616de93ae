import { newUuid } from '../base/uuid.js';
import type { RecallContext } from '../context.js';
import { requestLimits } from '../model/config.js';
import type { RecallInput } from '../model/query.js';
import type { CandidateOutcome, Trace, TraceCandidate, TraceTime } from '../model/trace.js';
import { redactSecrets, redactStrings } from '../secrets/secretScanner.js';
import type { RankedMemory } from './rank.js';
import type { RecallRun } from './searchStores.js';

/** How the candidates of an answer came out. */
export interface ChosenCandidates {
  readonly kept: readonly RankedMemory[];
  /** The caller has them already. */
  readonly repeated: readonly RankedMemory[];
  readonly irrelevant: readonly RankedMemory[];
  readonly beyondLimit: readonly RankedMemory[];
  readonly cut: Trace['cut'];
}

interface TracedAnswer {
  readonly time: TraceTime | undefined;
  readonly chosen: ChosenCandidates;
  readonly placed: {
    /** Code that a description of the same code stands for. */
    readonly describedCode: readonly RankedMemory[];
    /** Of memories that are not placed by their rank. */
    readonly reasons: ReadonlyMap<string, TraceCandidate['because']>;
  };
  readonly returnedIds: ReadonlySet<string>;
  readonly tokens: number;
}

/** Trace of an answer: its best candidates with every factor of their rank. */
export function buildTrace(
  { ctx, recallQuery, input, stages, degradations, remarks }: RecallRun,
  { time, chosen, placed, returnedIds, tokens }: TracedAnswer,
): Trace {
  const { kept, repeated, irrelevant, beyondLimit, cut } = chosen;
  const { scopeId } = recallQuery.filter;
  const candidates = [
    ...kept.map(it => [it, returnedIds.has(it.hit.memory.id) ? 'returned' : 'over budget'] as const),
    ...placed.describedCode.map(it => [it, 'same code'] as const),
    ...repeated.map(it => [it, 'given before'] as const),
    ...irrelevant.map(it => [it, 'not relevant'] as const),
    ...beyondLimit.map(it => [it, 'over limit'] as const),
  ];
  const traced = candidates.slice(0, Math.max(kept.length, ctx.host.config().traces.candidates));
  return {
    ...newTraceHeader(ctx, input),
    client: ctx.host.client,
    query: redactQuery(input.query),
    scope: recallQuery.scope,
    ...(scopeId === '' ? {} : { scopeId: redactSecrets(scopeId) }),
    ...(time === undefined ? {} : { time }),
    cache: 'miss',
    degraded: [...new Set(degradations.map(it => it.reason))],
    ...(remarks.size === 0 ? {} : { remarks: [...remarks] }),
    stages,
    candidates: traced.map(([it, outcome]) => toTraceCandidate(it, outcome, placed.reasons.get(it.hit.memory.id))),
    candidateCount: candidates.length,
    ...(cut === undefined ? {} : { cut }),
    tokens,
  };
}

/** A candidate as a trace keeps it. @param because where its place is not that of its rank */
function toTraceCandidate(
  { hit, store, factors, relevance, pairScore }: RankedMemory,
  outcome: CandidateOutcome,
  because: TraceCandidate['because'],
): TraceCandidate {
  return {
    id: hit.memory.id,
    store: store.kind,
    factors,
    relevance,
    outcome,
    ...(pairScore === undefined ? {} : { pairScore: Math.round(pairScore * 1e4) / 1e4 }),
    ...(because === undefined ? {} : { because }),
  };
}

export function newTraceHeader(ctx: RecallContext, input: RecallInput): Pick<Trace, 'id' | 'at' | 'asker' | 'request'> {
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
export function redactQuery(rawQuery: string): string {
  const { maxQueryLength } = requestLimits;
  const query = rawQuery.trim();
  const looked = query.slice(0, 4 * maxQueryLength);
  const redacted = redactSecrets(looked);
  const kept = looked === query ? redacted : redacted.slice(0, -maxQueryLength);
  return kept.slice(0, maxQueryLength);
}
