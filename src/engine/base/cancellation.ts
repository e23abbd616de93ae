import { EngineError } from './errors.js';

/** @throws EngineError aborted, when `signal` has said so */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}

/**
 * What `work` gives, or, as soon as `signal` says so, an error: whoever called it off waits for nothing. The work itself
 * goes on to its next step, where it is to ask {@link throwIfAborted}; what becomes of it then is nobody's concern.
 * @throws EngineError aborted, and what `work` throws
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
  return new EngineError('aborted', 'It was called off, and nothing was changed.', { cause: signal.reason });
}
