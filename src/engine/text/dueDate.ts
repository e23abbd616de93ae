import type { ParsedComponents } from 'chrono-node';
// The English part only: 46 kB of the bundle, and no other language's words are taken for dates.
import { casual } from 'chrono-node/en';
import { addMonths } from 'date-fns';
import { dayMs } from '../model/duration.js';
import { foldCase, mayMatch, type KeywordRule } from './keywordPrefilter.js';
import { monthPattern } from './months.js';
import { numberOf, numberWordPattern } from './numberWords.js';

/** The length of a sprint is not known; two weeks is the most common one. */
const sprintDays = 14;
/** Dates further ahead are misread numbers, not deadlines of a software team. */
const maxYearsAhead = 10;
/** Only the head of a statement is searched, in UTF-16 units. */
const maxSearchedLength = 2_000;

/** A period that the date parser does not know. */
interface PeriodRule extends KeywordRule {
  readonly pattern: RegExp;
  /** The last day of the period in UTC, at any time of that day; undefined if the words are no date. */
  readonly end: (match: RegExpExecArray, now: Date) => Date | undefined;
}

const monthsOf: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

const periodRules: readonly PeriodRule[] = [
  {
    // The date parser counts months from the 31st into the month after the next: "in one month" on 31 January is 3 March.
    keywords: ['month', 'quarter', 'year'],
    pattern: new RegExp(
      `\\b(?:in|within|over the next) (?:about |at most |the next )?(\\d{1,3}|an?|${numberWordPattern}) (month|quarter|year)s?\\b`,
      'i',
    ),
    end: (match, now) => plusMonths(now, numberOf(match[1]!) * monthsOf[match[2]!.toLowerCase()]!),
  },
  {
    keywords: ['sprint', 'iteration'],
    pattern: /\b(?:this|the current|current) (?:sprint|iteration)\b|\bend of (?:the )?(?:sprint|iteration)\b/i,
    end: (_, now) => plusDays(now, sprintDays),
  },
  {
    keywords: ['sprint', 'iteration'],
    pattern: /\b(?:next|the (?:coming|following|upcoming)|upcoming) (?:sprint|iteration)\b/i,
    end: (_, now) => plusDays(now, 2 * sprintDays),
  },
  {
    keywords: ['sprint', 'iteration'],
    pattern: /\b(?:in|after|within) (?:two|2|a couple of) (?:sprints|iterations)\b/i,
    end: (_, now) => plusDays(now, 3 * sprintDays),
  },
  {
    keywords: ['end of', 'eo', 'cob'],
    pattern:
      /\b(?:end of|eo)[ -]?(?:the |this )?(week|month|quarter|year|day)\b|\b(?<short>eow|eom|eoq|eoy|eod|cob|eob)\b/i,
    end: (match, now) =>
      endOf(
        (
          match[1] ??
          { w: 'week', m: 'month', q: 'quarter', y: 'year' }[match[0].toLowerCase().slice(2)] ??
          'day'
        ).toLowerCase(),
        now,
      ),
  },
  {
    keywords: ['next ', 'coming', 'following'],
    pattern:
      /\bend of next (week|month|quarter|year)\b|\bnext (week|month|quarter|year)\b|\bthe (?:coming|following) (week|month|quarter|year)\b/i,
    end: (match, now) => endOfNext((match[1] ?? match[2] ?? match[3])!.toLowerCase(), now),
  },
  {
    keywords: ['this '],
    pattern: /\b(?:later |sometime )?this (week|month|quarter|year)\b/i,
    end: (match, now) => endOf(match[1]!.toLowerCase(), now),
  },
  {
    keywords: ['q'],
    // "The Q3 report" is no time.
    pattern:
      /\b(?<!\b(?:the|our|an?) )(?:Q([1-4])|([1-4])Q)(?:[ /-]?(?:of )?(?:FY)?'?(20\d\d|\d\d)\b)?|\b(20\d\d)[ -]?Q([1-4])\b/i,
    end: (match, now) => {
      const quarter = Number(match[1] ?? match[2] ?? match[5]);
      const written = match[3] ?? match[4];
      if (written !== undefined) return lastDayOfMonth((Number(written) % 100) + 2000, quarter * 3);
      const thisYear = lastDayOfMonth(now.getUTCFullYear(), quarter * 3);
      return endOfDay(thisYear) >= now ? thisYear : lastDayOfMonth(now.getUTCFullYear() + 1, quarter * 3);
    },
  },
  {
    keywords: ['the '],
    pattern: /\b(?:on|by|before|until|till|due) the (\d{1,2})(?:st|nd|rd|th)\b(?! of\b)/i,
    end: (match, now) => nextDayOfMonth(Number(match[1]), now),
  },
  {
    // The parser ignores "May" alone, which is mostly a modal verb.
    keywords: ['may'],
    pattern: /\b(?:in|by|before|until|till|during|early|mid|late|end of|this|next|for)[ -]May\b(?! \d)(?: (20\d\d))?/,
    end: (match, now) => endOfMonthAhead(5, match[1], now),
  },
  {
    keywords: ['h1', 'h2'],
    pattern: /\bH([12])(?: (20\d\d))?\b/,
    end: (match, now) => endOfMonthAhead(Number(match[1]) * 6, match[2], now),
  },
  {
    keywords: ['spring', 'summer', 'autumn', 'winter'],
    // "The summer intern" is no time.
    pattern:
      /\b(?:(?:in|by|before|until|till|during|for|after|since|this|next|early|mid|late|end of)[ -](?:the )?(spring|summer|autumn|winter)(?: (20\d\d))?|(spring|summer|autumn|winter) (20\d\d))\b/i,
    end: (match, now) =>
      endOfMonthAhead(
        { spring: 5, summer: 8, autumn: 11, winter: 2 }[(match[1] ?? match[3])!.toLowerCase()]!,
        match[2] ?? match[4],
        now,
      ),
  },
];

/** Words that the parser takes for dates and that mostly are none. */
const ambiguousDateWord = /^(?:march|mar|sun|sat|dec|jan|sep|second|now|today)$/i;

/**
 * The due date of a commitment: the end of the last day of the period that the text names ("before Friday" → Friday;
 * "in March" → 31 March; "next sprint" → four weeks from now, the end of the sprint after the running one;
 * "Q3 2026" → 30 September), as ISO-8601 UTC. A weekday or month without a year is the next one after `now`.
 * Undefined if the text names no date, a past one, or one that comes again. Days are those of the person's calendar (the
 * time zone of the process); each is kept as a day of UTC. English only. Reads the first 2,000
 * characters; never throws.
 */
export function findDueDate(text: string, now: Date): string | undefined {
  const statement = text.slice(0, maxSearchedLength);
  if (recurringPattern.test(statement)) return undefined;
  // The person's calendar day, as a day of UTC, so that it is the same day wherever it is shown.
  const today = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  const dates: Date[] = [];
  const foldedText = foldCase(statement);
  for (const rule of periodRules) {
    const match = mayMatch(rule, foldedText) ? rule.pattern.exec(statement) : null;
    const date = match ? rule.end(match, today) : undefined;
    if (date !== undefined) dates.push(endOfDay(date));
  }
  if (dates.length === 0) dates.push(...parseDates(statement, today));
  const limit = today.getTime() + maxYearsAhead * 366 * dayMs;
  const due = dates.find(date => date >= today && date.getTime() <= limit);
  return due?.toISOString();
}

/** What comes again is no deadline: "every Friday", "on the first of the month". */
const recurringPattern =
  /\b(?:every|each|weekly|biweekly|daily|monthly|quarterly|yearly|annually|nightly|hourly|weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days|mornings|afternoons|evenings|nights)\b|\b(?:never|always)\b|\bday and night\b|\b(?:on|by|from|before|after|until) the (?!end )(?:[\w-]+ ){1,3}of (?:the|a) (?:month|week|quarter|year)\b|\b(?:per|times an?|once an?|twice an?) (?:hour|day|night|week|month|quarter|year|sprint|release)\b/iu;

const numberWord = `half|the|few|several|couple|of|${numberWordPattern}`;
const offsetWord = 'ago|before|earlier|later|after|from now|henceforth|forward|out';

/** Matches every text in which the date parser finds a certain day: a month, a numeric date, or a word with "day" or a time of day. */
const dayHintPattern = new RegExp(
  String.raw`\b${monthPattern}\b|\d[./-]\d|day|night|noon|morning|evening|tomorrow`,
  'i',
);

/**
 * Matches every text in which the date parser finds a due date: also weekdays, periods ("in two weeks") and "now".
 * Without a match the parser is not called: compiling its patterns takes about 0.1 s at its first call in a process.
 */
const dueHintPattern = new RegExp(
  [
    `(?<![a-z])(?:${monthPattern}|mon|tue|wed|thu|thurs?|fri|sat|sun|now|tmrw?|secs?|mins?|hrs?|mos?|qtr|yrs?)(?![a-z])`,
    'day|week|month|year|quarter|hour|minute|second|night|noon|morning|evening|morrow',
    String.raw`\d[./\s-]\d`,
    // One-letter units after a quantity. The parser needs no space around them: it reads "the money" as "the m, one y".
    String.raw`(?:\d\s{0,3}|[a-z]\s{1,3}|\b(?:this|last|past|next)|[a-z](?:${numberWord}))[smhdwy](?=\W|$|${offsetWord})`,
  ].join('|'),
  'i',
);

/** The text with every date that names its day ("7 May 2025", "May 7th") as 2025-05-07, the latest one before `now`. */
export function replaceExactDates(text: string, now: Date): string {
  if (!/\d/.test(text) || !dayHintPattern.test(text)) return text;
  let result = '';
  let copiedUpTo = 0;
  for (const { start, end, index, text: found } of casual.parse(text, { instant: now, timezone: 0 })) {
    // "yesterday" and "last Tuesday" are not exact, "12:30" names no day, and a span stays as written.
    if (end || !start.isCertain('day') || !start.isCertain('month') || !/\d/.test(found)) continue;
    if (/\bago\b|^\d+(?:[./-]\d+)?$|\blast\b|\bpast\b/i.test(found)) continue;
    const [year, month, day] = [start.get('year')!, start.get('month')!, start.get('day')!];
    const date = new Date(Date.UTC(year, month - 1, day));
    if (!start.isCertain('year') && date > now) date.setUTCFullYear(year - 1);
    if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1970) continue;
    result += `${text.slice(copiedUpTo, index)}${date.toISOString().slice(0, 10)}`;
    copiedUpTo = index + found.length;
  }
  return result + text.slice(copiedUpTo);
}

