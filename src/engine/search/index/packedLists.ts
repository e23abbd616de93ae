import { grow, nextCapacity, minCapacity, readArray, type SerializedIndex, type IndexReader } from './typedArrays.js';

/** One list of 16-bit numbers per position, in compressed sparse row layout. */
export class Uint16Lists {
  private values = new Uint16Array(4 * minCapacity);
  /** By position: where its list begins, and the previous one ends, in `values`. */
  private offsets = new Uint32Array(minCapacity);
  private count = 0;

  /** Adds the list of the next position. */
  add(numbers: ArrayLike<number>): void {
    const start = this.offsets[this.count]!;
    const end = start + numbers.length;
    if (end > this.values.length) this.values = grow(this.values, nextCapacity(end, this.values.length));
    this.values.set(numbers, start);
    if (++this.count === this.offsets.length)
      this.offsets = grow(this.offsets, nextCapacity(this.count + 1, this.count));
    this.offsets[this.count] = end;
  }

  /** A view; valid until the next change. */
  get(position: number): Uint16Array {
    return this.values.subarray(this.offsets[position], this.offsets[position + 1]);
  }

  /** Overwrites a list with zeros, so that nothing of a deleted memory is serialized. */
  clear(position: number): void {
    this.get(position).fill(0);
  }

  /** @param name prefix of the arrays' names */
  serialize(name: string): SerializedIndex['arrays'] {
    return {
      [name]: this.values.subarray(0, this.offsets[this.count]),
      [`${name}Starts`]: this.offsets.subarray(0, this.count + 1),
    };
  }

  restore(reader: IndexReader, name: string): void {
    this.values = readArray(reader, name, Uint16Array).array;
    const { array, length } = readArray(reader, `${name}Starts`, Uint32Array);
    this.offsets = array;
    this.count = length - 1;
  }
}
