import { grown, roomFor, smallest } from './columns.js';

/** A list of numbers below 65,536 for each memory, by position: 2 bytes a number and 4 a memory. */
export class NumberLists {
  protected pool = new Uint16Array(4 * smallest);
  /** Where each position's numbers begin in the pool; those of one end where those of the next begin. */
  protected starts = new Uint32Array(smallest);
  protected count = 0;

  /** Adds the next position. */
  add(numbers: ArrayLike<number>): void {
    const from = this.starts[this.count]!;
    const to = from + numbers.length;
    if (to > this.pool.length) this.pool = grown(this.pool, roomFor(to, this.pool.length));
    this.pool.set(numbers, from);
    if (++this.count === this.starts.length) this.starts = grown(this.starts, roomFor(this.count + 1, this.count));
    this.starts[this.count] = to;
  }

  /** Adds positions without numbers up to this one, exclusive. */
  skipTo(position: number): void {
    if (position >= this.starts.length) this.starts = grown(this.starts, roomFor(position + 1, this.starts.length));
    this.starts.fill(this.starts[this.count]!, this.count, position + 1);
    this.count = position;
  }

  /** Valid until the next change. */
  get(position: number): Uint16Array {
    return this.pool.subarray(this.starts[position], this.starts[position + 1]);
  }

  /** Leaves nothing of a memory that is gone. */
  clear(position: number): void {
    this.get(position).fill(0);
  }
}
