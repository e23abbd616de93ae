import { isStopWord, terms } from './terms.js';

/** A query, read. */
export interface Question {
  /** Without the quotation marks and what must not occur. */
  readonly text: string;
  /** Distinct terms that carry meaning; all of them when none does. */
  readonly terms: readonly string[];
  /** Lower-case words as written, to recognise names by. */
  readonly words: readonly string[];
  /** Each must occur, as terms one after another: what stood in double quotes. */
  readonly phrases: readonly (readonly string[])[];
  /** None of these may occur: `-word`. */
  readonly excluded: readonly (readonly string[])[];
  /** 1-12, when the query names a month; 1-31, when it names a day of it. */
  readonly month: number | undefined;
  readonly day: number | undefined;
  readonly asksWhen: boolean;
  readonly asksHowMuch: boolean;
  /** Who, where, which person, company, book …: an answer has a name in it. */
  readonly asksName: boolean;
  /** A summary, an order of events, a change over time, a sum: many memories answer it together, no single one does. */
  readonly asksWide: boolean;
  /** Have I, did we, was it: whether something happened, which a rule or a taste says nothing about. */
  readonly asksWhetherItHappened: boolean;
}

const months =
  /\b(?:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(jan(?:uary)?|feb(?:ruary)?|march|mar|apr(?:il)?|May|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?: (\d{1,2})(?:st|nd|rd|th)?\b)?/iu;
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const when = /^\W*when\b|\bhow long\b/iu;
const howMuch = /\bhow (?:many|much|long|old|often)\b/iu;
const name =
  /^\W*(?:who|whose|where)\b|\b(?:which|what) (?:person|friend|company|city|country|place|band|artist|book|movie|team|tool|library|service)\b|\bname of\b/iu;
const wide =
  /\b(?:summari[sz]e|(?:summary|overview|recap) of|everything (?:about|I|we|you)|in (?:what|which) order|(?:in|the) order (?:in which|of|I|we|you)|in order\b(?! to\b)|(?:across|throughout) (?:my|our|your|the|all|several|multiple)\b|over time|how many (?:different|distinct|total)|in total|total number|altogether|walk me through how|how\b.{1,160}\b(?:develop|evolve|progress)(?:e?d)?\b)/iu;
const happened = /^\W*(?:have|has|had|did|was|were)\b/iu;

/** Reads a query. `"exact words"` and `-word` narrow; everything else ranks. */
export function readQuestion(query: string): Question {
  const phrases: string[][] = [];
  const excluded: string[][] = [];
  const open = query
    .replaceAll(/"([^"]*)"/gu, (_, phrase: string) => {
      const found = terms(phrase);
      if (found.length > 0) phrases.push(found);
      return ` ${phrase} `;
    })
    .replaceAll(/(?<=^|\s)-(\p{L}[^\s"]*)/gu, (_, word: string) => {
      const found = terms(word);
      if (found.length > 0) excluded.push(found);
      return ' ';
    });
  const all = [...new Set(terms(open))];
  const meaningful = all.filter(it => !isStopWord(it));
  const [, dayBefore, month, dayAfter] = dateIn(open);
  const day = Number(dayBefore ?? dayAfter);
  return {
    text: open,
    terms: meaningful.length > 0 ? meaningful : all,
    words: open.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
    phrases,
    excluded,
    month: month === undefined ? undefined : monthNames.indexOf(month.slice(0, 3).toLowerCase()) + 1,
    day: day >= 1 && day <= 31 ? day : undefined,
    asksWhen: when.test(open),
    asksHowMuch: howMuch.test(open),
    asksName: name.test(open),
    asksWide: wide.test(open),
    asksWhetherItHappened: happened.test(open),
  };
}

/** "may" is a verb unless it is written as a name, and "march" mostly too when no number stands beside it. */
function dateIn(query: string): readonly (string | undefined)[] {
  const found = months.exec(query);
  if (found === null) return [];
  const [, before, month, after] = found;
  const isVerbToo = month === 'may' || month === 'march';
  return isVerbToo && before === undefined && after === undefined ? [] : found;
}
