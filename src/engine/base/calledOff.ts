import { EngineError } from './errors.js';

/** @throws EngineError aborted, when `signal` has said so */
export function throwIfCalledOff(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw calledOff(signal);
}

/**
 * What `work` gives, or, as soon as `signal` says so, an error: whoever called it off waits for nothing. The work itself
 * goes on to its next step, where it is to ask {@link throwIfCalledOff}; what becomes of it then is nobody's concern.
 * @throws EngineError aborted, and what `work` throws
 */
export async function unlessCalledOff<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      reject(calledOff(signal));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function calledOff(signal: AbortSignal): EngineError {
  return new EngineError('aborted', 'It was called off, and nothing was changed.', { cause: signal.reason });
}
