import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RecallContext } from '../context.js';
import type { Memory } from '../model/memory.js';
import type { Hit } from '../model/query.js';
import type { RankFactors, TraceCandidate } from '../model/trace.js';
import { codeWeight } from '../scoring/codeWeight.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { scoreCandidate, toProbability, type RankingWeights } from '../scoring/rankingModel.js';
import { rankedEmbedderOf, readRankingFile } from './rankingWeights.js';
import type { Nearness } from '../search/query/searchMemories.js';
import type { SearchHit, SearchResult, Store } from '../store/store.js';
import { contentTermSet } from '../text/analyzer.js';
import { toCalendarRanges } from '../text/timeWindow.js';
import { measureCandidates, type MeasuredCandidate } from './candidateFeatures.js';
import type { RecallQuery } from './recallQuery.js';

/** A store with what it found. */
export interface StoreSearchResult extends SearchResult {
  readonly store: Store;
}

/** A memory that may be in the answer. */
export interface RankedMemory {
  readonly store: Store;
  readonly hit: Hit;
  /** Of the memory's text. */
  readonly terms: ReadonlySet<string>;
  readonly factors: RankFactors;
  readonly relevance: NonNullable<TraceCandidate['relevance']>;
  /** Share of the weight of the question's words that it has, 0-1. */
  readonly wording: number;
  readonly hasEveryWord: boolean;
  readonly answersAlternative: boolean;
  readonly hasAids: boolean;
  /** Whether its own text has a word of the question, or is near to it in meaning. */
  readonly isAboutQuestion: boolean;
  readonly vector: Int8Array | undefined;
  /** A cross-encoder's score for the question and the memory, where one was asked; the scale is the model's. */
  readonly pairScore?: number;
}

export interface Ranking {
  /** Best first. */
  readonly ranked: readonly RankedMemory[];
  /** Makes a candidate of a memory that no search found. */
  readonly toCandidate: (store: Store, memory: Memory) => RankedMemory;
}

/** Log-odds for each match with the date that the query names, as in conversations: the worlds are stored in one moment. */
const dateWeight = 1.4;
/** The encoder's own cosine above those of 90 in 100 unrelated texts (media/models/encoder/model.json). */
const encoderAnswerCosine = 0.22;
/** Cosine of a text with the question from which its own words are about it. */
const minOwnCosine = 0.1;
/** Probabilities that differ by less are a tie. */
const tieWidth = 0.005;
/** The most that is given to a memory for the words kept with it: one whose own text answers stays above. */
const maxProbabilityBySaid = 0.49;
/** Digits of a feature or a share that are kept in a trace. */
const tracePrecision = 1e4;

/**
 * Orders what the stores found by the probability that it answers. What shares no word with the question and is not close
 * to it in meaning is left out.
 */
export function rankCandidates(
  ctx: RecallContext,
  found: readonly StoreSearchResult[],
  recallQuery: RecallQuery,
): Ranking {
  const { embedder, host } = ctx;
  const { weights } = readRankingFile([host.modelsDir, path.join(host.bundleDir, 'models')]);
  const rankedEmbedder = rankedEmbedderOf(embedder.model, embedder.runsInSearchWorker);
  const ofModel = weights[rankedEmbedder];
  const { answer } = embedder.model?.thresholds ?? {};
  const isNetwork = rankedEmbedder === 'encoder' && answer !== undefined;
  const results = isNetwork ? found.map(it => onEncoderScale(it, answer)) : found;
  const minCosine = isNetwork ? encoderAnswerCosine : (answer ?? host.config().recall.minSemanticScore);
  const dateMatchOf = dateMatcher(recallQuery, host.now());
  const judge = (store: Store, hit: SearchHit, measured: MeasuredCandidate): RankedMemory =>
    rankCandidate(ctx, {
      store,
      hit,
      measured,
      weights: measured.hasMeaning ? ofModel : weights.words,
      recallQuery,
      dateMatchOf,
    });
  const measured = measureCandidates(results, recallQuery);
  const withStandIns = hasSomeAids(results) ? measureCandidates(results.map(withAidsForAll), recallQuery) : undefined;
  const withSaid = hasSaid(results) ? measureCandidates(results.map(withSaidAsAids), recallQuery) : undefined;
  const hits = results.flatMap(({ store, hits }) => hits.map(hit => ({ store, hit })));
  const candidates = hits.flatMap(({ store, hit }, i) => {
    const of = measured[i]!;
    const ofSaid = withSaid?.[i];
    const isClose = of.features.bestMeaning >= minCosine || dateMatchOf(hit.memory) > 0;
    if (!of.hasWords && !isClose && ofSaid?.hasWords !== true) return [];
    const own = judge(store, hit, of);
    const standIn = withStandIns && hit.aids === undefined ? judge(store, hit, withStandIns[i]!) : own;
    const candidate = standIn.factors.rank > own.factors.rank ? standIn : own;
    const saysMore = ofSaid !== undefined && ofSaid.features.coveredIdfWeighted > of.features.coveredIdfWeighted;
    if (!saysMore || isRelevant(candidate)) return [candidate];
    return [withWordsSaid(candidate, judge(store, hit, ofSaid))];
  });
  return {
    ranked: sortByRank(candidates),
    toCandidate: (store, memory) => unfoundCandidate(ctx, store, memory),
  };
}

