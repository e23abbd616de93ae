import { int8Scale } from '../../base/int8Vector.js';
import wasm from './dotProduct.wat';

const pageBytes = 65_536;
const floatBytes = 4;
/** Of the query, which the kernel takes wider than what it is compared with. */
const queryComponentBytes = 2;
/** The kernel takes 16 lanes at a time. */
const simdLanes = 16;
/** It takes the signs of so many components at a time, and has a byte for each eight. */
const signComponentsPerStep = 128;
const componentsPerSignByte = 8;
/** Standard deviations that the number of differing signs may be above its mean: more of them, and more is compared. */
const zScore = 3;
/** The same of a sum with a cosine that signs tell, for the best of many. */
const topKZScore = 1.5;
/** In which such sums are counted: four units, in which hardly anything is above the last. */
const bucketCount = 256;
const bucketsPerUnit = 64;
const estimateBatchSize = 1_024;
/** Of 32 bits. */
const maxFloat32 = 3.4e38;
/** Of a product of two components. */
const dotProductScale = 1 / (int8Scale * int8Scale);
type DotProductFunction = (
  query: number,
  vectors: number,
  count: number,
  dimensions: number,
  out: number,
  scale: number,
) => void;

/** dot.wat */
interface VectorKernel {
  readonly dots: DotProductFunction;
  readonly dotsOf: DotProductFunction;
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
export interface CandidateCosines {
  readonly positions: Uint32Array;
  readonly cosines: Float32Array;
}

/** Compiled once. */
let compiledModule: WebAssembly.Module | undefined;

/**
 * int8 vectors of one dimension in one block of WebAssembly memory, scanned whole: 100,000 × 384 in about 2 ms. A
 * position without a vector holds zeros and scores 0.
 *
 * The block holds the query and its signs, what differing signs tell, the vectors, their signs (a bit a component, an
 * eighth as large), and what the kernel writes.
 */
export class VectorIndex {
  private readonly memory: WebAssembly.Memory;
  private readonly kernel: VectorKernel;
  /** Bytes a vector takes. */
  private readonly stride: number;
  /** Bytes its signs take. */
  private readonly signatureStride: number;
  /** Where the vectors begin. */
  private readonly vectorsOffset: number;
  /** Positions whose signs are written: the first ones. */
  private signatureCount = 0;
  private memoryView = new Int8Array();
  private capacity = 0;
  private count = 0;

