import type { QueryExpansion } from '../../text/queryExpansion.js';
import type { CalendarRange } from '../../text/temporalQuery.js';

/** A question as the index takes it (text/question.ts, and its embedding). */
export interface IndexQuery {
  readonly terms: readonly string[];
  readonly expansion?: QueryExpansion;
  /** Without what narrows it. */
  readonly text: string;
  /** Lower-case words as written. */
  readonly words: readonly string[];
  /** int8 components of the question's embedding. */
  readonly vector: Int8Array | undefined;
  readonly month: number | undefined;
  readonly day: number | undefined;
  /** Days of the year that the question names in other words, such as "last week". */
  readonly preferredDates?: readonly CalendarRange[];
  readonly expectsDate: boolean;
  readonly expectsQuantity: boolean;
  readonly expectsName: boolean;
  readonly isAggregateQuestion: boolean;
  readonly isYesNoPastQuestion: boolean;
  readonly scopeId: string;
  /** Rows that may be returned; undefined for all searchable ones. */
  readonly allowed: ReadonlySet<number> | undefined;
  readonly limit: number;
}

/** Whether standing instructions and preferences have a bonus: they do where the question is about what to do. */
export function appliesStandingInstructions({ isAggregateQuestion, isYesNoPastQuestion }: IndexQuery): boolean {
  return !isAggregateQuestion && !isYesNoPastQuestion;
}

/** 1 in the month or the days that the question names, 2 when made on the very day it names or up to four days later. */
export function dateMatch(query: IndexQuery, calendar: number): number {
  const inPreferredDates = query.preferredDates?.some(it => calendar >= it.from && calendar <= it.to) === true ? 1 : 0;
  if (query.month === undefined || query.month !== calendar >> 5) return inPreferredDates;
  const daysLater = query.day === undefined ? -1 : (calendar & 31) - query.day;
  return daysLater >= 0 && daysLater <= 4 ? 2 : 1;
}