/**
 * With the cosines of another network on the scale of the encoder, whose weights it is ranked by: unrelated texts have 0.1
 * with one model and 0.7 with another.
 * @param answer the model's cosine above those of 90 in 100 unrelated texts
 */
function onEncoderScale(result: StoreSearchResult, answer: number): StoreSearchResult {
  const factor = (1 - encoderAnswerCosine) / (1 - answer);
  const toScale = (cosine: number): number => 1 - factor * (1 - cosine);
  const scaled = (it: Nearness | undefined): Nearness | undefined =>
    it && {
      question: toScale(it.question),
      alternative: it.alternative === undefined ? undefined : toScale(it.alternative),
    };
  const hits = result.hits.map(it => ({
    ...it,
    nearness: scaled(it.nearness),
    questionNearness: scaled(it.questionNearness),
  }));
  return { ...result, hits };
}

/** Whether some candidates have search aids and others have none. */
function hasSomeAids(results: readonly StoreSearchResult[]): boolean {
  const have = results.flatMap(it => it.hits.map(({ aids }) => aids !== undefined));
  return have.includes(true) && have.includes(false);
}

/**
 * With a memory's own text in the place of search aids that it lacks: where others have some, a word in its text must count at
 * least as much as in theirs.
 */
function withAidsForAll<T extends SearchResult>(result: T): T {
  const hits = result.hits.map(({ aids, ...hit }) => {
    const { content, tags } = hit.memory;
    return { ...hit, aids: aids ?? { questions: [content], keywords: tags } };
  });
  return { ...result, hits };
}

function hasSaid(results: readonly StoreSearchResult[]): boolean {
  return results.some(it => it.hits.some(({ memory }) => memory.provenance.said !== undefined));
}

/** With the user's own words, which are kept with a memory, as further keywords of it. */
function withSaidAsAids<T extends SearchResult>(result: T): T {
  const hits = result.hits.map(hit => {
    const { said } = hit.memory.provenance;
    if (said === undefined) return hit;
    return { ...hit, aids: { questions: hit.aids?.questions ?? [], keywords: [...(hit.aids?.keywords ?? []), said] } };
  });
  return { ...result, hits };
}

/** A candidate whose own text and aids do not answer, as probable as the words kept with it make it. */
function withWordsSaid(candidate: RankedMemory, bySaid: RankedMemory): RankedMemory {
  const probability = Math.min(maxProbabilityBySaid, bySaid.relevance.probability);
  const rank = Math.min(maxProbabilityBySaid, bySaid.factors.rank);
  if (rank <= candidate.factors.rank) return candidate;
  return {
    ...candidate,
    hasEveryWord: bySaid.hasEveryWord,
    isAboutQuestion: false,
    factors: { ...bySaid.factors, relevance: probability, rank },
    relevance: { ...bySaid.relevance, probability },
    hit: { ...candidate.hit, rank, probability },
  };
}

/** Whether it could be the only line of an answer. */
export function isRelevant({ hit, relevance: { threshold = 0 }, hasEveryWord }: RankedMemory): boolean {
  return hasEveryWord || (hit.probability ?? 0) >= threshold;
}

interface RankInput {
  readonly store: Store;
  readonly hit: SearchHit;
  readonly measured: MeasuredCandidate;
  readonly weights: RankingWeights;
  readonly recallQuery: RecallQuery;
  readonly dateMatchOf: (memory: Memory) => number;
}

