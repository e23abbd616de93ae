import { grown, roomFor, smallest, unpacked, type Packed, type Unpacking } from './columns.js';

/**
 * Numbers for terms, from 0, by the terms' 64-bit hashes: a hash table in flat arrays, a sixth of the memory of a map of
 * strings, and read from a file as it is. Two of a million terms share a hash with a probability of 1 in 40 million.
 */
export class TermTable {
  private count = 0;
  private low = new Uint32Array(smallest);
  private high = new Uint32Array(smallest);
  /** Open addressing: the term's number plus 1, or 0; a power of two, at most half full. */
  private slots = new Uint32Array(2 * smallest);

  get size(): number {
    return this.count;
  }

  /** -1 where there is no such term. */
  find(term: string): number {
    hash(term);
    return this.slots[this.slotOf(hashed.low, hashed.high)]! - 1;
  }

  findOrAdd(term: string): number {
    hash(term);
    const { low, high } = hashed;
    const slot = this.slotOf(low, high);
    const known = this.slots[slot]!;
    if (known !== 0) return known - 1;
    const number = this.count++;
    if (number === this.low.length) {
      this.low = grown(this.low, roomFor(this.count, number));
      this.high = grown(this.high, roomFor(this.count, number));
    }
    this.low[number] = low;
    this.high[number] = high;
    this.slots[slot] = this.count;
    if (this.count * 2 > this.slots.length) this.spread(this.slots.length * 2);
    return number;
  }

  pack(): Packed['arrays'] {
    return { termsLow: this.low.subarray(0, this.count), termsHigh: this.high.subarray(0, this.count) };
  }

  unpack(from: Unpacking): void {
    const low = unpacked(from, 'termsLow', Uint32Array);
    this.low = low.array;
    this.high = grown(unpacked(from, 'termsHigh', Uint32Array).array, this.low.length);
    this.count = low.length;
    let slots = this.slots.length;
    while (slots < this.count * 2) slots *= 2;
    this.spread(slots);
  }

  private spread(size: number): void {
    this.slots = new Uint32Array(size);
    for (let i = 0; i < this.count; i++) this.slots[this.slotOf(this.low[i]!, this.high[i]!)] = i + 1;
  }

  /** Where the term is, or would be. */
  private slotOf(low: number, high: number): number {
    const mask = this.slots.length - 1;
    for (let slot = (low ^ high) & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot]! - 1;
      if (number < 0 || (this.low[number] === low && this.high[number] === high)) return slot;
    }
  }
}

/** Of the last call of `hash`: two numbers without an object for each. */
const hashed = { low: 0, high: 0 };

/** cyrb53's two 32-bit halves, by bryc (public domain). */
function hash(text: string): void {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  hashed.low = low >>> 0;
  hashed.high = high >>> 0;
}
