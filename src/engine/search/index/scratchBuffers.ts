import { nextCapacity } from './typedArrays.js';

/**
 * Arrays that one search after another works in: at 100,000 memories one takes 400 KB, and asking the system for five of
 * them takes longer than clearing them. One search at a time, from its first array to its last look at one.
 */
export class ScratchBuffers<Name extends string> {
  private readonly arrays = new Map<Name, Float32Array>();

  /** So many zeros; what was handed out under this name before is them now. */
  borrowZeroed(name: Name, count: number): Float32Array {
    let array = this.arrays.get(name);
    if (array === undefined || array.length < count) {
      array = new Float32Array(nextCapacity(count, array?.length ?? 0));
      this.arrays.set(name, array);
    }
    return array.subarray(0, count).fill(0);
  }
}