function rankCandidate(
  ctx: RecallContext,
  { store, hit, measured, weights, recallQuery, dateMatchOf }: RankInput,
): RankedMemory {
  const { memory, vector } = hit;
  const { features, situation, hasMeaning, wording, hasEveryWord, answersAlternative } = measured;
  const { logit, shares } = scoreCandidate(features, weights[situation]);
  const date = dateMatchOf(memory);
  const score = logit + dateWeight * date;
  const probability = toProbability(score);
  const ofCode = codeWeightOf(memory, ctx.host.workspaceFolders, recallQuery.query);
  const rank = probability * ofCode;
  const factors: RankFactors = {
    ...(ofCode === 1 ? {} : { codeWeight: ofCode }),
    features: roundAll({ ...features, date }),
    shares: roundAll({ ...shares, date: dateWeight * date }),
    score,
    relevance: probability,
    rank,
  };
  return {
    store,
    terms: contentTermSet(memory.content),
    vector,
    factors,
    wording,
    hasEveryWord,
    answersAlternative,
    hasAids: hit.aids !== undefined,
    isAboutQuestion:
      features.wordsOfText > 0 || Math.max(features.queryText, features.alternativeText) >= minOwnCosine || date > 0,
    relevance: { probability, threshold: weights[situation].threshold, situation, byWords: !hasMeaning },
    hit: { memory, effectiveConfidence: confidenceOf(ctx, memory), rank, probability },
  };
}

function unfoundCandidate(ctx: RecallContext, store: Store, memory: Memory): RankedMemory {
  return {
    store,
    terms: new Set(),
    vector: undefined,
    factors: { features: {}, shares: {}, score: 0, relevance: 0, rank: 0 },
    wording: 0,
    hasEveryWord: false,
    answersAlternative: false,
    hasAids: false,
    isAboutQuestion: false,
    relevance: { probability: 0, threshold: 0, situation: 'alone', byWords: true },
    hit: { memory, effectiveConfidence: confidenceOf(ctx, memory), rank: 0, probability: 0 },
  };
}

function confidenceOf({ host, aging }: RecallContext, memory: Memory): number {
  return effectiveConfidence(memory, {
    rules: host.config().decay,
    centrality: memory.centrality,
    now: aging.now(),
  });
}

/** Of a memory: 1 if it is of the month or the days that the question names, 2 from the named day to four days later, else 0. */
function dateMatcher({ question: { month, day }, time }: RecallQuery, now: Date): (memory: Memory) => number {
  const preferredDates = time === undefined ? [] : toCalendarRanges(time, now);
  return ({ createdAt }) => {
    const date = new Date(createdAt);
    const [ofMonth, ofDay] = [date.getUTCMonth() + 1, date.getUTCDate()];
    const calendar = ofMonth * 32 + ofDay;
    const isPreferred = preferredDates.some(it => calendar >= it.from && calendar <= it.to) ? 1 : 0;
    if (month === undefined || month !== ofMonth) return isPreferred;
    const daysLater = day === undefined ? -1 : ofDay - day;
    return daysLater >= 0 && daysLater <= 4 ? 2 : 1;
  };
}

function codeWeightOf({ provenance }: Memory, folders: readonly string[], query: string): number {
  const { source, uri, symbol, workspace } = provenance;
  if (source !== 'code-index' || uri === undefined) return 1;
  // A folder above the project says nothing about its code.
  const project = [...folders, ...(workspace === undefined ? [] : [workspace])]
    .map(it => `${pathToFileURL(it).href}/`)
    .find(it => uri.startsWith(it));
  return project === undefined ? 1 : codeWeight({ path: uri.slice(project.length), symbol }, query);
}

/**
 * Best first. In a tie what a person pinned or confirmed is first, then what has the higher priority; of equal ones the
 * newer, in stores of any kind.
 */
export function sortByRank(candidates: readonly RankedMemory[]): readonly RankedMemory[] {
  const bin = (it: RankedMemory): number => Math.round(it.factors.rank / tieWidth);
  const sorted = [...candidates].sort(
    (a, b) =>
      bin(b) - bin(a) ||
      standing(b.hit) - standing(a.hit) ||
      b.hit.memory.priority - a.hit.memory.priority ||
      b.factors.rank - a.factors.rank ||
      (a.hit.memory.id < b.hit.memory.id ? 1 : -1),
  );
  return placeOwnFirst(sorted);
}

/**
 * With the best whose own text is about the question first: search aids that are stuffed with words gain no first place. On the
 * worlds this costs 0.2 in 100 first places where memories have search aids.
 */
function placeOwnFirst(ranked: readonly RankedMemory[]): readonly RankedMemory[] {
  const first = ranked.find(it => it.isAboutQuestion);
  const { probability = 0, threshold = 0 } = first?.relevance ?? {};
  if (first === undefined || first === ranked[0] || probability < threshold) return ranked;
  return [first, ...ranked.filter(it => it !== first)];
}

function standing({ memory }: Hit): number {
  return memory.pinned ? 2 : memory.lane === 'confirmed' ? 1 : 0;
}

/** Without zeros, and without digits that mean nothing: these numbers are stored with every trace. */
function roundAll(values: Readonly<Record<string, number>>): Record<string, number> {
  const rounded: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== 0) rounded[name] = Math.round(value * tracePrecision) / tracePrecision;
  }
  return rounded;
}
