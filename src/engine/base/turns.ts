import { setImmediate } from 'node:timers/promises';

/** For so long a piece of work keeps others waiting. */
const turnMs = 8;
/** Items that are sorted in one go: some milliseconds. */
const sortedAtOnce = 2_048;

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

  /** The items in order, as `Array.sort` would have it; a merge sort that keeps nobody waiting. */
  async sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
    let runs: T[][] = [];
    for (let from = 0; from < items.length; from += sortedAtOnce) {
      runs.push(items.slice(from, from + sortedAtOnce).sort(compare));
      if (this.isOver()) await this.next();
    }
    while (runs.length > 1) {
      const longer: T[][] = [];
      for (let i = 0; i < runs.length; i += 2) longer.push(await this.merged(runs[i]!, runs[i + 1] ?? [], compare));
      runs = longer;
    }
    return runs[0] ?? [];
  }

  private async merged<T>(one: readonly T[], other: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
    const all: T[] = [];
    for (let i = 0, j = 0; i < one.length || j < other.length;) {
      const isFromOne = j >= other.length || (i < one.length && compare(one[i]!, other[j]!) <= 0);
      all.push(isFromOne ? one[i++]! : other[j++]!);
      if (all.length % sortedAtOnce === 0 && this.isOver()) await this.next();
    }
    return all;
  }
}
