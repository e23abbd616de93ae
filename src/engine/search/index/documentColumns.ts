import { grow, nextCapacity, minCapacity, readArray, type SerializedIndex, type IndexReader } from './typedArrays.js';

/** Marks a missing position. */
export const noEntry = -1;

const columnNames = ['rows', 'keys', 'searchable', 'active', 'hasVector', 'scope'] as const;

/** One typed array per attribute, indexed by a memory's position, with spare capacity at the end. */
export class DocumentColumns {
  rows = new Uint32Array(minCapacity);
  keys = new Float64Array(minCapacity);
  /** 1 where a recall may return it. */
  searchable = new Uint8Array(minCapacity);
  /** 1 where new facts are compared with it: neither archived nor superseded. */
  active = new Uint8Array(minCapacity);
  hasVector = new Uint8Array(minCapacity);
  scope = new Int32Array(minCapacity);

  protected reserve(count: number): void {
    const currentCapacity = this.rows.length;
    if (count <= currentCapacity) return;
    const capacity = nextCapacity(count, currentCapacity);
    Object.assign(
      this,
      Object.fromEntries(columnNames.map(it => [it, grow<SerializedIndex['arrays'][string]>(this[it], capacity)])),
    );
  }

  protected serializeColumns(count: number): SerializedIndex['arrays'] {
    return Object.fromEntries(columnNames.map(it => [it, this[it].subarray(0, count)]));
  }

  /** Returns the number of positions. */
  protected restoreColumns(reader: IndexReader): number {
    const { array, length } = readArray(reader, 'rows', Uint32Array);
    this.rows = array;
    for (const name of columnNames) {
      if (name === 'rows') continue;
      const column = grow<SerializedIndex['arrays'][string]>(this[name].subarray(0, 0), array.length);
      reader.read(name, column.subarray(0, length));
      Object.assign(this, { [name]: column });
    }
    return length;
  }
}
