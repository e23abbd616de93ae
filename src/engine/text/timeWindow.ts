import { dayMs } from '../model/duration.js';
import { replaceExactDates } from './dueDate.js';
import { monthPattern, monthOf } from './months.js';
import { numberOf, numberWordPattern } from './numberWords.js';

/** The time that a query names. */
export interface TimeWindow {
  /** The words that name the time; an exact date as 2025-05-07. */
  readonly phrase: string;
  /** ISO-8601 UTC, inclusive; undefined if the window has no start. */
  readonly since: string | undefined;
  /** ISO-8601 UTC, exclusive; undefined if the window ends now. */
  readonly until: string | undefined;
  /** Set if the query asks for statements made at that time ("what did I say last week"), not for events. */
  readonly refersToAssertionTime: boolean;
}

/** Days of the year, both included, as month × 32 + day. */
export interface CalendarRange {
  readonly from: number;
  readonly to: number;
}

/** Only the head of a query is parsed, in UTF-16 units. */
const maxSearchedLength = 500;
/** A longer window does not prefer some days over others. */
const maxPreferredDays = 300;

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const weekdayPattern = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const countPattern = `(?:\\d{1,3}|${numberWordPattern}|an?|few|couple of)`;
const unitPattern = '(?:day|week|month|year)s?';
/** Alternatives for one date or period; `parseDateSpan` resolves the match. */
const dateSpanPattern = [
  '\\d{4}-\\d{2}-\\d{2}',
  'the day before yesterday|yesterday|today',
  '(?:this|last|previous|past) (?:week(?:end)?|month|quarter|year)',
  `(?:last|past|previous) ${countPattern} ${unitPattern}`,
  `${countPattern} ${unitPattern} ago`,
  `(?:last )?${weekdayPattern}`,
  `(?:last )?${monthPattern}(?:,? 20\\d\\d)?`,
  '20\\d\\d',
].join('|');
const timeWindowPattern = new RegExp(
  `\\b(?:(?<between>between|from) (?:the )?(?<first>${dateSpanPattern}) (?:and|to|until|till) (?:the )?(?<second>${dateSpanPattern})` +
    `|(?:(?<relation>since|after|before|until|till|in|on|during|from|of|for|over|within) )?(?:the )?(?<only>${dateSpanPattern}))\\b`,
  'giu',
);

/** A cheap prefilter: every date span contains a match. */
const hintPattern =
  /day|week|month|year|quarter|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|20\d\d|\d{4}-\d{2}-\d{2}/iu;

/** Matches questions about statements: "what did I say", "we decided". A third person's statement is an event. */
const assertionPattern =
  /\b(?:did|have|had) (?:I|we|you) (?:ever |already |just )?(?:say|said|tell|told|mention(?:ed)?|decided?|not(?:e|ed)|remember(?:ed)?|ask(?:ed)?|discuss(?:ed)?|agreed?|promised?|stored?|saved?|learn(?:ed|t)?|record(?:ed)?)\b|\b(?:I|we) (?:said|told|mentioned|decided|noted|asked|discussed|agreed|promised|stored|saved|learned|recorded)\b/iu;
/** A window after these words is in the future, as "next Saturday". */
const futurePrefixPattern = /\b(?:next|coming|following|upcoming) $/iu;
/** Matches words for memories right before the time. */
const assertionNounPattern =
  /\b(?:memor(?:y|ies)|notes?|decisions?|corrections?|preferences?|promises|facts|insights)(?: (?:that )?(?:were |was )?(?:made|taken|noted|stored|saved|kept|said|told))?\s*$/iu;

/**
 * The time that a query names, looking back from `now`: "last week" (Monday to Sunday), "in March" (the latest that has
 * begun), "yesterday", "since Tuesday", "between May and June 2025". Calendar days are those of UTC. English only.
 * Undefined if the query names no time, or one that has not begun. Linear; never throws.
 */
export function parseTimeWindow(query: string, now: Date): TimeWindow | undefined {
  const text = replaceExactDates(query.slice(0, maxSearchedLength), now);
  if (!hintPattern.test(text)) return undefined;
  for (const match of text.matchAll(timeWindowPattern)) {
    const window = futurePrefixPattern.test(text.slice(0, match.index)) ? undefined : resolveWindow(match, now);
    if (window === undefined) continue;
    const { since, until } = window;
    if (since !== undefined && since > now.getTime()) continue;
    return {
      phrase: match[0],
      since: toIso(since),
      until: toIso(until),
      refersToAssertionTime: assertionPattern.test(text) || assertionNounPattern.test(text.slice(0, match.index)),
    };
  }
  return undefined;
}

/** The days of the year that a window covers; none if it has no start or is longer than {@link maxPreferredDays}. */
export function toCalendarRanges({ since, until }: TimeWindow, now: Date): readonly CalendarRange[] {
  const from = since === undefined ? undefined : new Date(since);
  const to = new Date((until === undefined ? now.getTime() + 1 : Date.parse(until)) - 1);
  if (from === undefined || (to.getTime() - from.getTime()) / dayMs > maxPreferredDays) return [];
  const [first, last] = [calendarDay(from), calendarDay(to)];
  if (first <= last) return [{ from: first, to: last }];
  return [
    { from: first, to: calendarDay(new Date(Date.UTC(2000, 11, 31))) },
    { from: 0, to: last },
  ];
}

function calendarDay(date: Date): number {
  return (date.getUTCMonth() + 1) * 32 + date.getUTCDate();
}

interface DateSpan {
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
}

