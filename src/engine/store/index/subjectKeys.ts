import { grown, roomFor, smallest, unpacked, type Packed, type Unpacking } from './columns.js';

/** Entries of one chain that are looked at: a key that this many share tells nothing apart. */
const longestWalk = 2_000;

/**
 * Which memories speak of what (`Statement.keys`), newest first: chains of entries in flat arrays, 16 bytes an entry. Keys
 * are hashes; two that share one give a candidate too many, which the comparison then finds unrelated.
 */
export class SubjectKeys {
  private count = 0;
  // By entry, in the order of adding.
  private hashes = new Uint32Array(smallest);
  private positions = new Uint32Array(smallest);
  /** The entry before in the same chain, plus 1; 0 at its end. */
  private previous = new Uint32Array(smallest);
  /** By the lowest bits of the hash: the chain's last entry, plus 1. A power of two. */
  private heads = new Uint32Array(smallest);

  get entries(): number {
    return this.count;
  }

  add(keys: readonly string[], position: number): void {
    for (const key of keys) this.append(hash(key), position);
  }

  /** Positions of up to `atMost` memories with this key that are wanted, the last added first. */
  find(key: string, atMost: number, isWanted: (position: number) => boolean): number[] {
    const wanted = hash(key);
    const found: number[] = [];
    let entry = this.heads[wanted & (this.heads.length - 1)]!;
    for (let left = longestWalk; entry > 0 && left > 0 && found.length < atMost; left--) {
      const position = this.positions[entry - 1]!;
      if (this.hashes[entry - 1] === wanted && isWanted(position)) found.push(position);
      entry = this.previous[entry - 1]!;
    }
    return found;
  }

  /** Takes all entries of these positions out. Walks through everything: drop many at once. */
  drop(positions: ReadonlySet<number>): void {
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (positions.has(this.positions[i]!)) continue;
      this.hashes[kept] = this.hashes[i]!;
      this.positions[kept++] = this.positions[i]!;
    }
    this.hashes.fill(0, kept, this.count);
    this.positions.fill(0, kept, this.count);
    this.count = kept;
    this.chain(this.heads.length);
  }

  pack(): Packed['arrays'] {
    return {
      keyHashes: this.hashes.subarray(0, this.count),
      keyPositions: this.positions.subarray(0, this.count),
    };
  }

  unpack(from: Unpacking): void {
    ({ array: this.hashes, length: this.count } = unpacked(from, 'keyHashes', Uint32Array));
    this.positions = grown(unpacked(from, 'keyPositions', Uint32Array).array, this.hashes.length);
    let size = this.heads.length;
    while (size < this.count) size *= 2;
    this.previous = new Uint32Array(this.hashes.length);
    this.chain(size);
  }

  private append(key: number, position: number): void {
    const entry = this.count++;
    if (entry === this.hashes.length) {
      const room = roomFor(this.count, entry);
      this.hashes = grown(this.hashes, room);
      this.positions = grown(this.positions, room);
      this.previous = grown(this.previous, room);
    }
    this.hashes[entry] = key;
    this.positions[entry] = position;
    if (this.count > this.heads.length) this.chain(this.heads.length * 2);
    else this.link(entry);
  }

  /** Links every entry anew. */
  private chain(size: number): void {
    this.heads = new Uint32Array(size);
    for (let entry = 0; entry < this.count; entry++) this.link(entry);
  }

  private link(entry: number): void {
    const slot = this.hashes[entry]! & (this.heads.length - 1);
    this.previous[entry] = this.heads[slot]!;
    this.heads[slot] = entry + 1;
  }
}

/** FNV-1a, with its bits mixed so that the lowest ones differ too (Murmur's last step). */
function hash(text: string): number {
  let it = 2166136261;
  for (let i = 0; i < text.length; i++) it = Math.imul(it ^ text.charCodeAt(i), 16777619);
  it = Math.imul(it ^ (it >>> 16), 0x85ebca6b);
  it = Math.imul(it ^ (it >>> 13), 0xc2b2ae35);
  return (it ^ (it >>> 16)) >>> 0;
}
