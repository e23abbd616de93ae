import { aidLimits, type SearchAids } from '../model/memory.js';
import { findSecret } from './secretScanner.js';
import { validateText } from '../text/validateText.js';

/**
 * Aids as they are stored: on one line, distinct, within the limits of their number and length. What is no plain text or
 * holds a secret is left out.
 */
export function normalizeAids({ questions = [], keywords = [] }: Partial<SearchAids>): SearchAids {
  return {
    questions: normalizeList(questions, aidLimits.maxQuestions, aidLimits.maxQuestionLength),
    keywords: normalizeList(keywords, aidLimits.maxKeywords, aidLimits.maxKeywordLength),
  };
}

/** The aids of a memory with further ones, as far as there is room: those that it has stay. */
export function addAids(known: SearchAids, added: SearchAids): SearchAids {
  return normalizeAids({
    questions: [...known.questions, ...added.questions],
    keywords: [...known.keywords, ...added.keywords],
  });
}

export function hasAids({ questions, keywords }: SearchAids): boolean {
  return questions.length + keywords.length > 0;
}

/** How much more than is kept is looked through for secrets. */
const lookedFactor = 50;

function normalizeList(texts: readonly string[], maxCount: number, maxLength: number): string[] {
  const lines = texts
    // Cut before the work: what is kept of a longer one is looked at whole, with what follows it.
    .slice(0, 8 * maxCount)
    .map(it =>
      it
        .slice(0, lookedFactor * maxLength)
        .replaceAll(/\s+/gu, ' ')
        .trim(),
    )
    .filter(it => it !== '' && findSecret(it) === undefined)
    .map(it => it.slice(0, maxLength))
    .filter(it => validateText(it, maxLength).ok);
  return [...new Set(lines)].slice(0, maxCount);
}
