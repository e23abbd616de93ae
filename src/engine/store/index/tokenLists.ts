import { unpacked, type Packed, type Unpacking } from './columns.js';
import { NumberLists } from './numberLists.js';

/**
 * The tokens of each memory's text, each once and in no order: what a question is compared with closely, so that no text
 * is read for it.
 */
export class TokenLists extends NumberLists {
  override add(tokens: readonly number[]): void {
    super.add(Uint16Array.from(new Set(tokens)).sort());
  }

  pack(): Packed['arrays'] {
    return {
      tokens: this.pool.subarray(0, this.starts[this.count]),
      tokenStarts: this.starts.subarray(0, this.count + 1),
    };
  }

  unpack(from: Unpacking): void {
    this.pool = unpacked(from, 'tokens', Uint16Array).array;
    const { array, length } = unpacked(from, 'tokenStarts', Uint32Array);
    this.starts = array;
    this.count = length - 1;
  }
}
