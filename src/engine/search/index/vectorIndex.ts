import { int8Scale } from '../../base/int8Vector.js';
import wasm from './dotProduct.wat';

const pageBytes = 65_536;
const floatBytes = 4;
/** The kernel takes the query's components as 16 bits. */
const queryComponentBytes = 2;
/** Components the kernel multiplies at a time. */
const simdLanes = 16;
/** Components whose sign bits the kernel compares at a time. */
const signComponentsPerStep = 128;
const componentsPerSignByte = 8;
/** Standard deviations above its mean that a Hamming distance may have and still pass the prefilter. */
const zScore = 3;
/** Turns a dot product of two int8 vectors into a cosine. */
const dotProductScale = 1 / (int8Scale * int8Scale);
type DotProductFunction = (
  query: number,
  vectors: number,
  count: number,
  dimensions: number,
  out: number,
  scale: number,
) => void;

/** Exports of dotProduct.wat. */
interface VectorKernel {
  readonly dotAll: DotProductFunction;
  readonly dotGather: DotProductFunction;
  readonly signBits: (vectors: number, count: number, dimensions: number, out: number, bytes: number) => void;
  readonly hammingFilter: (
    query: number,
    signs: number,
    count: number,
    bytes: number,
    maxDistance: number,
    out: number,
  ) => number;
}

let compiledModule: WebAssembly.Module | undefined;

/**
 * int8 vectors of one dimension in one block of WebAssembly memory, searched exhaustively: 100,000 vectors of 384 components
 * take about 2 ms. A position without a vector holds zeros and scores 0.
 *
 * The block holds, in this order: the query and its sign bits, the vectors, their sign bits (one per component, an eighth of
 * the size), and the kernel's output.
 */
export class VectorIndex {
  private readonly memory: WebAssembly.Memory;
  private readonly kernel: VectorKernel;
  /** Bytes per vector. */
  private readonly stride: number;
  /** Bytes per vector of sign bits. */
  private readonly signatureStride: number;
  private readonly vectorsOffset: number;
  /** Number of leading positions whose sign bits are computed. */
  private signatureCount = 0;
  private memoryView = new Int8Array();
  private capacity = 0;
  private count = 0;

  constructor(readonly dimensions: number) {
    this.stride = Math.ceil(dimensions / simdLanes) * simdLanes;
    this.signatureStride =
      Math.ceil(dimensions / signComponentsPerStep) * (signComponentsPerStep / componentsPerSignByte);
    this.vectorsOffset = this.querySignatureOffset + this.signatureStride;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(this.vectorsOffset / pageBytes) });
    const instance = new WebAssembly.Instance((compiledModule ??= new WebAssembly.Module(wasm)), {
      host: { memory: this.memory },
    });
    this.kernel = instance.exports as unknown as VectorKernel;
  }

  get size(): number {
    return this.count;
  }

  /** Grows to at least `count` positions; new ones hold zeros. */
  reserve(count: number): void {
    if (count > this.capacity) {
      const before = { at: this.signatureOffset(0), end: this.outputOffset + this.capacity * floatBytes };
      const signatures = { at: before.at, end: this.signatureOffset(this.signatureCount) };
      this.capacity = Math.ceil(Math.max(count, this.capacity * 1.5, 256));
      const requiredPages = Math.ceil((this.outputOffset + this.capacity * floatBytes) / pageBytes);
      const currentPages = this.memory.buffer.byteLength / pageBytes;
      if (requiredPages > currentPages) this.memory.grow(requiredPages - currentPages);
      const { components } = this;
      components.copyWithin(this.signatureOffset(0), signatures.at, signatures.end);
      // Vectors now lie where the sign bits and output were. Memory that was never written is left alone, to stay unmapped.
      components.fill(0, before.at, Math.min(before.end, this.signatureOffset(0)));
    }
    this.count = Math.max(this.count, count);
  }

  /** @param vector int8 components, at most `dimensions`; undefined removes the vector */
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

  /** Cosines (-1 to 1) of `query` with every position; valid until the next method call. */
  scan(query: Int8Array): Float32Array {
    this.loadQuery(query);
    this.kernel.dotAll(0, this.vectorOffset(0), this.count, this.stride, this.outputOffset, dotProductScale);
    return new Float32Array(this.memory.buffer, this.outputOffset, this.count);
  }

  /** Cosines of `query` with the given, distinct positions, in their order; valid until the next method call. */
  cosines(query: Int8Array, positions: ArrayLike<number>): Float32Array {
    this.loadQuery(query);
    new Uint32Array(this.memory.buffer, this.outputOffset, positions.length).set(positions);
    this.kernel.dotGather(0, this.vectorOffset(0), positions.length, this.stride, this.outputOffset, dotProductScale);
    return new Float32Array(this.memory.buffer, this.outputOffset, positions.length);
  }

  /**
   * Positions whose vectors may have a cosine of at least `minCosine` with the query, ascending, from an eighth of the
   * memory: by the Hamming distance of the sign bits. Two vectors at an angle of a share p of 180° differ in that share of
   * their signs on average, with a variance of p(1-p) a component (Charikar 2002, for random directions).
   * @returns nearly all that have that cosine, and others
   */
  prefilterBySignBits(query: Int8Array, minCosine: number): Uint32Array {
    this.loadQuerySignature(query);
    const { dimensions, outputOffset } = this;
    const angleShare = Math.acos(minCosine) / Math.PI;
    const maxDifferingBits = Math.floor(
      dimensions * angleShare + zScore * Math.sqrt(dimensions * angleShare * (1 - angleShare)),
    );
    const end = this.kernel.hammingFilter(
      this.querySignatureOffset,
      this.signatureOffset(0),
      this.count,
      this.signatureStride,
      maxDifferingBits,
      outputOffset,
    );
    return new Uint32Array(this.memory.buffer.slice(outputOffset, end));
  }

  /** Computes the query's sign bits, and those of vectors that have none yet. */
  private loadQuerySignature(query: Int8Array): void {
    this.computeSignatures(this.signatureCount, this.count - this.signatureCount);
    this.signatureCount = this.count;
    const { components, dimensions } = this;
    components.fill(0, 0, this.stride);
    components.set(query.subarray(0, dimensions));
    this.kernel.signBits(0, 1, this.stride, this.querySignatureOffset, this.signatureStride);
  }

  private computeSignatures(position: number, count: number): void {
    this.kernel.signBits(
      this.vectorOffset(position),
      count,
      this.stride,
      this.signatureOffset(position),
      this.signatureStride,
    );
  }

  private loadQuery(query: Int8Array): void {
    const queryComponents = new Int16Array(this.memory.buffer, 0, this.stride);
    queryComponents.fill(0);
    queryComponents.set(query.length > this.dimensions ? query.subarray(0, this.dimensions) : query);
  }

  /** All vectors, `stride` bytes each: a view for snapshots. */
  bytes(): Int8Array {
    return new Int8Array(this.memory.buffer, this.vectorOffset(0), this.count * this.stride);
  }

  /** The whole memory; growing it detaches the previous view. */
  private get components(): Int8Array {
    if (this.memoryView.buffer !== this.memory.buffer) this.memoryView = new Int8Array(this.memory.buffer);
    return this.memoryView;
  }

  private get querySignatureOffset(): number {
    return this.stride * queryComponentBytes;
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
