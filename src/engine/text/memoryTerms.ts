import type { SearchAids } from '../model/memory.js';
import { analyzeContent } from './analyzer.js';
import { stripSpeaker } from './textFeatures.js';

/**
 * The terms by which a memory is ranked, without stop words, repeats included: of its body, then of its tags. Their number
 * is its length in BM25.
 * @param bodyTerms of the content, where they are known
 */
export function memoryTerms(
  content: string,
  tags: readonly string[],
  bodyTerms: readonly string[] = analyzeContent(stripSpeaker(content)),
): readonly string[] {
  return tags.length === 0 ? bodyTerms : [...bodyTerms, ...analyzeContent(tags.join('\n'))];
}

/** The terms of a memory's search aids, without stop words, repeats included. */
export function aidTerms({ questions, keywords }: SearchAids): string[] {
  return [...questions, ...keywords].flatMap(it => analyzeContent(it));
}

/**
 * The terms that only the words kept with a memory have (`Provenance.said`), each once: the index takes them with the search
 * aids. A word that the memory has itself counts no more for standing there, too.
 * @param ownTerms the memory's, of its content and tags
 */
export function saidTerms(said: string | undefined, ownTerms: readonly string[]): string[] {
  if (said === undefined) return [];
  const own = new Set(ownTerms);
  return [...new Set(analyzeContent(said))].filter(it => !own.has(it));
}
