export type NumericArray =
  Int8Array | Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** Initial capacity of every growing array. */
export const minCapacity = 256;

/** A copy with `length` entries; new ones are 0. */
export function grow<T extends NumericArray>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}

/** The capacity for `count` entries when the current one is exceeded: it grows by half. */
export function nextCapacity(count: number, currentCapacity: number): number {
  return Math.max(count, Math.ceil(currentCapacity * 1.5), minCapacity);
}

/** A serialized index: its arrays by name, and lists of strings. */
export interface SerializedIndex {
  readonly arrays: Readonly<Record<string, NumericArray>>;
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** Reads a serialized index. */
export interface IndexReader {
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Length of an array in bytes; 0 where it does not exist. */
  bytes(name: string): number;
  /** Fills `into`, which must have exactly the array's size. @throws Error when the array is damaged */
  read(name: string, into: NumericArray): void;
}

/** A serialized array with spare capacity, and its length without it. */
export function readArray<T extends NumericArray>(
  reader: IndexReader,
  name: string,
  type: { new (length: number): T; readonly BYTES_PER_ELEMENT: number },
): { readonly array: T; readonly length: number } {
  const length = reader.bytes(name) / type.BYTES_PER_ELEMENT;
  const array = new type(Math.max(minCapacity, Math.ceil(length * 1.1)));
  reader.read(name, array.subarray(0, length));
  return { array, length };
}
