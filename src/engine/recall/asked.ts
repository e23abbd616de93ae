import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import { callLimits, type Config } from '../model/config.js';
import type { Scope } from '../model/memory.js';
import type { RecallInput } from '../model/query.js';
import type { StoreFilter } from '../store/store.js';
import { timeWindow, type TimeWindow } from '../text/timeWindow.js';
import { readFilter } from './filter.js';

/** What a recall asks for, checked, with the defaults in place. Equal ones have equal answers at the same moment. */
export interface Asked {
  /** On one line, composed (NFC). */
  readonly query: string;
  readonly scope: Scope;
  readonly filter: StoreFilter;
  readonly limit: number;
  readonly tokenBudget: number;
  /** The time that the query names, where the filter names none: what a caller says plainly always wins. */
  readonly time: TimeWindow | undefined;
}

/** @throws EngineError invalidInput */
export function readAsked(input: RecallInput, config: Config['recall'], now: Date): Asked {
  const { query: written, scope, scopeId, limit, tokenBudget, glance, mode, asker, ...filter } = input;
  const query = written.normalize('NFC').replaceAll(/\s+/gu, ' ').trim().slice(0, callLimits.queryCharacters);
  if (query === '') throw new EngineError('invalidInput', 'The query is empty. Say in a few words what to recall.');
  return {
    query,
    scope: scope ?? 'project-then-global',
    filter: {
      ...readFilter(filter),
      scopeId: scopeId ?? '',
      statuses: input.statuses ?? ['active', 'archived'],
      withoutForgotten: true,
    },
    limit: whole('limit', limit ?? config.limit, callLimits.limit),
    time: input.since === undefined && input.until === undefined ? timeWindow(query, now) : undefined,
    tokenBudget: whole('tokenBudget', tokenBudget ?? config.tokenBudget, callLimits.tokenBudget),
  };
}

function whole(name: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new EngineError('invalidInput', message`${name} must be a whole number from 1 to ${max}; it was ${value}.`);
}
