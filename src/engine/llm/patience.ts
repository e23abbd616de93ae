import { setTimeout as sleep } from 'node:timers/promises';

/** How patient a call of a language model is. */
export interface Patience {
  /** An answer that is not there whole by then is not waited for. */
  readonly timeoutMs: number;
  /** Tries of one request, the first included. */
  readonly attempts: number;
  /** Pause before the second try where the provider names none; each next one is twice as long. */
  readonly retryMs: number;
  /** A provider that asks for a longer pause is not waited for: the work waits instead of the call. */
  readonly longestPauseMs: number;
  /** Rejects when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const defaultPatience: Patience = {
  // The longest answers that are asked for here, some thousand tokens, take well under a minute.
  timeoutMs: 120_000,
  attempts: 4,
  retryMs: 1_000,
  longestPauseMs: 30_000,
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
};
