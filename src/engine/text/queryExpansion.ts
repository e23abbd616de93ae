import { analyzeText, isStopWord } from './analyzer.js';
import { chineseVariants } from './chineseVariants.js';
import type { QuestionAnalysis } from './questionAnalysis.js';
import { findWordVariants } from './wordVariants.js';

/** What a caller adds to its question: other wordings of it, and words that an answer may have. */
export interface QueryExpansion {
  /** The other wordings as one text; empty without any. */
  readonly text: string;
  /** Distinct terms that the question itself does not have, with their weights, 0-1. */
  readonly terms: readonly WeightedTerm[];
  /** Terms that the developers' vocabulary adds to a question without those of a caller. */
  readonly vocabulary: readonly WeightedTerm[];
}

interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

export const noExpansion: QueryExpansion = { text: '', terms: [], vocabulary: [] };

/** Terms of a rephrasing weigh a little less than the question's own, keywords guess more. */
const [alternativeWeight, keywordWeight] = [0.8, 0.8];

export function expandQuery(
  { terms: queryTerms, text }: Pick<QuestionAnalysis, 'terms' | 'text'>,
  {
    alternatives = [],
    keywords = [],
  }: { readonly alternatives?: readonly string[]; readonly keywords?: readonly string[] },
): QueryExpansion {
  const own = new Set(queryTerms);
  const weights = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const term of analyzeText(text)) {
      if (!own.has(term) && !isStopWord(term)) weights.set(term, Math.max(weights.get(term) ?? 0, weight));
    }
  };
  for (const it of alternatives) add(it, alternativeWeight);
  for (const it of keywords) add(it, keywordWeight);
  if (weights.size > 0) {
    for (const term of [...own, ...weights.keys()])
      for (const it of chineseVariants(term)) if (!own.has(it) && !weights.has(it)) weights.set(it, alternativeWeight);
  }
  return {
    text: alternatives.join('\n'),
    terms: toWeightedTerms(weights),
    vocabulary: weights.size > 0 ? [] : vocabularyOf(own, text),
  };
}

function vocabularyOf(own: ReadonlySet<string>, text: string): readonly WeightedTerm[] {
  const weights = new Map<string, number>();
  for (const { terms, weight } of findWordVariants(text)) {
    for (const term of terms) {
      if (!own.has(term)) weights.set(term, Math.max(weights.get(term) ?? 0, weight / terms.length));
    }
  }
  return toWeightedTerms(weights);
}

function toWeightedTerms(weights: ReadonlyMap<string, number>): readonly WeightedTerm[] {
  return Array.from(weights, ([term, weight]) => ({ term, weight }));
}
