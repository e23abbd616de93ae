import { parseCalendarDate } from '../base/calendarDate.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { MemoryFilter } from '../model/query.js';

/**
 * A filter as the stores compare it: dates of any spelling and time zone as ISO-8601 UTC, tags as they are kept.
 * @throws EngineError invalidInput
 */
export function normalizeFilter<Filter extends MemoryFilter>(filter: Filter): Filter {
  const { since, until, tags } = filter;
  return {
    ...filter,
    ...(since === undefined ? {} : { since: toIsoDate('since', since) }),
    ...(until === undefined ? {} : { until: toIsoDate('until', until) }),
    ...(tags === undefined ? {} : { tags: tags.map(it => it.trim().toLowerCase()).filter(it => it !== '') }),
  };
}

function toIsoDate(name: string, value: string): string {
  const date = parseCalendarDate(value);
  if (date !== undefined) return date.toISOString();
  throw new EngineError(
    'invalidInput',
    message`${name} must be a date such as 2026-03-01; it was "${value.slice(0, 40)}".`,
  );
}
