import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import wasm from './addRow.wat';
import { onnxTensors, type Bytes, type Place } from './onnxTensors.js';

/** addRow.wat */
interface Kernel {
  readonly addRow: (row: number, count: number, scale: number, sum: number) => void;
}

/** Components that the kernel adds at a time. */
const lanes = 8;
const pageBytes = 65_536;
/** Compiled once. */
let compiled: WebAssembly.Module | undefined;

/** Rows that are read at once: what common words need lies together, for tokens are numbered by how common they are. */
const rowsAtOnce = 32;

/**
 * The table of a static model: int8 rows, one a token. Of the 12 MB of the file a process that asks once needs some hundred
 * rows, so each is read when it is first needed, and the file stays open.
 */
export class TokenTable {
  /** Components of a row. */
  readonly dimensions: number;
  /** What `add` adds to: `dimensions` numbers. */
  readonly sum: Float64Array;
  private readonly kernel: Kernel;
  private readonly rows: Int8Array;
  private readonly bytes: Buffer;
  /** The row last glanced at. */
  private readonly glanced: Buffer;
  /** 1 for each block of rows that was read. */
  private readonly present: Uint8Array;

  private constructor(
    private readonly file: number,
    private readonly place: Place,
    /** What each token's row is multiplied by. */
    readonly scale: Float32Array,
  ) {
    this.dimensions = place.length / scale.length;
    // The sum first, then the rows; what is never written takes no memory.
    const rowsAt = this.dimensions * Float64Array.BYTES_PER_ELEMENT;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((rowsAt + place.length) / pageBytes) });
    this.kernel = new WebAssembly.Instance((compiled ??= new WebAssembly.Module(wasm)), { host: { memory } })
      .exports as unknown as Kernel;
    this.sum = new Float64Array(memory.buffer, 0, this.dimensions);
    this.rows = new Int8Array(memory.buffer, rowsAt, place.length);
    this.bytes = Buffer.from(memory.buffer, rowsAt, place.length);
    this.glanced = Buffer.alloc(this.dimensions);
    this.present = new Uint8Array(Math.ceil(scale.length / rowsAtOnce));
  }

  /** @param model an ONNX file with the tensors `table` and `scale` @throws Error saying what is wrong with it */
  static open(model: string): TokenTable {
    const file = openSync(model, 'r');
    try {
      const source = bytesOf(file);
      const tensors = onnxTensors(source);
      const [table, scale] = ['table', 'scale'].map(it => tensors.get(it));
      const tokens = (scale?.length ?? 0) / Float32Array.BYTES_PER_ELEMENT;
      if (table === undefined || scale === undefined || table.length === 0 || table.length % (tokens * lanes) !== 0) {
        throw new Error(`it has no token table with rows of a multiple of ${lanes} components`);
      }
      // The floats have to lie at a multiple of four bytes.
      const floats = new Float32Array(Uint8Array.from(source.read(scale.at, scale.length)).buffer);
      return new TokenTable(file, table, floats);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** One row, valid until the next call: it is not kept for it. @throws Error where the file was cut meanwhile */
  glance(token: number): Int8Array {
    const { dimensions, glanced } = this;
    const from = token * dimensions;
    if (this.present[Math.floor(token / rowsAtOnce)] === 1) return this.rows.subarray(from, from + dimensions);
    fill(this.file, glanced, this.place.at + from);
    return new Int8Array(glanced.buffer, glanced.byteOffset, dimensions);
  }

  /** Adds a token's row, times its scale, to `sum`. @throws Error where the file was cut meanwhile */
  add(token: number): void {
    this.read(token);
    const { dimensions, rows } = this;
    this.kernel.addRow(rows.byteOffset + token * dimensions, dimensions, this.scale[token]!, 0);
  }

  private read(token: number): void {
    const block = Math.floor(token / rowsAtOnce);
    if (this.present[block] === 0) this.readBlock(block);
  }

  private readBlock(block: number): void {
    const from = block * rowsAtOnce * this.dimensions;
    const to = Math.min(from + rowsAtOnce * this.dimensions, this.rows.length);
    fill(this.file, this.bytes.subarray(from, to), this.place.at + from);
    this.present[block] = 1;
  }
}

function bytesOf(file: number): Bytes {
  const length = fstatSync(file).size;
  return {
    length,
    read: (at, count) => {
      if (at + count > length) throw new Error('it is too short');
      const bytes = Buffer.alloc(count);
      fill(file, bytes, at);
      return bytes;
    },
  };
}

function fill(file: number, into: Buffer, at: number): void {
  for (let done = 0; done < into.length;) {
    const read = readSync(file, into, done, into.length - done, at + done);
    if (read === 0) throw new Error('it is too short');
    done += read;
  }
}
