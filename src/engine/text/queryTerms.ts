import { analyzeContent } from './analyzer.js';
import { chineseVariants } from './chineseVariants.js';
import type { QuestionAnalysis } from './questionAnalysis.js';
import { findWordVariants } from './wordVariants.js';

/** A term of a question with its weight: 1 for the question's own, less for what stands for it. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/** What a caller adds to its question: other wordings of it, and words that an answer may have. */
export interface GivenWords {
  readonly alternatives?: readonly string[];
  readonly keywords?: readonly string[];
}

/** For each time that the caller gives the word; a word that the question has too gains as much. */
const givenWeight = 0.5;

/**
 * The distinct terms of a question with those of its alternatives and keywords. A question without any is completed from
 * the developers' vocabulary.
 */
export function weighTerms(
  { terms, text }: Pick<QuestionAnalysis, 'terms' | 'text'>,
  { alternatives = [], keywords = [] }: GivenWords,
): readonly WeightedTerm[] {
  const weights = new Map(terms.map(it => [it, 1]));
  const given = [...alternatives, ...keywords].flatMap(analyzeContent);
  for (const it of given) weights.set(it, (weights.get(it) ?? 0) + givenWeight);
  if (given.length > 0) {
    for (const term of [...weights.keys()])
      for (const it of chineseVariants(term)) if (!weights.has(it)) weights.set(it, givenWeight);
  } else {
    for (const it of vocabularyOf(terms, text)) weights.set(it.term, it.weight);
  }
  return Array.from(weights, ([term, weight]) => ({ term, weight }));
}

function vocabularyOf(terms: readonly string[], text: string): readonly WeightedTerm[] {
  const weights = new Map<string, number>();
  for (const variant of findWordVariants(text)) {
    const weight = variant.weight / variant.terms.length;
    for (const term of variant.terms) weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  }
  for (const it of terms) weights.delete(it);
  return Array.from(weights, ([term, weight]) => ({ term, weight }));
}
