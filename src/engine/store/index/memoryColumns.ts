import { grown, roomFor, smallest, unpacked, type Packed, type Unpacking } from './columns.js';

/** In place of a number that a memory does not have. */
export const none = -1;

const names = [
  'rows',
  'keys',
  'alive',
  'active',
  'hasVector',
  'scope',
  'session',
  'previous',
  'next',
  'speaker',
  'flags',
  'properNouns',
  'calendar',
] as const;

/** What is known of each memory by its position: flat arrays of numbers with room beyond the last position. */
export class MemoryColumns {
  rows = new Uint32Array(smallest);
  keys = new Float64Array(smallest);
  /** 1 where a recall may return it. */
  alive = new Uint8Array(smallest);
  /** 1 where what is told anew is compared with it: neither archived nor superseded. */
  active = new Uint8Array(smallest);
  hasVector = new Uint8Array(smallest);
  scope = new Int32Array(smallest);
  session = new Int32Array(smallest);
  /** Neighbours in the conversation, and the speaker; `none` without one. */
  previous = new Int32Array(smallest);
  next = new Int32Array(smallest);
  speaker = new Int32Array(smallest);
  flags = new Uint16Array(smallest);
  properNouns = new Uint8Array(smallest);
  /** Month 1-12 × 32 + day. */
  calendar = new Uint16Array(smallest);

  protected reserve(count: number): void {
    const present = this.rows.length;
    if (count <= present) return;
    const room = roomFor(count, present);
    Object.assign(this, Object.fromEntries(names.map(it => [it, grown<Packed['arrays'][string]>(this[it], room)])));
  }

  protected packColumns(count: number): Packed['arrays'] {
    return Object.fromEntries(names.map(it => [it, this[it].subarray(0, count)]));
  }

  /** Returns how many positions there are. */
  protected unpackColumns(from: Unpacking): number {
    const { array, length } = unpacked(from, 'rows', Uint32Array);
    this.rows = array;
    for (const name of names) {
      if (name === 'rows') continue;
      const column = grown<Packed['arrays'][string]>(this[name].subarray(0, 0), array.length);
      from.read(name, column.subarray(0, length));
      Object.assign(this, { [name]: column });
    }
    return length;
  }
}
