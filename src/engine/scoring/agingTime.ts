import { dayMs } from '../model/duration.js';

/** A longer time in which no program used the memory may be a wrong clock. */
export const maxUnusedDays = 31;
/** So long after a gap the clock has shown that it goes on, and maintenance goes on too. */
const holdDays = 7;

/** State of the clock of this machine; of the whole data folder, in the global store. Times are ISO-8601 UTC. */
export interface ClockState {
  /** The latest time at which a program used the memory. */
  readonly seen: string;
  /** A time without use that no person has confirmed. */
  readonly gap?: ClockGap;
  /** Times after `seen` up to this one were written by a clock that has been put right. */
  readonly disproved?: string;
}

export interface ClockGap {
  readonly from: string;
  readonly to: string;
  /** Time that does not count, in milliseconds: of this gap, and of earlier ones that were not confirmed either. */
  readonly skippedMs: number;
}

/** Id of the record of kind `state`. */
export const clockStateId = 'clock';

/** The state after a use at `now`. */
export function observeClock(state: ClockState | undefined, now: Date): ClockState {
  const at = now.toISOString();
  if (state === undefined) return { seen: at };
  const { seen, gap } = state;
  const unusedMs = now.getTime() - Date.parse(seen);
  if (unusedMs > maxUnusedDays * dayMs) {
    const skippedMs = unusedMs + (gap?.skippedMs ?? 0);
    return { seen: at, gap: { from: gap?.from ?? seen, to: at, skippedMs } };
  }
  // The clock was put right.
  const isRight = gap !== undefined && at < gap.to && now.getTime() - Date.parse(gap.from) <= maxUnusedDays * dayMs;
  if (isRight) return { seen: at };
  return at > seen ? { ...state, seen: at } : state;
}

/** The time by which memories age: the clock's, without a gap that no person has confirmed. */
export function agingTime(state: ClockState | undefined, now: Date): Date {
  const { gap } = observeClock(state, now);
  if (gap === undefined) return now;
  const end = Math.max(now.getTime() - gap.skippedMs, Date.parse(gap.from));
  return new Date(Math.min(now.getTime(), end));
}

/** Whether nothing may be archived or deleted yet, because the clock may be wrong. */
export function isUpkeepHeld(state: ClockState | undefined, now: Date): boolean {
  const { gap } = observeClock(state, now);
  return gap !== undefined && now.getTime() - Date.parse(gap.to) < holdDays * dayMs;
}
