import { EngineError } from './errors.js';

/** @throws EngineError aborted, when `signal` is aborted */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}

/**
 * Returns the result of `work`, or rejects as soon as `signal` aborts. The work itself goes on until it next calls
 * {@link throwIfAborted}; its result is then ignored.
 * @throws EngineError aborted, and whatever `work` throws
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = (): void => undefined;
  const whenAborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(abortError(signal));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([work, whenAborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function abortError(signal: AbortSignal): EngineError {
  return new EngineError('aborted', 'It was cancelled, and nothing was changed.', { cause: signal.reason });
}
