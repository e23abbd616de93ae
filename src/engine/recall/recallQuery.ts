import { parseCalendarDate } from '../base/calendarDate.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { requestLimits, type Config } from '../model/config.js';
import type { GivenMemory } from '../model/access.js';
import type { StoreScope } from '../model/memory.js';
import type { MemoryFilter, RecallInput } from '../model/query.js';
import type { StoreFilter } from '../store/store.js';
import { analyzeQuestion, type QuestionAnalysis } from '../text/questionAnalysis.js';
import { weighTerms, type WeightedTerm } from '../text/queryTerms.js';
import { parseTimeWindow, type TimeWindow } from '../text/timeWindow.js';

/** A question, and the words that a caller adds to it. */
export interface AskedQuestion {
  /** On one line, composed (NFC). */
  readonly query: string;
  readonly question: QuestionAnalysis;
  /** Other wordings of the query and words of an answer, as the caller guesses them. */
  readonly alternatives: readonly string[];
  readonly keywords: readonly string[];
  /** Of the question, its alternatives and keywords. */
  readonly terms: readonly WeightedTerm[];
}

/** The request of a recall, checked, with the defaults in place. Equal ones have equal answers at the same moment. */
export interface RecallQuery extends AskedQuestion {
  readonly scope: StoreScope;
  readonly filter: StoreFilter;
  readonly withoutCut: boolean;
  readonly given: readonly GivenMemory[];
  readonly limit: number;
  readonly tokenBudget: number;
  /** The time that the query names, where the filter names none: what a caller says plainly always wins. */
  readonly time: TimeWindow | undefined;
}

/** Whether the caller gave other wordings or words besides the question. */
export function hasExpansion({ alternatives, keywords }: Pick<RecallQuery, 'alternatives' | 'keywords'>): boolean {
  return alternatives.length + keywords.length > 0;
}

/** @throws EngineError invalidInput */
export function parseRecallQuery(input: RecallInput, config: Config['recall'], now: Date): RecallQuery {
  const {
    query: rawQuery,
    alternatives = [],
    keywords = [],
    withoutCut = false,
    scope,
    scopeId,
    limit,
    tokenBudget,
    isUntracked,
    mode,
    asker,
    given = [],
    ...filter
  } = input;
  const query = toQueryLine(rawQuery);
  if (query === '') throw new EngineError('invalidInput', 'The query is empty. Say in a few words what to recall.');
  return {
    ...readQuestion(query, {
      alternatives: toQueryLines(alternatives, requestLimits.maxAlternatives),
      keywords: toQueryLines(keywords, requestLimits.maxKeywords),
    }),
    withoutCut,
    given,
    scope: scope ?? 'project-then-global',
    filter: {
      ...normalizeFilter(filter),
      scopeId: scopeId ?? '',
      statuses: input.statuses ?? ['active', 'archived'],
      withoutForgotten: true,
    },
    limit: requireInteger('limit', limit ?? config.limit, requestLimits.maxHits),
    time: input.since === undefined && input.until === undefined ? parseTimeWindow(query, now) : undefined,
    tokenBudget: requireInteger('tokenBudget', tokenBudget ?? config.tokenBudget, requestLimits.maxTokenBudget),
  };
}

/** The terms of a question, read and weighed once. */
export function readQuestion(
  query: string,
  { alternatives, keywords }: Pick<AskedQuestion, 'alternatives' | 'keywords'>,
): AskedQuestion {
  const question = analyzeQuestion(query);
  return { query, question, alternatives, keywords, terms: weighTerms(question, { alternatives, keywords }) };
}

/** On one line, composed (NFC), and not longer than a query may be. */
function toQueryLine(text: string): string {
  // Cut before the work too: composing and joining shorten a text, but none to an eighth.
  return text
    .slice(0, 8 * requestLimits.maxQueryLength)
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, requestLimits.maxQueryLength);
}

/** The first `max` that say anything; what a caller sends beyond that is dropped. */
function toQueryLines(texts: readonly string[], max: number): string[] {
  return texts
    .slice(0, 8 * max)
    .map(toQueryLine)
    .filter(it => it !== '')
    .slice(0, max);
}

function requireInteger(name: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new EngineError('invalidInput', message`${name} must be a whole number from 1 to ${max}; it was ${value}.`);
}

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
