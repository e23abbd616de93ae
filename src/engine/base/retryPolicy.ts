import { setTimeout as sleep } from 'node:timers/promises';

/** How patient a call of a language model is. */
export interface RetryPolicy {
  /** An answer that is not there whole by then is not waited for. */
  readonly timeoutMs: number;
  /** Tries of one request, the first included. */
  readonly maxAttempts: number;
  /** Pause before the second try where the provider names none; each next one is twice as long. */
  readonly initialBackoffMs: number;
  /** A provider that asks for a longer pause is not waited for: the work waits instead of the call. */
  readonly maxBackoffMs: number;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const defaultRetryPolicy: RetryPolicy = {
  // The longest answers that are asked for here, some thousand tokens, take well under a minute.
  timeoutMs: 120_000,
  maxAttempts: 4,
  initialBackoffMs: 1_000,
  maxBackoffMs: 30_000,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
