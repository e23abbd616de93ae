import { grown, roomFor, smallest, unpacked, type Packed, type Unpacking } from './columns.js';

/**
 * The tokens of each memory's text, by position, each once and in no order: what a question is compared with closely, so
 * that no text is read for it. Positions are added in their order; 2 bytes a token and 4 a memory.
 */
export class TokenLists {
  private pool = new Uint16Array(4 * smallest);
  /** Where each position's tokens begin in the pool; those of one end where those of the next begin. */
  private starts = new Uint32Array(smallest);
  private count = 0;

  /** Adds the next position. @param tokens numbers below 65,536 */
  add(tokens: readonly number[]): void {
    const distinct = Uint16Array.from(new Set(tokens)).sort();
    const from = this.starts[this.count]!;
    const to = from + distinct.length;
    if (to > this.pool.length) this.pool = grown(this.pool, roomFor(to, this.pool.length));
    this.pool.set(distinct, from);
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

  pack(): Packed['arrays'] {
    return {
      tokens: this.pool.subarray(0, this.starts[this.count]),
      tokenStarts: this.starts.subarray(0, this.count + 1),
    };
  }

  unpack(from: Unpacking): void {
    this.pool = unpacked(from, 'tokens', Uint16Array).array;
    const { array, length } = unpacked(from, 'tokenStarts', Uint32Array);
    this.starts = array;
    this.count = length - 1;
  }
}
