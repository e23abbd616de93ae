import { hashOf } from '../../text/hash.js';
import { smallest, unpacked, type Packed, type Unpacking } from './columns.js';

/** Entries of one bucket that are looked at: a key that this many share tells nothing apart. */
const longestWalk = 2_000;
/** Entries to a bucket, on average at least. */
const perBucket = 4;
/** New entries that are not sorted in yet: one in so many, and always some. */
const lateShare = 16;
const lateAtLeast = 1_024;

/**
 * Which memories speak of what (`Statement.keys`): entries of a key's hash and a position, sorted into buckets by the lowest
 * bits of the hash, 9 bytes an entry. Two keys that share a hash give a candidate too many, which the comparison then finds
 * unrelated.
 */
export class SubjectKeys {
  /** By bucket: where its entries begin, and after the last one where they end. A power of two, and one more. */
  private starts = new Uint32Array(smallest + 1);
  // By entry; those of one hash in the order of adding.
  private hashes = new Uint32Array(0);
  private positions = new Uint32Array(0);
  /** What was added since: by hash, the positions in the order of adding. */
  private readonly late = new Map<number, number[]>();
  private lateCount = 0;

  add(keys: readonly string[], position: number): void {
    for (const it of keys) {
      const key = hashOf(it);
      const its = this.late.get(key);
      if (its === undefined) this.late.set(key, [position]);
      else its.push(position);
    }
    this.lateCount += keys.length;
    if (this.lateCount > Math.max(lateAtLeast, this.hashes.length / lateShare)) this.sort();
  }

  /** Positions of up to `atMost` memories with this key that are wanted, the last added first. */
  find(key: string, atMost: number, isWanted: (position: number) => boolean): number[] {
    const wanted = hashOf(key);
    const found: number[] = [];
    const late = this.late.get(wanted);
    let left = longestWalk;
    for (let i = (late?.length ?? 0) - 1; i >= 0 && left > 0 && found.length < atMost; i--, left--) {
      if (isWanted(late![i]!)) found.push(late![i]!);
    }
    const { starts, hashes, positions } = this;
    const bucket = wanted & (starts.length - 2);
    const start = starts[bucket]!;
    for (let i = starts[bucket + 1]! - 1; i >= start && left > 0 && found.length < atMost; i--, left--) {
      if (hashes[i] === wanted && isWanted(positions[i]!)) found.push(positions[i]!);
    }
    return found;
  }

  /** Takes all entries of these positions out. Walks through everything: drop many at once. */
  drop(positions: ReadonlySet<number>): void {
    this.sort();
    let last = 0;
    for (const it of positions) last = Math.max(last, it);
    const gone = new Uint8Array(last + 1);
    for (const it of positions) gone[it] = 1;
    const { starts, hashes, positions: all } = this;
    let kept = 0;
    let from = 0;
    for (let bucket = 0; bucket + 1 < starts.length; bucket++) {
      const end = starts[bucket + 1]!;
      for (let i = from; i < end; i++) {
        const position = all[i]!;
        if (position < gone.length && gone[position] === 1) continue;
        hashes[kept] = hashes[i]!;
        all[kept++] = position;
      }
      from = end;
      starts[bucket + 1] = kept;
    }
    this.hashes = hashes.subarray(0, kept);
    this.positions = all.subarray(0, kept);
  }

  pack(): Packed['arrays'] {
    this.sort();
    return { keyStarts: this.starts, keyHashes: this.hashes, keyPositions: this.positions };
  }

  unpack(from: Unpacking): void {
    this.starts = exactly(from, 'keyStarts');
    this.hashes = exactly(from, 'keyHashes');
    this.positions = exactly(from, 'keyPositions');
  }

  /** Sorts in what was added since. */
  private sort(): void {
    if (this.lateCount === 0) return;
    const sorted = this.hashes.length;
    const count = sorted + this.lateCount;
    let buckets = smallest;
    while (buckets * 2 * perBucket <= count) buckets *= 2;
    const lowest = buckets - 1;
    const starts = new Uint32Array(buckets + 1);
    for (let i = 0; i < sorted; i++) starts[(this.hashes[i]! & lowest) + 1]!++;
    for (const [key, its] of this.late) starts[(key & lowest) + 1]! += its.length;
    for (let i = 0; i < buckets; i++) starts[i + 1]! += starts[i]!;

    const hashes = new Uint32Array(count);
    const positions = new Uint32Array(count);
    const next = starts.slice();
    for (let i = 0; i < sorted; i++) {
      const at = next[this.hashes[i]! & lowest]!++;
      hashes[at] = this.hashes[i]!;
      positions[at] = this.positions[i]!;
    }
    for (const [key, its] of this.late) {
      for (const it of its) {
        const at = next[key & lowest]!++;
        hashes[at] = key;
        positions[at] = it;
      }
    }
    this.starts = starts;
    this.hashes = hashes;
    this.positions = positions;
    this.late.clear();
    this.lateCount = 0;
  }
}

function exactly(from: Unpacking, name: string): Uint32Array<ArrayBuffer> {
  const { array, length } = unpacked(from, name, Uint32Array);
  return array.subarray(0, length);
}
