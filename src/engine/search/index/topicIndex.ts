import { hashText } from '../../text/hash.js';
import { minCapacity, readArray, type SerializedIndex, type IndexReader } from './typedArrays.js';

/** Entries scanned per lookup: a key shared by this many memories does not distinguish them. */
const maxBucketScan = 2_000;
/** Average entries per bucket, at least. */
const minEntriesPerBucket = 4;
/** New entries are merged when they exceed 1/16 of the sorted ones, and the minimum below. */
const unsortedDivisor = 16;
const minUnsortedToSort = 1_024;

/**
 * Memories by topic key: a posting list of key hashes and positions, sorted into buckets by the lowest bits of the hash, 9
 * bytes an entry. Keys whose hashes collide yield extra candidates, which the comparison then finds unrelated.
 */
export class TopicIndex {
  /** By bucket: where its entries begin. A power of two of buckets, and the end of the last one. */
  private starts = new Uint32Array(minCapacity + 1);
  // By entry; entries of one hash are in the order in which they were added.
  private hashes = new Uint32Array(0);
  private positions = new Uint32Array(0);
  /** Entries since the last merge: positions by hash, in the order in which they were added. */
  private readonly unsorted = new Map<number, number[]>();
  private unsortedCount = 0;

  add(keys: readonly string[], position: number): void {
    for (const it of keys) {
      const key = hashText(it);
      const entries = this.unsorted.get(key);
      if (entries === undefined) this.unsorted.set(key, [position]);
      else entries.push(position);
    }
    this.unsortedCount += keys.length;
    if (this.unsortedCount > Math.max(minUnsortedToSort, this.hashes.length / unsortedDivisor)) this.mergeUnsorted();
  }

  /** The wanted positions with this key, at most `limit`, the last added first. */
  find(key: string, limit: number, isWanted: (position: number) => boolean): number[] {
    const hash = hashText(key);
    const found: number[] = [];
    const unsorted = this.unsorted.get(hash);
    let remainingScans = maxBucketScan;
    for (
      let i = (unsorted?.length ?? 0) - 1;
      i >= 0 && remainingScans > 0 && found.length < limit;
      i--, remainingScans--
    ) {
      if (isWanted(unsorted![i]!)) found.push(unsorted![i]!);
    }
    const { starts, hashes, positions } = this;
    const bucket = hash & (starts.length - 2);
    const start = starts[bucket]!;
    for (
      let i = starts[bucket + 1]! - 1;
      i >= start && remainingScans > 0 && found.length < limit;
      i--, remainingScans--
    ) {
      if (hashes[i] === hash && isWanted(positions[i]!)) found.push(positions[i]!);
    }
    return found;
  }

  /** Removes the entries of the positions. Takes time linear in all entries, so pass many positions at once. */
  removePositions(positions: ReadonlySet<number>): void {
    this.mergeUnsorted();
    let last = 0;
    for (const it of positions) last = Math.max(last, it);
    const removed = new Uint8Array(last + 1);
    for (const it of positions) removed[it] = 1;
    const { starts, hashes, positions: all } = this;
    let kept = 0;
    let from = 0;
    for (let bucket = 0; bucket + 1 < starts.length; bucket++) {
      const end = starts[bucket + 1]!;
      for (let i = from; i < end; i++) {
        const position = all[i]!;
        if (position < removed.length && removed[position] === 1) continue;
        hashes[kept] = hashes[i]!;
        all[kept++] = position;
      }
      from = end;
      starts[bucket + 1] = kept;
    }
    this.hashes = hashes.subarray(0, kept);
    this.positions = all.subarray(0, kept);
  }

  serialize(): SerializedIndex['arrays'] {
    this.mergeUnsorted();
    return { keyStarts: this.starts, keyHashes: this.hashes, keyPositions: this.positions };
  }

  restore(reader: IndexReader): void {
    this.starts = readExactArray(reader, 'keyStarts');
    this.hashes = readExactArray(reader, 'keyHashes');
    this.positions = readExactArray(reader, 'keyPositions');
  }

  /** Merges the new entries into the buckets by a counting sort. */
  private mergeUnsorted(): void {
    if (this.unsortedCount === 0) return;
    const sorted = this.hashes.length;
    const count = sorted + this.unsortedCount;
    let buckets = minCapacity;
    while (buckets * 2 * minEntriesPerBucket <= count) buckets *= 2;
    const bucketMask = buckets - 1;
    const starts = new Uint32Array(buckets + 1);
    for (let i = 0; i < sorted; i++) starts[(this.hashes[i]! & bucketMask) + 1]!++;
    for (const [key, added] of this.unsorted) starts[(key & bucketMask) + 1]! += added.length;
    for (let i = 0; i < buckets; i++) starts[i + 1]! += starts[i]!;

    const hashes = new Uint32Array(count);
    const positions = new Uint32Array(count);
    const next = starts.slice();
    for (let i = 0; i < sorted; i++) {
      const at = next[this.hashes[i]! & bucketMask]!++;
      hashes[at] = this.hashes[i]!;
      positions[at] = this.positions[i]!;
    }
    for (const [key, added] of this.unsorted) {
      for (const it of added) {
        const at = next[key & bucketMask]!++;
        hashes[at] = key;
        positions[at] = it;
      }
    }
    this.starts = starts;
    this.hashes = hashes;
    this.positions = positions;
    this.unsorted.clear();
    this.unsortedCount = 0;
  }
}

function readExactArray(reader: IndexReader, name: string): Uint32Array<ArrayBuffer> {
  const { array, length } = readArray(reader, name, Uint32Array);
  return array.subarray(0, length);
}
