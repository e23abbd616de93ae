import { setTimeout as sleep } from 'node:timers/promises';

/** Timeouts and retries of requests to a language model. */
export interface RetryPolicy {
  /** Time limit for a complete answer. */
  readonly timeoutMs: number;
  /** Attempts per request, including the first. */
  readonly maxAttempts: number;
  /** Pause before the second attempt where the provider names none; doubles with each attempt. */
  readonly initialBackoffMs: number;
  /** Where the provider asks for a longer pause, the request is not retried but deferred. */
  readonly maxBackoffMs: number;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const defaultRetryPolicy: RetryPolicy = {
  // The longest expected answers, some thousand tokens, take well under a minute.
  timeoutMs: 120_000,
  maxAttempts: 4,
  initialBackoffMs: 1_000,
  maxBackoffMs: 30_000,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