function resolveWindow(match: RegExpMatchArray, now: Date): Partial<DateSpan> | undefined {
  const { between, first, second, relation = '', only } = match.groups as Readonly<Record<string, string | undefined>>;
  if (between !== undefined) {
    const end = parseDateSpan(second!, now, true);
    // The year can follow the second month only: "between May and June 2025".
    const year = /20\d\d$/u.exec(second!)?.[0];
    const isMonth = new RegExp(`^${monthPattern}$`, 'iu').test(first!);
    const start = parseDateSpan(isMonth && year !== undefined ? `${first!} ${year}` : first!, now, true);
    if (start === undefined || end === undefined || start.since >= end.until) return undefined;
    return { since: start.since, until: end.until };
  }
  const span = parseDateSpan(only!, now, relation !== '');
  if (span === undefined) return undefined;
  switch (relation.toLowerCase()) {
    case 'since':
      return { since: span.since };
    case 'after':
      return { since: span.until };
    case 'before':
      return { until: span.since };
    case 'until':
    case 'till':
      return { until: span.until };
    default:
      return span;
  }
}

/** @param hasTimePreposition whether a preposition of time precedes: "2025" or "march" alone can mean anything */
function parseDateSpan(text: string, now: Date, hasTimePreposition: boolean): DateSpan | undefined {
  const words = text.toLowerCase().replace(',', '').split(' ');
  const last = words.at(-1)!;
  const today = startOfDay(now);
  if (/^\d{4}-/u.test(text)) return daySpan(Date.parse(text), 1);
  if (last === 'today') return daySpan(today, 1);
  if (last === 'yesterday') return daySpan(today - (words.length > 1 ? 2 : 1) * dayMs, 1);
  if (/^(?:week(?:end)?|month|quarter|year)$/u.test(last)) return parsePeriod(words[0]!, last, now);
  if (last === 'ago') return parseAgo(words, now);
  if (/^(?:day|week|month|year)s?$/u.test(last)) {
    return { since: subtractPeriod(today, parseCount(words.slice(1, -1)), last), until: today + dayMs };
  }
  if (last.endsWith('day')) {
    const daysPassed = (now.getUTCDay() - weekdays.indexOf(last.slice(0, 3)) + 7) % 7 || 7;
    return daySpan(today - daysPassed * dayMs, 1);
  }
  if (/^20\d\d$/u.test(text)) return hasTimePreposition ? monthSpan(Number(text), 0, 12) : undefined;
  return parseMonth(words, text, now, hasTimePreposition);
}

function parseMonth(
  words: readonly string[],
  text: string,
  now: Date,
  hasTimePreposition: boolean,
): DateSpan | undefined {
  const [name, year] = words[0] === 'last' ? words.slice(1) : words;
  // "May" and "March" without a preposition or year are mostly verbs.
  if (!hasTimePreposition && words.length === 1 && (!/^\p{Lu}/u.test(text) || /^(?:may|march|mar)$/u.test(name!))) {
    return undefined;
  }
  const number = monthOf(name!);
  if (year !== undefined) return monthSpan(Number(year), number, 1);
  const thisYear = monthSpan(now.getUTCFullYear(), number, 1);
  return thisYear.since <= now.getTime() ? thisYear : monthSpan(now.getUTCFullYear() - 1, number, 1);
}

/** "this week", "last month": by the calendar, weeks from Monday. "past week": the days up to now. */
function parsePeriod(qualifier: string, unitName: string, now: Date): DateSpan {
  const today = startOfDay(now);
  const periodsBack = qualifier === 'this' ? 0 : 1;
  const [year, monthNow] = [now.getUTCFullYear(), now.getUTCMonth()];
  if (qualifier === 'past' && unitName !== 'weekend' && unitName !== 'quarter') {
    return { since: subtractPeriod(today, 1, unitName), until: today + dayMs };
  }
  if (unitName === 'year') return monthSpan(year - periodsBack, 0, 12);
  if (unitName === 'quarter') return monthSpan(year, (Math.floor(monthNow / 3) - periodsBack) * 3, 3);
  if (unitName === 'month') return monthSpan(year, monthNow - periodsBack, 1);
  const monday = today - ((now.getUTCDay() + 6) % 7) * dayMs - periodsBack * 7 * dayMs;
  return unitName === 'week' ? daySpan(monday, 7) : daySpan(monday + 5 * dayMs, 2);
}

/** The span of "two weeks ago" is a week and not a day, because people count roughly. */
function parseAgo(words: readonly string[], now: Date): DateSpan {
  const unitName = words.at(-2)!;
  const at = subtractPeriod(startOfDay(now), parseCount(words.slice(0, -2)), unitName);
  if (unitName.startsWith('day')) return daySpan(at, 1);
  if (unitName.startsWith('week')) return daySpan(at - 3 * dayMs, 7);
  const date = new Date(at);
  return unitName.startsWith('month')
    ? monthSpan(date.getUTCFullYear(), date.getUTCMonth(), 1)
    : monthSpan(date.getUTCFullYear(), 0, 12);
}

function parseCount(words: readonly string[]): number {
  const word = words[0]!;
  if (word === 'few') return 3;
  if (word === 'couple') return 2;
  return numberOf(word);
}

function subtractPeriod(from: number, amount: number, unitName: string): number {
  if (unitName.startsWith('day')) return from - amount * dayMs;
  if (unitName.startsWith('week')) return from - amount * 7 * dayMs;
  const date = new Date(from);
  const inMonths = unitName.startsWith('month') ? amount : 12 * amount;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - inMonths, date.getUTCDate());
}

function monthSpan(year: number, first: number, amount: number): DateSpan {
  return { since: Date.UTC(year, first, 1), until: Date.UTC(year, first + amount, 1) };
}

function daySpan(since: number, amount: number): DateSpan {
  return { since, until: since + amount * dayMs };
}

function startOfDay(date: Date): number {
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
}

function toIso(time: number | undefined): string | undefined {
  return time === undefined || Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
