import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseCalendarDate } from '../../engine/base/calendarDate.js';
import {
  decayClasses,
  gates,
  kinds,
  lanes,
  storeScopes,
  statuses,
  type DecayClass,
  type Gate,
  type Kind,
  type Lane,
  type StoreScope,
  type Status,
} from '../../engine/model/memory.js';

/** Filters of `recall` and `list`, as commander reads them. */
export interface FilterOptions {
  readonly gate?: Gate[];
  readonly kind?: Kind[];
  readonly class?: DecayClass[];
  readonly status?: Status[];
  readonly lane?: Lane;
  readonly tag?: string[];
  readonly since?: string;
  readonly until?: string;
  readonly scope?: StoreScope;
  readonly scopeId?: string;
}

/** Adds the options of a filter to a command. */
export function addFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--gate <gate...>', 'only these gates').choices(gates))
    .addOption(new Option('--kind <kind...>', 'only these kinds').choices(kinds))
    .addOption(new Option('--class <class...>', 'only these decay classes').choices(decayClasses))
    .addOption(new Option('--status <status...>', 'only these (default: active)').choices(statuses))
    .addOption(new Option('--lane <lane>', 'only this lane').choices(lanes))
    .option('--tag <tag...>', 'only with all of these tags')
    .option('--since <date>', 'made on or after this date', parseIsoDate)
    .option('--until <date>', 'made before this date', parseIsoDate)
    .addOption(new Option('--scope <scope>', 'which stores').choices(storeScopes))
    .option('--scope-id <id>', 'an isolated set');
}

/** The same as the engine takes it: what was not given is absent. */
export function toFilter({
  gate,
  kind,
  class: decayClass,
  status,
  tag,
  lane,
  since,
  until,
  scope,
  scopeId,
}: FilterOptions): object {
  const values = {
    gates: gate,
    kinds: kind,
    decayClasses: decayClass,
    statuses: status,
    tags: tag,
    lane,
    since,
    until,
    scope,
    scopeId,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

export function parseWholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('It must be a whole number.');
  return number;
}

/** Any date that JavaScript reads, as ISO-8601 UTC. */
export function parseIsoDate(value: string): string {
  const date = parseCalendarDate(value);
  if (date === undefined) throw new InvalidArgumentError('It must be a date such as 2026-03-01.');
  return date.toISOString();
}
