import { nextCapacity } from './typedArrays.js';

/**
 * Float arrays that consecutive searches reuse: for 100,000 memories one takes 400 KB, and allocating five takes longer than
 * clearing them. Only one search may run at a time.
 */
export class ScratchBuffers<Name extends string> {
  private readonly arrays = new Map<Name, Float32Array>();

  /** Returns `count` zeros and reuses the array that was borrowed under this name before. */
  borrowZeroed(name: Name, count: number): Float32Array {
    let array = this.arrays.get(name);
    if (array === undefined || array.length < count) {
      array = new Float32Array(nextCapacity(count, array?.length ?? 0));
      this.arrays.set(name, array);
    }
    return array.subarray(0, count).fill(0);
  }
}
