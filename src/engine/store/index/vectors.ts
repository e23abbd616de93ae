import { quantisation } from '../../base/quantise.js';
import wasm from './dot.wat';

const pageBytes = 65_536;
const productBytes = 4;
/** Of the query, which the kernel takes wider than what it is compared with. */
const queryBytes = 2;
/** The kernel takes 16 lanes at a time. */
const lanes = 16;
/** It takes the signs of so many components at a time, and has a byte for each eight. */
const signLanes = 128;
const componentsPerSignByte = 8;
/** Standard deviations that the number of differing signs may be above its mean: more of them, and more is compared. */
const deviations = 3;
/** The same of a sum with a cosine that signs tell, for the best of many. */
const deviationsOfBest = 1.5;
/** In which such sums are counted: four units, in which hardly anything is above the last. */
const buckets = 256;
const bucketsPerUnit = 64;
const estimatedAtOnce = 1_024;
/** Of 32 bits. */
const largestFloat = 3.4e38;
/** Of a product of two components. */
const scale = 1 / (quantisation * quantisation);
type Products = (query: number, vectors: number, count: number, dimensions: number, out: number, scale: number) => void;

/** dot.wat */
interface Kernel {
  readonly dots: Products;
  readonly dotsOf: Products;
  readonly signs: (vectors: number, count: number, dimensions: number, out: number, bytes: number) => void;
  readonly alike: (query: number, signs: number, count: number, bytes: number, most: number, out: number) => number;
  readonly estimate: (
    query: number,
    signs: number,
    count: number,
    bytes: number,
    scores: number,
    table: number,
    buckets: number,
    last: number,
    perUnit: number,
    least: number,
  ) => void;
  readonly atLeast: (scores: number, end: number, least: number) => number;
}

/** What is said of some positions, in their order. */
export interface Cosines {
  readonly positions: Uint32Array;
  readonly cosines: Float32Array;
}

/** Compiled once. */
let compiled: WebAssembly.Module | undefined;

/**
 * int8 vectors of one dimension in one block of WebAssembly memory, scanned whole: 100,000 × 384 in about 2 ms. A
 * position without a vector holds zeros and scores 0.
 *
 * The block holds the query and its signs, what differing signs tell, the vectors, their signs (a bit a component, an
 * eighth as large), and what the kernel writes.
 */
export class VectorTable {
  private readonly memory: WebAssembly.Memory;
  private readonly kernel: Kernel;
  /** Bytes a vector takes. */
  private readonly stride: number;
  /** Bytes its signs take. */
  private readonly signStride: number;
  /** Where the vectors begin. */
  private readonly firstAt: number;
  /** Positions whose signs are written: the first ones. */
  private signed = 0;
  private view = new Int8Array();
  private capacity = 0;
  private count = 0;

