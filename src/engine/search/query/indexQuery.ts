import type { QueryExpansion } from '../../text/queryExpansion.js';
import type { CalendarRange } from '../../text/temporalQuery.js';

/** An analyzed question (text/questionAnalysis.ts) with its embedding and filter. */
export interface IndexQuery {
  readonly terms: readonly string[];
  readonly expansion?: QueryExpansion;
  /** The question without the phrases that became filters. */
  readonly text: string;
  /** Lower-case words, not stemmed. */
  readonly words: readonly string[];
  /** int8 components of the question's embedding. */
  readonly vector: Int8Array | undefined;
  readonly month: number | undefined;
  readonly day: number | undefined;
  /** Days of the year that the question refers to, as in "last week". */
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

/** Whether standing instructions and preferences get a bonus: only where the question may be about what to do. */
export function appliesStandingInstructions({ isAggregateQuestion, isYesNoPastQuestion }: IndexQuery): boolean {
  return !isAggregateQuestion && !isYesNoPastQuestion;
}

/**
 * 1 for a memory from the month or the days that the question names, 2 from the named day to four days later, else 0.
 * @param calendar month 1-12 × 32 + day
 */
export function dateMatch(query: IndexQuery, calendar: number): number {
  const inPreferredDates = query.preferredDates?.some(it => calendar >= it.from && calendar <= it.to) === true ? 1 : 0;
  if (query.month === undefined || query.month !== calendar >> 5) return inPreferredDates;
  const daysLater = query.day === undefined ? -1 : (calendar & 31) - query.day;
  return daysLater >= 0 && daysLater <= 4 ? 2 : 1;
}
