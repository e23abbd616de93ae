import { grow, nextCapacity, minCapacity, readArray, type SerializedIndex, type IndexReader } from './typedArrays.js';

/**
 * Numbers terms from 0, by their 64-bit hashes: a hash table in flat arrays, which takes a sixth of the memory of a map of
 * strings and is read from a file as it is. The probability that two of a million terms share a hash is 1 in 40 million.
 */
export class TermDictionary {
  private count = 0;
  private lowHashes = new Uint32Array(minCapacity);
  private highHashes = new Uint32Array(minCapacity);
  /** Open addressing: term number plus 1, or 0. The length is a power of two, at most half of it used. */
  private slots = new Uint32Array(2 * minCapacity);

  get size(): number {
    return this.count;
  }

  /** The number of a term, or -1. */
  find(term: string): number {
    hashTerm(term);
    return this.slots[this.slotOf(lastHash.low, lastHash.high)]! - 1;
  }

  findOrAdd(term: string): number {
    hashTerm(term);
    const { low, high } = lastHash;
    const slot = this.slotOf(low, high);
    const entry = this.slots[slot]!;
    if (entry !== 0) return entry - 1;
    const termId = this.count++;
    if (termId === this.lowHashes.length) {
      this.lowHashes = grow(this.lowHashes, nextCapacity(this.count, termId));
      this.highHashes = grow(this.highHashes, nextCapacity(this.count, termId));
    }
    this.lowHashes[termId] = low;
    this.highHashes[termId] = high;
    this.slots[slot] = this.count;
    if (this.count * 2 > this.slots.length) this.rehash(this.slots.length * 2);
    return termId;
  }

  serialize(): SerializedIndex['arrays'] {
    return { termsLow: this.lowHashes.subarray(0, this.count), termsHigh: this.highHashes.subarray(0, this.count) };
  }

  restore(reader: IndexReader): void {
    const low = readArray(reader, 'termsLow', Uint32Array);
    this.lowHashes = low.array;
    this.highHashes = grow(readArray(reader, 'termsHigh', Uint32Array).array, this.lowHashes.length);
    this.count = low.length;
    let slots = this.slots.length;
    while (slots < this.count * 2) slots *= 2;
    this.rehash(slots);
  }

  private rehash(size: number): void {
    this.slots = new Uint32Array(size);
    for (let i = 0; i < this.count; i++) this.slots[this.slotOf(this.lowHashes[i]!, this.highHashes[i]!)] = i + 1;
  }

  /** The slot of a term, or the empty slot where it belongs. */
  private slotOf(low: number, high: number): number {
    const mask = this.slots.length - 1;
    for (let slot = (low ^ high) & mask; ; slot = (slot + 1) & mask) {
      const termId = this.slots[slot]! - 1;
      if (termId < 0 || (this.lowHashes[termId] === low && this.highHashes[termId] === high)) return slot;
    }
  }
}

/** Result of the last call of `hashTerm`, reused to avoid an allocation per term. */
const lastHash = { low: 0, high: 0 };

/** The two 32-bit halves of cyrb53, by bryc (public domain). */
function hashTerm(text: string): void {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  lastHash.low = low >>> 0;
  lastHash.high = high >>> 0;
}
