import { setFlagsFromString } from 'node:v8';

/**
 * Stops the young generation of this process from growing to 32 MB, which V8 never gives back: the garbage of a call is gone by
 * the next one. V8 restores its own factor with each new isolate, so that it is set again after a thread has started.
 */
export function limitYoungGeneration(): void {
  const limit = (): void => {
    setFlagsFromString('--semi-space-growth-factor=1');
  };
  limit();
  process.on('worker', worker => worker.once('online', limit));
}
