import type { SearchHit, SearchResult } from '../store/store.js';
import type { CandidateFeatures, Situation } from '../scoring/rankingModel.js';
import { maxSaturation, saturate, textFieldWeight } from '../search/query/bm25f.js';
import { inverseDocumentFrequency } from '../search/index/invertedIndex.js';
import { noWordStatistics, type WordStatistics } from '../search/query/searchMemories.js';
import { aidTerms, memoryTerms } from '../text/memoryTerms.js';
import { analyzeContent } from '../text/analyzer.js';
import type { WeightedTerm } from '../text/queryTerms.js';
import { hasExpansion, type RecallQuery } from './recallQuery.js';

/** Measurements of a candidate. */
export interface MeasuredCandidate {
  readonly features: CandidateFeatures;
  readonly situation: Situation;
  /** Whether there is a cosine with the question. */
  readonly hasMeaning: boolean;
  /** Share of the weight of the question's words that it has, in its own words or its search aids, 0-1. */
  readonly wording: number;
  /** Whether it has a word of the call. */
  readonly hasWords: boolean;
  /** Whether it has every word that was asked for; without a cosine, every word of one wording. */
  readonly hasEveryWord: boolean;
  /** Whether an alternative asks what one of its own questions asks, in words and in meaning. */
  readonly answersAlternative: boolean;
}

/**
 * Likeness of words, and cosine, from which an alternative is a memory's own question. A call at the start of a task names each of
 * its subjects as an alternative: what answers one of them is far from the task itself, and improbable for the weights, for which
 * an alternative says the question in other words. On two first days of an assistant 10 of the 11 memories that reach both, and
 * that the cut by probability left out, were needed (docs/search-ranking.md).
 */
const minLikeness = 0.6;
const minQuestionCosine = 0.7;

/** Words of a question beyond which its length says nothing more. */
const maxQueryLength = 12;
/** Share from which all words are there, in spite of rounding. */
const everyWord = 0.999;
const minWeight = 1e-6;
/** A word of every memory of a small store is not a common word for it: the worlds, which weights come from, are as large. */
const minDocuments = 100;

/** The words of a candidate and how near it is. */
interface Words {
  readonly hit: SearchHit;
  readonly own: ReadonlyMap<string, number>;
  /** Number of its own words. */
  readonly length: number;
  readonly all: ReadonlyMap<string, number>;
  readonly score: number;
  readonly scoreOfText: number;
}

/**
 * Measures the candidates of one call, of all stores together, by one set of statistics: a number means the same for each.
 * @returns in the order of the hits
 */
