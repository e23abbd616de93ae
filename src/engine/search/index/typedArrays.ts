/** Arrays of one type of number, flat in memory. */
export type NumericArray =
  Int8Array | Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** Room for the first entries of anything. */
export const minCapacity = 256;

/** A copy with room for `length` entries; new ones are 0. */
export function grow<T extends NumericArray>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}

/** How much room to make when `count` do not fit any more: half as much again, so that growing is rare. */
export function nextCapacity(count: number, currentCapacity: number): number {
  return Math.max(count, Math.ceil(currentCapacity * 1.5), minCapacity);
}

/** What an index is kept in, by name; and the names and lists that are no numbers, as JSON. */
export interface SerializedIndex {
  readonly arrays: Readonly<Record<string, NumericArray>>;
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** Gives back what was packed. */
export interface IndexReader {
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** How many bytes an array has. */
  bytes(name: string): number;
  /** Fills `into`, which has room for all of it. @throws Error when it is damaged */
  read(name: string, into: NumericArray): void;
}

/** An array as it was packed, with some room to grow. */
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
