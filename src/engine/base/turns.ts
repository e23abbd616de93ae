import { setImmediate } from 'node:timers/promises';

/** For so long a piece of work keeps others waiting. */
const turnMs = 8;

/** Long work on a thread that others need too: it asks at each small step whether its turn is over, and lets them go on. */
export class Turns {
  private since = performance.now();

  isOver(): boolean {
    return performance.now() - this.since > turnMs;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.since = performance.now();
  }
}
