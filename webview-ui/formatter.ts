import * as l10n from '@vscode/l10n';
import { dayMs } from '../src/engine/model/duration.js';

const monthMs = 30.4 * dayMs;
/** Each with the least past time in it: weeks from two on, as in the tree. */
const timeUnits = [
  ['year', 365 * dayMs, 365 * dayMs],
  ['month', monthMs, 2 * monthMs],
  ['week', 7 * dayMs, 14 * dayMs],
  ['day', dayMs, dayMs],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
] as const;

/** Formats numbers and ISO-8601 times in the user's language. */
export class Formatter {
  private readonly dateFormat: Intl.DateTimeFormat;
  private readonly dateTimeFormat: Intl.DateTimeFormat;
  private readonly relativeTimeFormat: Intl.RelativeTimeFormat;
  private readonly thisMinute: string;
  private readonly hourFormat: Intl.DateTimeFormat;
  private readonly dayFormat: Intl.DateTimeFormat;
  private readonly monthFormat: Intl.DateTimeFormat;

  constructor(private readonly language: string) {
    this.dateFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
    this.dateTimeFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
    this.hourFormat = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
    this.dayFormat = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
    this.monthFormat = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric' });
    this.relativeTimeFormat = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
    this.thisMinute = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'minute');
  }

  date(iso: string): string {
    return this.dateFormat.format(new Date(iso));
  }

  dateTime(iso: string): string {
    return this.dateTimeFormat.format(new Date(iso));
  }

  /** Labels of the ticks of an axis of values, with as many digits as distinguish them. @param ticks equally spaced */
  axisNumbers(ticks: readonly number[]): readonly string[] {
    const [first = 0, second = 1] = ticks;
    // A power of ten may come out a little below a whole number.
    const digits = Math.max(0, Math.ceil(-Math.log10(Math.abs(second - first)) - 1e-9));
    return ticks.map(it => this.number(it, digits));
  }

  /** Labels of the ticks of a time axis: days; times of one or two days, and months of a year or more. */
  axisTimes(ticks: readonly Date[]): readonly string[] {
    const spanMs = ticks.length === 0 ? 0 : ticks.at(-1)!.getTime() - ticks[0]!.getTime();
    // A lone tick stands for a day.
    const isWithinDays = ticks.length > 1 && spanMs < 2 * dayMs;
    const format = isWithinDays ? this.hourFormat : spanMs < 365 * dayMs ? this.dayFormat : this.monthFormat;
    return ticks.map(it => format.format(it));
  }

  /**
   * `3 minutes ago`, `in 5 days`. What is past counts whole units, as an age does; what is to come is rounded. No "yesterday" or
   * "last month", which say more than a number of hours or days does.
   */
  relativeTime(iso: string, now = Date.now()): string {
    const deltaMs = Date.parse(iso) - now;
    if (Math.abs(deltaMs) < 60_000) return this.thisMinute;
    if (deltaMs < 0) {
      const [unit, unitMs] = timeUnits.find(([, , from]) => -deltaMs >= from)!;
      return this.relativeTimeFormat.format(Math.trunc(deltaMs / unitMs), unit);
    }
    const [unit, unitMs] = timeUnits.find(([, it]) => deltaMs >= 1.5 * it) ?? timeUnits.at(-1)!;
    return this.relativeTimeFormat.format(Math.round(deltaMs / unitMs), unit);
  }

  number(value: number, digits = 0): string {
    return value.toLocaleString(this.language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  /** `words, meaning and age`. */
  list(items: readonly string[]): string {
    return new Intl.ListFormat(this.language, { type: 'conjunction' }).format(items);
  }

  memoryCount(count: number): string {
    return count === 1 ? l10n.t('1 memory') : l10n.t('{0} memories', this.number(count));
  }

  linkCount(count: number): string {
    return count === 1 ? l10n.t('1 link') : l10n.t('{0} links', this.number(count));
  }

  /** `1.2 MB`, which no line divides. */
  bytes(value: number): string {
    if (value < 1_024) return `${this.number(value)}\u00a0B`;
    if (value < 1_048_576) return `${this.number(value / 1_024)}\u00a0KB`;
    return `${this.number(value / 1_048_576, 1)}\u00a0MB`;
  }

  /** @param value 0-100 */
  percent(value: number): string {
    return `${this.number(Math.round(value))}%`;
  }

  /** `0.4 ms`, `12 ms`, which no line divides. */
  duration(ms: number): string {
    return `${this.number(ms, ms < 10 ? 1 : 0)}\u00a0ms`;
  }
}
