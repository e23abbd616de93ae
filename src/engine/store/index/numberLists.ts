import { grown, roomFor, smallest, unpacked, type Packed, type Unpacking } from './columns.js';

/** A list of numbers below 65,536 for each memory, by position: 2 bytes a number and 4 a memory. */
export class NumberLists {
  private pool = new Uint16Array(4 * smallest);
  /** Where each position's numbers begin in the pool; those of one end where those of the next begin. */
  private starts = new Uint32Array(smallest);
  private count = 0;

  /** Adds the next position. */
  add(numbers: ArrayLike<number>): void {
    const from = this.starts[this.count]!;
    const to = from + numbers.length;
    if (to > this.pool.length) this.pool = grown(this.pool, roomFor(to, this.pool.length));
    this.pool.set(numbers, from);
    if (++this.count === this.starts.length) this.starts = grown(this.starts, roomFor(this.count + 1, this.count));
    this.starts[this.count] = to;
  }

  /** Valid until the next change. */
  get(position: number): Uint16Array {
    return this.pool.subarray(this.starts[position], this.starts[position + 1]);
  }

  /** Leaves nothing of a memory that is gone. */
  clear(position: number): void {
    this.get(position).fill(0);
  }

  /** @param name of the arrays */
  pack(name: string): Packed['arrays'] {
    return {
      [name]: this.pool.subarray(0, this.starts[this.count]),
      [`${name}Starts`]: this.starts.subarray(0, this.count + 1),
    };
  }

  unpack(from: Unpacking, name: string): void {
    this.pool = unpacked(from, name, Uint16Array).array;
    const { array, length } = unpacked(from, `${name}Starts`, Uint32Array);
    this.starts = array;
    this.count = length - 1;
  }
}