function parseDates(statement: string, now: Date): Date[] {
  if (!dueHintPattern.test(statement)) return [];
  // Calendar days in UTC: the result does not depend on the machine's time zone.
  const reference = { instant: now, timezone: 0 };
  return casual.parse(statement, reference, { forwardDate: true }).flatMap(result => {
    if (!isPlausibleDate(result.text, statement, result.index)) return [];
    const parts = result.end ?? result.start;
    return namesDay(parts) ? [endOfPeriod(parts)] : [];
  });
}

const durationPattern = new RegExp(
  `(?:^|\\s)(?:an?|${numberWordPattern}|fifteen|twenty|thirty|sixty|ninety|few|\\d+) ?(?:s|sec|min|h|seconds?|minutes?|mins?|hours?|days?|weeks?|months?|quarters?|years?)$`,
  'i',
);

function isPlausibleDate(found: string, statement: string, index: number): boolean {
  const before = statement.slice(Math.max(0, index - 12), index);
  const word = found.trim();
  if (/^\d+(?:[.:]\d+)*$/.test(word)) return false;
  // A duration is a date only after certain words: "in 2 weeks", not "after 14 days" or "5 minutes".
  if (durationPattern.test(word)) {
    // Nothing is planned by the second: "the lamp turns once in ten seconds", "the build is done in 5 minutes".
    if (/\b(?:s|sec|min|seconds?|minutes?|mins?)$/i.test(word)) return false;
    if (!/^(?:in|within|next|the next|over)\b/i.test(word)) return false;
    if (/\b(?:after|for|about|every|per|to|under|up to|at least|at most|than|of|takes|expires?)\s$/i.test(before))
      return false;
  }
  if (/^\d{1,2}[/-]\d{1,2}$/.test(word) && !/\b(?:on|by|before|until|due|after)\s$/i.test(before)) return false;
  if (/[\w./@-]$/.test(before) && !/(?:^|[\s(])$/.test(before)) return false;
  // "At night" and "on a Friday" are any night and any Friday.
  if (/^(?:(?:in|at|by|during) )?(?:the )?(?:night|morning|evening|afternoon|noon)$/i.test(word)) return false;
  if (/\ban?\s$/i.test(before)) return false;
  // "The Friday branch", "today()": a name. "3d" and "15m": a length, unless it is "in 3d".
  if (/\b(?:the|our|my|your|their|that)\s$/i.test(before) && /^\p{L}+$/u.test(word)) return false;
  if (/^\p{L}+$/u.test(word) && /^[(/_-]/.test(statement.slice(index + found.length))) return false;
  if (/^\d+ ?(?:s|secs?|m|mins?|hr?s?|d|wk?s?|mos?|yr?s?)$/i.test(word)) return false;
  if (/\b(?:ago|yesterday|last|past|previous)\b/i.test(word)) return false;
  if (!ambiguousDateWord.test(word)) return true;
  // "As of today" begins something.
  if (/^today$/i.test(word)) return !/\b(?:as of|since|from|starting|effective)\s$/i.test(before);
  if (/^(?:now|second)$/i.test(word)) return false;
  // "March" alone is a month after a preposition of time, and a verb elsewhere.
  return (
    /\b(?:in|by|before|until|till|for|since|on|during|after|early|late|mid|end of|this|next|to|from|of)[ -]$/i.test(
      before,
    ) && /^\p{Lu}/u.test(word)
  );
}

function namesDay(parts: ParsedComponents): boolean {
  return (
    parts.isCertain('day') ||
    parts.isCertain('weekday') ||
    parts.isCertain('month') ||
    parts.isCertain('year') ||
    !parts.isCertain('hour')
  );
}

function endOfPeriod(parts: ParsedComponents): Date {
  const year = Number(parts.get('year'));
  const month = Number(parts.get('month'));
  if (parts.isCertain('day') || parts.isCertain('weekday') || !parts.isCertain('month')) {
    return endOfDay(new Date(Date.UTC(year, month - 1, Number(parts.get('day')))));
  }
  return endOfDay(lastDayOfMonth(year, month));
}

/** The next day with this number: in this month, or in the first later one that has such a day. */
function nextDayOfMonth(day: number, now: Date): Date | undefined {
  if (day < 1 || day > 31) return undefined;
  for (let month = now.getUTCMonth(); ; month++) {
    const date = new Date(Date.UTC(now.getUTCFullYear(), month, day));
    if (date.getUTCDate() === day && endOfDay(date) >= now) return date;
  }
}

function endOfMonthAhead(month: number, written: string | undefined, now: Date): Date {
  if (written !== undefined) return lastDayOfMonth(Number(written), month);
  const thisYear = lastDayOfMonth(now.getUTCFullYear(), month);
  return endOfDay(thisYear) >= now ? thisYear : lastDayOfMonth(now.getUTCFullYear() + 1, month);
}

function endOf(period: string, now: Date): Date {
  if (period === 'day') return now;
  // A working week ends on Friday; a weekend belongs to the next week.
  if (period === 'week') return plusDays(now, (12 - now.getUTCDay()) % 7);
  if (period === 'month') return lastDayOfMonth(now.getUTCFullYear(), now.getUTCMonth() + 1);
  if (period === 'quarter') return lastDayOfMonth(now.getUTCFullYear(), Math.floor(now.getUTCMonth() / 3) * 3 + 3);
  return lastDayOfMonth(now.getUTCFullYear(), 12);
}

function endOfNext(period: string, now: Date): Date {
  const end = endOf(period, now);
  if (period === 'week') return plusDays(end, 7);
  const months = { month: 1, quarter: 3, year: 12 }[period] ?? 0;
  return lastDayOfMonth(end.getUTCFullYear(), end.getUTCMonth() + 1 + months);
}

/** `month` is 1-12 and may run over the year's end. */
function lastDayOfMonth(year: number, month: number): Date {
  return new Date(Date.UTC(year, month, 0));
}

/** The same day so many calendar months later, or the last one of a shorter month. */
function plusMonths(date: Date, months: number): Date {
  const day = addMonths(new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), 12), months);
  return new Date(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()));
}

function plusDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * dayMs);
}

function endOfDay(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), 23, 59, 59, 999));
}