  constructor(readonly dimensions: number) {
    this.stride = Math.ceil(dimensions / lanes) * lanes;
    this.signStride = Math.ceil(dimensions / signLanes) * (signLanes / componentsPerSignByte);
    this.firstAt = Math.ceil((this.bucketsAt + buckets * productBytes) / lanes) * lanes;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.firstAt / pageBytes) });
    const instance = new WebAssembly.Instance((compiled ??= new WebAssembly.Module(wasm)), {
      host: { memory: this.memory },
    });
    this.kernel = instance.exports as unknown as Kernel;
    const cosines = Float32Array.from({ length: dimensions + 1 }, (_, it) => Math.cos((Math.PI * it) / dimensions));
    new Float32Array(this.memory.buffer, this.cosinesAt, cosines.length).set(cosines);
  }

  get size(): number {
    return this.count;
  }

  /** Makes room for so many positions, if there are fewer; new ones hold zeros. */
  reserve(count: number): void {
    if (count > this.capacity) {
      const before = { at: this.signsAt(0), end: this.outputAt + this.capacity * productBytes };
      const signs = { at: before.at, end: this.signsAt(this.signed) };
      // A multiple of four, as many numbers as the kernel looks at at once.
      this.capacity = Math.ceil(Math.max(count, this.capacity * 1.5, 256) / 4) * 4;
      const wanted = Math.ceil((this.outputAt + this.capacity * productBytes) / pageBytes);
      const present = this.memory.buffer.byteLength / pageBytes;
      if (wanted > present) this.memory.grow(wanted - present);
      const { components } = this;
      components.copyWithin(this.signsAt(0), signs.at, signs.end);
      // They lay where vectors come now, and so did products; what was never written is not touched, and takes no memory.
      components.fill(0, before.at, Math.min(before.end, this.signsAt(0)));
    }
    this.count = Math.max(this.count, count);
  }

  /** @param vector int8 components, at most `dimensions`; undefined takes the vector away */
  set(position: number, vector: Int8Array | undefined): void {
    const { components } = this;
    const at = this.at(position);
    if (vector?.length === this.stride) components.set(vector, at);
    else {
      components.fill(0, at, at + this.stride);
      if (vector !== undefined) components.set(vector.subarray(0, this.dimensions), at);
    }
    if (position < this.signed) this.sign(position, 1);
  }

  get(position: number): Int8Array {
    return new Int8Array(this.memory.buffer, this.at(position), this.dimensions);
  }

  has(position: number): boolean {
    return this.get(position).some(it => it !== 0);
  }

  /** Cosines (-1 to 1) of `query` with every position. The array is valid until the next call of anything. */
  scan(query: Int8Array): Float32Array {
    this.ask(query);
    this.kernel.dots(0, this.at(0), this.count, this.stride, this.outputAt, scale);
    return new Float32Array(this.memory.buffer, this.outputAt, this.count);
  }

  /** The same with a few positions, none of them twice, in their order. */
  cosines(query: Int8Array, positions: ArrayLike<number>): Float32Array {
    this.ask(query);
    new Uint32Array(this.memory.buffer, this.outputAt, positions.length).set(positions);
    this.kernel.dotsOf(0, this.at(0), positions.length, this.stride, this.outputAt, scale);
    return new Float32Array(this.memory.buffer, this.outputAt, positions.length);
  }

  /**
   * The positions whose vectors may have a cosine of at least `least` with the query, ascending: those whose components
   * have mostly its signs, which is told from an eighth of the memory. Two vectors at an angle of a share p of 180° differ
   * in that share of their signs on average, with a variance of p(1-p) a component (Charikar 2002, for random directions).
   * @returns nearly all that have that cosine, others among them
   */
  alike(query: Int8Array, least: number): Uint32Array {
    this.askBySigns(query);
    const { dimensions, outputAt } = this;
    const share = Math.acos(least) / Math.PI;
    const most = Math.floor(dimensions * share + deviations * Math.sqrt(dimensions * share * (1 - share)));
    const end = this.kernel.alike(this.querySignsAt, this.signsAt(0), this.count, this.signStride, most, outputAt);
    return new Uint32Array(this.memory.buffer.slice(outputAt, end));
  }

  /**
   * The positions that the `count` best by their score and their cosine with the query together may be among, ascending,
   * with their cosines. Only those are compared whole whose sum comes close to the best by a cosine that their signs tell.
   * @param scores of each position, as many as the table has; -Infinity for one that is not wanted
   * @returns nearly all of the best, others among them
   */
  mayBeBest(query: Int8Array, scores: Float32Array, count: number): Cosines {
    this.askBySigns(query);
    const { kernel, outputAt, signStride, bucketsAt } = this;
    const { buffer } = this.memory;
    // Room for a multiple of four.
    const sums = new Float32Array(buffer, outputAt, Math.ceil(this.count / 4) * 4).fill(-Infinity, this.count);
    sums.set(scores);
    const counts = new Uint32Array(buffer, bucketsAt, buckets).fill(0);
    let bucket = 0;
    let counted = 0;
    for (let at = 0; at < this.count; at += estimatedAtOnce) {
      kernel.estimate(
        this.querySignsAt,
        this.signsAt(at),
        Math.min(estimatedAtOnce, this.count - at),
        signStride,
        outputAt + at * productBytes,
        this.cosinesAt,
        bucketsAt,
        buckets - 1,
        bucketsPerUnit,
        bucket / bucketsPerUnit,
      );
      // What is below so many others is not even counted from here on.
      let best = buckets;
      for (counted = 0; counted < count && best > bucket;) counted += counts[--best]!;
      bucket = best;
    }
    const margin = (deviationsOfBest * Math.PI) / 2 / Math.sqrt(this.dimensions);
    // Where there are not so many, all that are wanted are among them.
    const least = counted < count ? -largestFloat : bucket / bucketsPerUnit - margin;
    const end = kernel.atLeast(outputAt, outputAt + sums.byteLength, least);
    const positions = new Uint32Array(buffer.slice(outputAt, end));
    return { positions, cosines: this.cosines(query, positions) };
  }

  /** Puts the query's signs where the kernel reads them, and writes those that are not written yet. */
  private askBySigns(query: Int8Array): void {
    this.sign(this.signed, this.count - this.signed);
    this.signed = this.count;
    const { components, dimensions } = this;
    components.fill(0, 0, this.stride);
    components.set(query.subarray(0, dimensions));
    this.kernel.signs(0, 1, this.stride, this.querySignsAt, this.signStride);
  }

  /** Writes their signs. */
  private sign(position: number, count: number): void {
    this.kernel.signs(this.at(position), count, this.stride, this.signsAt(position), this.signStride);
  }

  /** Puts the query where the kernel reads it. */
  private ask(query: Int8Array): void {
    const asked = new Int16Array(this.memory.buffer, 0, this.stride);
    asked.fill(0);
    asked.set(query.length > this.dimensions ? query.subarray(0, this.dimensions) : query);
  }

  /** All vectors one after another, `stride` bytes each; for a snapshot. */
  bytes(): Int8Array {
    return new Int8Array(this.memory.buffer, this.at(0), this.count * this.stride);
  }

  /** All of the memory; another array once it has grown. */
  private get components(): Int8Array {
    if (this.view.buffer !== this.memory.buffer) this.view = new Int8Array(this.memory.buffer);
    return this.view;
  }

  private get querySignsAt(): number {
    return this.stride * queryBytes;
  }

  /** By number of differing signs: the cosine that it tells. */
  private get cosinesAt(): number {
    return this.querySignsAt + this.signStride;
  }

  private get bucketsAt(): number {
    return this.cosinesAt + (this.dimensions + 1) * productBytes;
  }

  private at(position: number): number {
    return this.firstAt + this.stride * position;
  }

  private signsAt(position: number): number {
    return this.at(this.capacity) + this.signStride * position;
  }

  private get outputAt(): number {
    return this.signsAt(this.capacity);
  }
}
