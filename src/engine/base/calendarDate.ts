/** Dates of five digits, and texts without a year, which `Date` reads as some day, are no days that a person means. */
const maxYear = 9999;

/**
 * The time of a text that names a day, in any spelling and time zone.
 * @returns undefined where it names none, or one that no calendar has, such as 2026-02-30
 */
export function parseCalendarDate(text: string): Date | undefined {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > maxYear || !/\d{4}/u.test(text)) return undefined;
  const [, year, month, day] = /^\s*(\d{4})-(\d{2})-(\d{2})/u.exec(text) ?? [];
  if (year === undefined) return date;
  const named = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return named.getUTCDate() === Number(day) ? date : undefined;
}