export function measureCandidates(
  results: readonly Pick<SearchResult, 'hits' | 'statistics'>[],
  recallQuery: RecallQuery,
): readonly MeasuredCandidate[] {
  const hits = results.flatMap(it => it.hits);
  const weigher = new QuestionWords(recallQuery, mergeStatistics(results, hits));
  const candidates = hits.map(it => weigher.read(it));
  const isExpanded = hasExpansion(recallQuery);
  const byScore = candidates.map(it => it.score).sort((a, b) => b - a);
  const most = (byScore[0] ?? 0) + minWeight;
  const near = hits.flatMap(it => (it.nearness === undefined ? [] : [cosinesOf(it)]));
  const meanings = near.map(bestOf).sort((a, b) => b - a);
  const bestOfQuestion = Math.max(...near.map(it => it.queryText));
  const ages = rankByAge(hits);
  return candidates.map(({ hit, own, all, score, scoreOfText }, i) => {
    const { nearness, aids } = hit;
    const cosines = cosinesOf(hit);
    const best = bestOf(cosines);
    const aidLikeness = weigher.likenessToAids(hit);
    const covered = weigher.covered(all);
    const ofMeaning = (value: number): number => (nearness === undefined ? 0 : value);
    const features: CandidateFeatures = {
      words: score,
      wordsShare: score / most,
      wordsOfText: scoreOfText,
      ...cosines,
      queryAid: aidLikeness.question,
      alternativeAid: aidLikeness.alternative,
      covered: covered.count,
      queryTextToBest: ofMeaning(cosines.queryText - bestOfQuestion),
      bestMeaning: best,
      age: ages[i]!,
      queryLength: Math.min(weigher.terms.length, maxQueryLength) / maxQueryLength,
      logWords: Math.log1p(score),
      coveredIdf: covered.idf,
      coveredIdfOfText: weigher.covered(own).idf,
      coveredIdfWeighted: covered.weighted,
      meanMeaning: Object.values(cosines).reduce((sum, it) => sum + it, 0) / 4,
      meaningToBest: ofMeaning(best - (meanings[0] ?? 0)),
      meaningToThird: ofMeaning(best - (meanings[2] ?? meanings.at(-1) ?? 0)),
      wordsToThird: (score - (byScore[2] ?? byScore.at(-1) ?? 0)) / most,
      wordsOfPossible: score / weigher.possible,
    };
    const isAided = aids !== undefined;
    return {
      features,
      situation: isExpanded ? (isAided ? 'assisted' : 'expanded') : isAided ? 'searched' : 'alone',
      hasMeaning: nearness !== undefined,
      wording: covered.idf,
      hasWords: score > 0,
      hasEveryWord:
        (isExpanded ? covered.weighted : covered.idf) > everyWord ||
        (nearness === undefined && weigher.hasWording(all)),
      answersAlternative:
        recallQuery.alternatives.length > 0 &&
        aidLikeness.alternative >= minLikeness &&
        cosines.alternativeQuestion >= minQuestionCosine,
    };
  });
}

type Cosines = Pick<CandidateFeatures, 'queryText' | 'alternativeText' | 'queryQuestion' | 'alternativeQuestion'>;

/** Zeros without a vector. Where none of its questions has one, those of the text are used instead. */
function cosinesOf({ nearness, questionNearness = nearness }: SearchHit): Cosines {
  const [queryText, queryQuestion] = [nearness?.question ?? 0, questionNearness?.question ?? 0];
  return {
    queryText,
    alternativeText: nearness?.alternative ?? queryText,
    queryQuestion,
    alternativeQuestion: questionNearness?.alternative ?? queryQuestion,
  };
}

function bestOf(cosines: Cosines): number {
  return Math.max(...Object.values(cosines));
}

/** The words of a call with their weights, and how texts meet them. */
class QuestionWords {
  /** The question's own. */
  readonly terms: readonly string[];
  /** The highest score that a memory can have, more than 0. */
  readonly possible: number;
  private readonly weighted: readonly WeightedTerm[];
  private readonly wordings: readonly ReadonlySet<string>[];
  private readonly sums: { readonly idf: number; readonly weighted: number };

  constructor(
    { question, alternatives, terms }: RecallQuery,
    private readonly statistics: WordStatistics,
  ) {
    this.terms = question.terms;
    this.weighted = terms;
    this.wordings = [question.terms, ...alternatives.map(analyzeContent)].map(it => new Set(it));
    this.sums = {
      idf: this.terms.reduce((sum, it) => sum + this.idf(it), 0) || 1,
      weighted: this.weighted.reduce((sum, it) => sum + it.weight * this.idf(it.term), 0) || 1,
    };
    this.possible = this.sums.weighted * maxSaturation;
  }

  read(hit: SearchHit): Words {
    const { memory, aids } = hit;
    const ownTerms = memoryTerms(memory.content, memory.tags);
    const own = countTerms(ownTerms, textFieldWeight);
    const all = aids === undefined ? own : countTerms(aidTerms(aids), 1, own);
    const { length } = ownTerms;
    return {
      hit,
      own,
      all,
      length,
      score: this.score(this.weighted, all, length),
      scoreOfText: this.score(
        this.terms.map(term => ({ term, weight: 1 })),
        own,
        length,
      ),
    };
  }

