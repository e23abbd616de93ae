import { setTimeout as sleep } from 'node:timers/promises';

/** When a request is tried again; for calls of language models and for downloads. */
export interface RetryPolicy {
  /** A language model has to answer completely within this time; a download has to receive a byte. */
  readonly timeoutMs: number;
  /** Attempts of one request, the first included; a download counts from its last byte. */
  readonly maxAttempts: number;
  /** Pause before the second attempt; it doubles with each further one. */
  readonly initialBackoffMs: number;
  /** Longest pause, also if the server asks for a longer one. A language model's work is then deferred. */
  readonly maxBackoffMs: number;
  /** Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const abortableSleep: RetryPolicy['sleep'] = (ms, signal) => sleep(ms, undefined, { signal });

export const defaultRetryPolicy: RetryPolicy = {
  // The longest answers requested, of some thousand tokens, take well under a minute.
  timeoutMs: 120_000,
  maxAttempts: 4,
  initialBackoffMs: 1_000,
  maxBackoffMs: 30_000,
  sleep: abortableSleep,
};

export const downloadRetryPolicy: RetryPolicy = {
  timeoutMs: 30_000,
  maxAttempts: 5,
  initialBackoffMs: 1_000,
  maxBackoffMs: 60_000,
  sleep: abortableSleep,
};

/** The pause after an attempt, counted from 1, if the server names none. */
export function backoffMs({ initialBackoffMs }: RetryPolicy, attempt: number): number {
  return initialBackoffMs * 2 ** (attempt - 1);
}
