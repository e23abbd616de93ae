import { isStopWord, analyzeText } from './analyzer.js';

/** A query, read. */
export interface QuestionAnalysis {
  /** Without the quotation marks and what must not occur. */
  readonly text: string;
  /** Distinct terms that carry meaning; all of them when none does. */
  readonly terms: readonly string[];
  /** Lower-case words as written, to recognise names by. */
  readonly words: readonly string[];
  /** Each must occur, as terms one after another: what stood in double quotes. */
  readonly phrases: readonly (readonly string[])[];
  /** None of these may occur: `-word`. */
  readonly excludedPhrases: readonly (readonly string[])[];
  /** 1-12, when the query names a month; 1-31, when it names a day of it. */
  readonly month: number | undefined;
  readonly day: number | undefined;
  readonly expectsDate: boolean;
  readonly expectsQuantity: boolean;
  /** Who, where, which person, company, book …: an answer has a name in it. */
  readonly expectsName: boolean;
  /** A summary, an order of events, a change over time, a sum: many memories answer it together, no single one does. */
  readonly isAggregateQuestion: boolean;
  /** Have I, did we, was it: whether something happened, which a rule or a taste says nothing about. */
  readonly isYesNoPastQuestion: boolean;
}

const monthAndDayPattern =
  /\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(jan(?:uary)?|feb(?:ruary)?|march|mar|apr(?:il)?|May|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?: (\d{1,2})(?:st|nd|rd|th)?\b)?/iu;
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const whenPattern = /^\W*when\b|\bhow long\b/iu;
const quantityPattern = /\bhow (?:many|much|long|old|often)\b/iu;
const namePattern =
  /^\W*(?:who|whose|where)\b|\b(?:which|what) (?:person|friend|company|city|country|place|band|artist|book|movie|team|tool|library|service)\b|\bname of\b/iu;
const aggregatePattern =
  /\b(?:summari[sz]e|(?:summary|overview|recap) of|everything (?:about|I|we|you)|in (?:what|which) order|(?:in|the) order (?:in which|of|I|we|you)|in order\b(?! to\b)|(?:across|throughout) (?:my|our|your|the|all|several|multiple)\b|over time|how many (?:different|distinct|total)|in total|total number|altogether|walk me through how|how\b.{1,160}\b(?:develop|evolve|progress)(?:e?d)?\b)/iu;
const yesNoPastPattern = /^\W*(?:have|has|had|did|was|were)\b/iu;

/** Reads a query. `"exact words"` and `-word` narrow; everything else ranks. */
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
    words: unquotedText.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
    phrases,
    excludedPhrases,
    month: month === undefined ? undefined : monthNames.indexOf(month.slice(0, 3).toLowerCase()) + 1,
    day: day >= 1 && day <= 31 ? day : undefined,
    expectsDate: whenPattern.test(unquotedText),
    expectsQuantity: quantityPattern.test(unquotedText),
    expectsName: namePattern.test(unquotedText),
    isAggregateQuestion: aggregatePattern.test(unquotedText),
    isYesNoPastQuestion: yesNoPastPattern.test(unquotedText),
  };
}

/** "may" is a verb unless it is written as a name, and "march" mostly too when no number stands beside it. */
function findNamedDate(query: string): readonly (string | undefined)[] {
  const match = monthAndDayPattern.exec(query);
  if (match === null) return [];
  const [, before, month, after] = match;
  const isVerbToo = month === 'may' || month === 'march';
  return isVerbToo && before === undefined && after === undefined ? [] : match;
}
