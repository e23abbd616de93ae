import type { QuestionAnalysis } from '../text/questionAnalysis.js';
import type { CalendarRange } from '../text/temporalQuery.js';

/**
 * 1 for a memory from the month or the days that the question names, 2 from the named day to four days later, else 0.
 * @param createdAt ISO-8601 UTC
 */
export function dateMatch(
  { month, day }: Pick<QuestionAnalysis, 'month' | 'day'>,
  preferredDates: readonly CalendarRange[],
  createdAt: string,
): number {
  const date = new Date(createdAt);
  const [ofMonth, ofDay] = [date.getUTCMonth() + 1, date.getUTCDate()];
  const calendar = ofMonth * 32 + ofDay;
  const isPreferred = preferredDates.some(it => calendar >= it.from && calendar <= it.to) ? 1 : 0;
  if (month === undefined || month !== ofMonth) return isPreferred;
  const daysLater = day === undefined ? -1 : ofDay - day;
  return daysLater >= 0 && daysLater <= 4 ? 2 : 1;
}