  constructor(readonly dimensions: number) {
    this.stride = Math.ceil(dimensions / simdLanes) * simdLanes;
    this.signatureStride =
      Math.ceil(dimensions / signComponentsPerStep) * (signComponentsPerStep / componentsPerSignByte);
    this.vectorsOffset = Math.ceil((this.bucketsOffset + bucketCount * floatBytes) / simdLanes) * simdLanes;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.vectorsOffset / pageBytes) });
    const instance = new WebAssembly.Instance((compiledModule ??= new WebAssembly.Module(wasm)), {
      host: { memory: this.memory },
    });
    this.kernel = instance.exports as unknown as VectorKernel;
    const cosines = Float32Array.from({ length: dimensions + 1 }, (_, it) => Math.cos((Math.PI * it) / dimensions));
    new Float32Array(this.memory.buffer, this.cosineTableOffset, cosines.length).set(cosines);
  }

  get size(): number {
    return this.count;
  }

  /** Makes room for so many positions, if there are fewer; new ones hold zeros. */
  reserve(count: number): void {
    if (count > this.capacity) {
      const before = { at: this.signatureOffset(0), end: this.outputOffset + this.capacity * floatBytes };
      const signatures = { at: before.at, end: this.signatureOffset(this.signatureCount) };
      // A multiple of four, as many numbers as the kernel looks at at once.
      this.capacity = Math.ceil(Math.max(count, this.capacity * 1.5, 256) / 4) * 4;
      const requiredPages = Math.ceil((this.outputOffset + this.capacity * floatBytes) / pageBytes);
      const currentPages = this.memory.buffer.byteLength / pageBytes;
      if (requiredPages > currentPages) this.memory.grow(requiredPages - currentPages);
      const { components } = this;
      components.copyWithin(this.signatureOffset(0), signatures.at, signatures.end);
      // They lay where vectors come now, and so did products; what was never written is not touched, and takes no memory.
      components.fill(0, before.at, Math.min(before.end, this.signatureOffset(0)));
    }
    this.count = Math.max(this.count, count);
  }

  /** @param vector int8 components, at most `dimensions`; undefined takes the vector away */
  set(position: number, vector: Int8Array | undefined): void {
    const { components } = this;
    const at = this.vectorOffset(position);
    if (vector?.length === this.stride) components.set(vector, at);
    else {
      components.fill(0, at, at + this.stride);
      if (vector !== undefined) components.set(vector.subarray(0, this.dimensions), at);
    }
    if (position < this.signatureCount) this.computeSignatures(position, 1);
  }

  get(position: number): Int8Array {
    return new Int8Array(this.memory.buffer, this.vectorOffset(position), this.dimensions);
  }

  has(position: number): boolean {
    return this.get(position).some(it => it !== 0);
  }

  /** Cosines (-1 to 1) of `query` with every position. The array is valid until the next call of anything. */
  scan(query: Int8Array): Float32Array {
    this.loadQuery(query);
    this.kernel.dots(0, this.vectorOffset(0), this.count, this.stride, this.outputOffset, dotProductScale);
    return new Float32Array(this.memory.buffer, this.outputOffset, this.count);
  }

  /** The same with a few positions, none of them twice, in their order. */
  cosines(query: Int8Array, positions: ArrayLike<number>): Float32Array {
    this.loadQuery(query);
    new Uint32Array(this.memory.buffer, this.outputOffset, positions.length).set(positions);
    this.kernel.dotsOf(0, this.vectorOffset(0), positions.length, this.stride, this.outputOffset, dotProductScale);
    return new Float32Array(this.memory.buffer, this.outputOffset, positions.length);
  }

  /**
   * The positions whose vectors may have a cosine of at least `least` with the query, ascending: those whose components
   * have mostly its signs, which is told from an eighth of the memory. Two vectors at an angle of a share p of 180° differ
   * in that share of their signs on average, with a variance of p(1-p) a component (Charikar 2002, for random directions).
   * @returns nearly all that have that cosine, others among them
   */
  prefilterBySignBits(query: Int8Array, minCosine: number): Uint32Array {
    this.loadQuerySignature(query);
    const { dimensions, outputOffset } = this;
    const angleShare = Math.acos(minCosine) / Math.PI;
    const maxDifferingBits = Math.floor(
      dimensions * angleShare + zScore * Math.sqrt(dimensions * angleShare * (1 - angleShare)),
    );
    const end = this.kernel.alike(
      this.querySignatureOffset,
      this.signatureOffset(0),
      this.count,
      this.signatureStride,
      maxDifferingBits,
      outputOffset,
    );
    return new Uint32Array(this.memory.buffer.slice(outputOffset, end));
  }

  /**
   * The positions that the `count` best by their score and their cosine with the query together may be among, ascending,
   * with their cosines. Only those are compared whole whose sum comes close to the best by a cosine that their signs tell.
   * @param scores of each position, as many as the table has; -Infinity for one that is not wanted
   * @returns nearly all of the best, others among them
   */
  topKBySignEstimate(query: Int8Array, scores: Float32Array, k: number): CandidateCosines {
    this.loadQuerySignature(query);
    const { kernel, outputOffset, signatureStride, bucketsOffset } = this;
    const { buffer } = this.memory;
    // Room for a multiple of four.
    const sums = new Float32Array(buffer, outputOffset, Math.ceil(this.count / 4) * 4).fill(-Infinity, this.count);
    sums.set(scores);
    const counts = new Uint32Array(buffer, bucketsOffset, bucketCount).fill(0);
    let minBucket = 0;
    let counted = 0;
    for (let at = 0; at < this.count; at += estimateBatchSize) {
      kernel.estimate(
        this.querySignatureOffset,
        this.signatureOffset(at),
        Math.min(estimateBatchSize, this.count - at),
        signatureStride,
        outputOffset + at * floatBytes,
        this.cosineTableOffset,
        bucketsOffset,
        bucketCount - 1,
        bucketsPerUnit,
        minBucket / bucketsPerUnit,
      );
      // What is below so many others is not even counted from here on.
      let highestBucket = bucketCount;
      for (counted = 0; counted < k && highestBucket > minBucket;) counted += counts[--highestBucket]!;
      minBucket = highestBucket;
    }
    const margin = (topKZScore * Math.PI) / 2 / Math.sqrt(this.dimensions);
    // Where there are not so many, all that are wanted are among them.
    const minScore = counted < k ? -maxFloat32 : minBucket / bucketsPerUnit - margin;
    const end = kernel.atLeast(outputOffset, outputOffset + sums.byteLength, minScore);
    const positions = new Uint32Array(buffer.slice(outputOffset, end));
    return { positions, cosines: this.cosines(query, positions) };
  }

  /** Puts the query's signs where the kernel reads them, and writes those that are not written yet. */
  private loadQuerySignature(query: Int8Array): void {
    this.computeSignatures(this.signatureCount, this.count - this.signatureCount);
    this.signatureCount = this.count;
    const { components, dimensions } = this;
    components.fill(0, 0, this.stride);
    components.set(query.subarray(0, dimensions));
    this.kernel.signs(0, 1, this.stride, this.querySignatureOffset, this.signatureStride);
  }

  /** Writes their signs. */
  private computeSignatures(position: number, count: number): void {
    this.kernel.signs(
      this.vectorOffset(position),
      count,
      this.stride,
      this.signatureOffset(position),
      this.signatureStride,
    );
  }

  /** Puts the query where the kernel reads it. */
  private loadQuery(query: Int8Array): void {
    const queryComponents = new Int16Array(this.memory.buffer, 0, this.stride);
    queryComponents.fill(0);
    queryComponents.set(query.length > this.dimensions ? query.subarray(0, this.dimensions) : query);
  }

  /** All vectors one after another, `stride` bytes each; for a snapshot. */
  bytes(): Int8Array {
    return new Int8Array(this.memory.buffer, this.vectorOffset(0), this.count * this.stride);
  }

  /** All of the memory; another array once it has grown. */
  private get components(): Int8Array {
    if (this.memoryView.buffer !== this.memory.buffer) this.memoryView = new Int8Array(this.memory.buffer);
    return this.memoryView;
  }

  private get querySignatureOffset(): number {
    return this.stride * queryComponentBytes;
  }

  /** By number of differing signs: the cosine that it tells. */
  private get cosineTableOffset(): number {
    return this.querySignatureOffset + this.signatureStride;
  }

  private get bucketsOffset(): number {
    return this.cosineTableOffset + (this.dimensions + 1) * floatBytes;
  }

  private vectorOffset(position: number): number {
    return this.vectorsOffset + this.stride * position;
  }

  private signatureOffset(position: number): number {
    return this.vectorOffset(this.capacity) + this.signatureStride * position;
  }

  private get outputOffset(): number {
    return this.signatureOffset(this.capacity);
  }
}
