import { setTimeout as pause } from 'node:timers/promises';

const stepMs = 50;
/** Generous, because two windows may share two cores; a state that comes sooner costs no more time. */
const usualLimitMs = 30_000;

/**
 * Repeats a probe until its result is not false, null or undefined, and returns that. An exception counts as undefined.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T> | T,
  limitMs = usualLimitMs,
): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + limitMs;
  let reason: unknown;
  do {
    try {
      const answer = await probe();
      if (answer !== false && answer !== null && answer !== undefined) {
        return answer as Exclude<T, false | null | undefined>;
      }
      reason = undefined;
    } catch (error) {
      reason = error;
    }
    await pause(stepMs);
  } while (Date.now() < end);
  throw new Error(`Not within ${limitMs / 1000} s: ${what}.`, { cause: reason });
}