  covered(words: ReadonlyMap<string, number>): {
    readonly count: number;
    readonly idf: number;
    readonly weighted: number;
  } {
    let [count, idf, weighted] = [0, 0, 0];
    for (const it of this.terms) {
      if (!words.has(it)) continue;
      count++;
      idf += this.idf(it);
    }
    for (const it of this.weighted) if (words.has(it.term)) weighted += it.weight * this.idf(it.term);
    return {
      count: count / Math.max(1, this.terms.length),
      idf: idf / this.sums.idf,
      weighted: weighted / this.sums.weighted,
    };
  }

  /** Whether a memory has every word of the question, or of one of its alternatives. */
  hasWording(words: ReadonlyMap<string, number>): boolean {
    return this.wordings.some(it => it.size > 0 && [...it].every(term => words.has(term)));
  }

  /** Likeness (Dice over weighted words) of the question, and of its best alternative, to a question of the memory's own. */
  likenessToAids({ aids }: SearchHit): { readonly question: number; readonly alternative: number } {
    const questions = aids?.questions.map(it => new Set(analyzeContent(it))) ?? [];
    const [question = 0, ...alternatives] = this.wordings.map(wording =>
      Math.max(0, ...questions.map(it => this.likeness(wording, it))),
    );
    return { question, alternative: alternatives.length === 0 ? question : Math.max(...alternatives) };
  }

  private likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
    const weigh = (terms: Iterable<string>): number => {
      let sum = 0;
      for (const it of terms) sum += this.idf(it);
      return sum;
    };
    return (2 * weigh([...a].filter(it => b.has(it)))) / Math.max(weigh(a) + weigh(b), minWeight);
  }

  private score(terms: readonly WeightedTerm[], words: ReadonlyMap<string, number>, length: number): number {
    let sum = 0;
    for (const { term, weight } of terms) {
      const frequency = words.get(term);
      if (frequency === undefined) continue;
      sum += weight * this.idf(term) * saturate(frequency, length, this.statistics.averageLength);
    }
    return sum;
  }

  /** Of a word of a memory that the call lacks, as of one that few have. */
  private idf(term: string): number {
    const { documents, documentFrequencies } = this.statistics;
    return inverseDocumentFrequency(documentFrequencies.get(term) ?? 1, Math.max(minDocuments, documents));
  }
}

function countTerms(
  terms: readonly string[],
  weight: number,
  others?: ReadonlyMap<string, number>,
): Map<string, number> {
  const counts = new Map(others);
  for (const it of terms) counts.set(it, (counts.get(it) ?? 0) + weight);
  return counts;
}

/** Statistics of all stores together; in a full-text search, which knows none, those of what was found. */
function mergeStatistics(
  results: readonly Pick<SearchResult, 'hits' | 'statistics'>[],
  hits: readonly SearchHit[],
): WordStatistics {
  const known = results.map(it => it.statistics);
  const documents = known.reduce((sum, it) => sum + it.documents, 0);
  if (documents === 0) return hits.length === 0 ? noWordStatistics : statisticsOf(hits);
  const frequencies = new Map<string, number>();
  for (const { documentFrequencies } of known) {
    for (const [term, frequency] of documentFrequencies)
      frequencies.set(term, (frequencies.get(term) ?? 0) + frequency);
  }
  const averageLength = known.reduce((sum, it) => sum + it.averageLength * it.documents, 0) / documents;
  return { documents, averageLength, documentFrequencies: frequencies };
}

function statisticsOf(hits: readonly SearchHit[]): WordStatistics {
  const frequencies = new Map<string, number>();
  let length = 0;
  for (const { memory } of hits) {
    const terms = memoryTerms(memory.content, memory.tags);
    length += terms.length;
    for (const it of new Set(terms)) frequencies.set(it, (frequencies.get(it) ?? 0) + 1);
  }
  return { documents: hits.length, averageLength: length / hits.length, documentFrequencies: frequencies };
}

/** 0 for the oldest, towards 1 for the newest. */
function rankByAge(hits: readonly SearchHit[]): readonly number[] {
  const times = hits.map(it => it.memory.createdAt);
  const sorted = [...times].sort();
  return times.map(it => sorted.indexOf(it) / hits.length);
}
