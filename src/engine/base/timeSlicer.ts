import { setImmediate } from 'node:timers/promises';

/** For so long a piece of work keeps others waiting. */
const sliceMs = 8;

/** Long work on a thread that others need too: it asks at each small step whether its turn is over, and lets them go on. */
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
