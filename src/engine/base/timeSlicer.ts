import { setImmediate } from 'node:timers/promises';

/** Longest time that one slice blocks the event loop. */
const sliceMs = 8;

/** Cooperative scheduling of long work on a shared thread: check `shouldYield` at each small step, then await `yield`. */
export class TimeSlicer {
  private sliceStart = performance.now();

  shouldYield(): boolean {
    return performance.now() - this.sliceStart > sliceMs;
  }

  async yield(): Promise<void> {
    await setImmediate();
    this.sliceStart = performance.now();
  }
}
