import { setTimeout as pause } from 'node:timers/promises';

const stepMs = 50;
/** Ends a wait that hangs; below the limit of a test, so that the error names the state. */
const defaultTimeoutMs = 120_000;

/**
 * Waits until a probe returns something other than false, null or undefined, and returns that value. A probe that throws
 * is tried again.
 * @param what names the state in the error
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T> | T,
  timeoutMs = defaultTimeoutMs,
): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + timeoutMs;
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
  throw new Error(`Not within ${timeoutMs / 1000} s: ${what}.`, { cause: reason });
}
