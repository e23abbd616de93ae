import type { SearchAids } from '../model/memory.js';
import type { WordMatch } from '../model/relevance.js';
import type { LexicalScale } from '../search/query/searchMemories.js';
import { contentTermSet } from '../text/analyzer.js';
import { analyzeQuestion } from '../text/questionAnalysis.js';
import { findWordVariants, type WordVariant } from '../text/wordVariants.js';
import type { RecallQuery } from './recallQuery.js';

/** Weight of a word of a memory's question that the call lacks, whose frequency is not known: that of a fairly rare word. */
const unknownWeight = 0.7;
const personQuestion = /\bwho(?:m|se)?\b/iu;
/** A first and a last name. */
const personName = /\p{Lu}\p{Ll}+ (?:\(\p{Lu}\p{Ll}+\) )?\p{Lu}\p{Ll}+/u;

/**
 * Measures how the words of memories meet those of a call. A word weighs by how rare it is in the stores that were searched:
 * from 0 where every memory has it to 1 where none has.
 */
export class WordMatcher {
  private readonly variants: readonly WordVariant[];
  private readonly wordings: readonly ReadonlySet<string>[];
  private readonly keywords: readonly ReadonlySet<string>[];
  private readonly weights: ReadonlyMap<string, number>;
  private readonly asksForPerson: boolean;

  constructor({ query, alternatives, keywords }: RecallQuery, scales: readonly LexicalScale[]) {
    const question = analyzeQuestion(query);
    this.asksForPerson = personQuestion.test(query);
    this.variants = alternatives.length + keywords.length > 0 ? [] : findWordVariants(question.text);
    this.wordings = [new Set(question.terms), ...alternatives.map(contentTermSet)].filter(it => it.size > 0);
    const given = keywords.map(contentTermSet).filter(it => it.size > 0);
    const terms = new Set([...this.wordings, ...given].flatMap(it => [...it]));
    // A caller that gives no keywords has put them into its wordings.
    this.keywords = given.length > 0 ? given : Array.from(terms, it => new Set([it]));
    this.weights = weighTerms(terms, scales);
  }

  match(content: string, aids: SearchAids | undefined, terms = contentTermSet(content)): WordMatch {
    const questions = aids?.questions.map(contentTermSet) ?? [];
    const ofAids = [...questions, ...(aids?.keywords.map(contentTermSet) ?? [])];
    const all = ofAids.length === 0 ? terms : new Set([terms, ...ofAids].flatMap(it => [...it]));
    const shares = this.wordings.map(it => this.weigh(it, all) / Math.max(this.weigh(it), minWeight));
    const [query = new Set<string>()] = this.wordings;
    return {
      concepts: this.weighConcepts(query, all) / Math.max(this.weigh(query), minWeight),
      wording: Math.max(0, ...shares),
      wordings: shares.reduce((sum, it) => sum + it, 0) / Math.max(1, shares.length),
      keywords: this.keywordShare(all),
      question: Math.max(0, ...questions.flatMap(it => this.wordings.map(wording => this.likeness(wording, it)))),
      missing: Math.max(0, ...[...query].filter(it => !all.has(it)).map(it => this.weightOf(it))),
      withoutAids: aids === undefined ? 1 : 0,
      person: this.asksForPerson && personName.test(content) ? 1 : 0,
    };
  }

  /** Sum of the weights of the query's words that a memory has, or says in another way. */
  private weighConcepts(query: ReadonlySet<string>, all: ReadonlySet<string>): number {
    const met = new Map<string, number>();
    for (const it of query) if (all.has(it)) met.set(it, 1);
    for (const { of, terms, weight } of this.variants) {
      if (!terms.every(it => all.has(it))) continue;
      for (const it of of) met.set(it, Math.max(met.get(it) ?? 0, weight));
    }
    let sum = 0;
    for (const it of query) sum += (met.get(it) ?? 0) * this.weightOf(it);
    return sum;
  }

  private keywordShare(terms: ReadonlySet<string>): number {
    let [found, total] = [0, 0];
    for (const keyword of this.keywords) {
      const weight = this.weigh(keyword) / keyword.size;
      total += weight;
      if ([...keyword].every(it => terms.has(it))) found += weight;
    }
    return total === 0 ? 0 : found / total;
  }

  /** Dice coefficient over weighted terms, 0-1. */
  private likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
    return (2 * this.weigh(a, b)) / Math.max(this.weigh(a) + this.weigh(b), minWeight);
  }

  /** Sum of the weights of the terms, or of those that are in `others` too. */
  private weigh(terms: ReadonlySet<string>, others?: ReadonlySet<string>): number {
    let sum = 0;
    for (const it of terms) if (others?.has(it) !== false) sum += this.weightOf(it);
    return sum;
  }

  private weightOf(term: string): number {
    return this.weights.get(term) ?? unknownWeight;
  }
}

/** Keeps a division by the weight of nothing at 0. */
const minWeight = 1e-9;

/** BM25's inverse document frequency over all stores, as a share of that of a term that no memory has. */
function weighTerms(terms: ReadonlySet<string>, scales: readonly LexicalScale[]): ReadonlyMap<string, number> {
  const documents = scales.reduce((sum, it) => sum + it.documents, 0);
  const inverse = (frequency: number): number => Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
  const highest = inverse(0);
  return new Map(
    Array.from(terms, term => {
      const frequency = scales.reduce((sum, it) => sum + (it.documentFrequencies.get(term) ?? 0), 0);
      return [term, highest === 0 ? 0 : inverse(Math.min(documents, frequency)) / highest];
    }),
  );
}
