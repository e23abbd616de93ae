import { isStopWord, analyzeText } from './analyzer.js';
import { monthPattern, monthOf } from './months.js';

/** The parsed form of a query. */
export interface QuestionAnalysis {
  /** The query without quotation marks and excluded words. */
  readonly text: string;
  /** Distinct terms without stop words; with them if there are no others. */
  readonly terms: readonly string[];
  /** Phrases in double quotes, as terms: each must occur as a sequence. */
  readonly phrases: readonly (readonly string[])[];
  /** Phrases written as `-word`, as terms: none may occur. */
  readonly excludedPhrases: readonly (readonly string[])[];
  /** 1-12, if the query names a month. */
  readonly month: number | undefined;
  /** 1-31, if the query names a day of the month. */
  readonly day: number | undefined;
}

const monthAndDayPattern = new RegExp(
  String.raw`\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(${monthPattern})\b(?: (\d{1,2})(?:st|nd|rd|th)?\b)?`,
  'iu',
);
/** Parses a query. `"exact words"` and `-word` filter; everything else only ranks. */
export function analyzeQuestion(query: string): QuestionAnalysis {
  const phrases: string[][] = [];
  const excludedPhrases: string[][] = [];
  const unquotedText = query
    .replaceAll(/"([^"]*)"/gu, (_, phrase: string) => {
      const phraseTerms = analyzeText(phrase);
      if (phraseTerms.length > 0) phrases.push(phraseTerms);
      return ` ${phrase} `;
    })
    .replaceAll(/(?<=^|\s)-(\p{L}[^\s"]*)/gu, (_, word: string) => {
      const phraseTerms = analyzeText(word);
      if (phraseTerms.length > 0) excludedPhrases.push(phraseTerms);
      return ' ';
    });
  const distinctTerms = [...new Set(analyzeText(unquotedText))];
  const meaningful = distinctTerms.filter(it => !isStopWord(it));
  const [, dayBefore, month, dayAfter] = findNamedDate(unquotedText);
  const day = Number(dayBefore ?? dayAfter);
  return {
    text: unquotedText,
    terms: meaningful.length > 0 ? meaningful : distinctTerms,
    phrases,
    excludedPhrases,
    month: month === undefined ? undefined : monthOf(month) + 1,
    day: day >= 1 && day <= 31 ? day : undefined,
  };
}

/** The match of a month and day; none for "may" and "march" in lower case without a number, which are mostly verbs. */
function findNamedDate(query: string): readonly (string | undefined)[] {
  const match = monthAndDayPattern.exec(query);
  if (match === null) return [];
  const [, before, month, after] = match;
  const isVerbToo = month === 'may' || month === 'march';
  return isVerbToo && before === undefined && after === undefined ? [] : match;
}
