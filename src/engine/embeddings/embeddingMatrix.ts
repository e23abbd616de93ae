import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import wasm from './addRow.wat';
import { locateOnnxTensors, type RandomAccessFile, type TensorLocation } from './onnxTensors.js';

/** addRow.wat */
interface Kernel {
  readonly addRow: (row: number, count: number, scale: number, sum: number) => void;
}

/** Components that the kernel adds at a time. */
const kernelLanes = 8;
const pageBytes = 65_536;
/** Compiled once. */
let compiled: WebAssembly.Module | undefined;

/** Rows that are read at once: what common words need lies together, for tokens are numbered by how common they are. */
const rowsPerBlock = 32;

/**
 * The table of a static model: int8 rows, one a token. Of the 12 MB of the file a process that asks once needs some hundred
 * rows, so each is read when it is first needed, and the file stays open.
 */
export class EmbeddingMatrix {
  /** Components of a row. */
  readonly dimensions: number;
  /** What `add` adds to: `dimensions` numbers. */
  readonly accumulator: Float64Array;
  private readonly kernel: Kernel;
  private readonly rows: Int8Array;
  private readonly bytes: Buffer;
  /** The row last glanced at. */
  private readonly peekBuffer: Buffer;
  /** 1 for each block of rows that was read. */
  private readonly loadedBlocks: Uint8Array;

  private constructor(
    private readonly file: number,
    private readonly tableLocation: TensorLocation,
    /** What each token's row is multiplied by. */
    readonly scale: Float32Array,
  ) {
    this.dimensions = tableLocation.length / scale.length;
    // The sum first, then the rows; what is never written takes no memory.
    const rowsAt = this.dimensions * Float64Array.BYTES_PER_ELEMENT;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((rowsAt + tableLocation.length) / pageBytes) });
    this.kernel = new WebAssembly.Instance((compiled ??= new WebAssembly.Module(wasm)), { host: { memory } })
      .exports as unknown as Kernel;
    this.accumulator = new Float64Array(memory.buffer, 0, this.dimensions);
    this.rows = new Int8Array(memory.buffer, rowsAt, tableLocation.length);
    this.bytes = Buffer.from(memory.buffer, rowsAt, tableLocation.length);
    this.peekBuffer = Buffer.alloc(this.dimensions);
    this.loadedBlocks = new Uint8Array(Math.ceil(scale.length / rowsPerBlock));
  }

  /** @param model an ONNX file with the tensors `table` and `scale` @throws Error saying what is wrong with it */
  static open(model: string): EmbeddingMatrix {
    const file = openSync(model, 'r');
    try {
      const source = bytesOf(file);
      const tensors = locateOnnxTensors(source);
      const [table, scale] = ['table', 'scale'].map(it => tensors.get(it));
      const tokens = (scale?.length ?? 0) / Float32Array.BYTES_PER_ELEMENT;
      if (
        table === undefined ||
        scale === undefined ||
        table.length === 0 ||
        table.length % (tokens * kernelLanes) !== 0
      ) {
        throw new Error(`it has no token table with rows of a multiple of ${kernelLanes} components`);
      }
      // The floats have to lie at a multiple of four bytes.
      const floats = new Float32Array(Uint8Array.from(source.read(scale.at, scale.length)).buffer);
      return new EmbeddingMatrix(file, table, floats);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** One row, valid until the next call: it is not kept for it. @throws Error where the file was cut meanwhile */
  peekRow(token: number): Int8Array {
    const { dimensions, peekBuffer } = this;
    const from = token * dimensions;
    if (this.loadedBlocks[Math.floor(token / rowsPerBlock)] === 1) return this.rows.subarray(from, from + dimensions);
    readFully(this.file, peekBuffer, this.tableLocation.at + from);
    return new Int8Array(peekBuffer.buffer, peekBuffer.byteOffset, dimensions);
  }

  /** Adds a token's row, times its scale, to `sum`. @throws Error where the file was cut meanwhile */
  accumulateRow(token: number): void {
    this.read(token);
    const { dimensions, rows } = this;
    this.kernel.addRow(rows.byteOffset + token * dimensions, dimensions, this.scale[token]!, 0);
  }

  private read(token: number): void {
    const block = Math.floor(token / rowsPerBlock);
    if (this.loadedBlocks[block] === 0) this.readBlock(block);
  }

  private readBlock(block: number): void {
    const from = block * rowsPerBlock * this.dimensions;
    const to = Math.min(from + rowsPerBlock * this.dimensions, this.rows.length);
    readFully(this.file, this.bytes.subarray(from, to), this.tableLocation.at + from);
    this.loadedBlocks[block] = 1;
  }
}

function bytesOf(file: number): RandomAccessFile {
  const length = fstatSync(file).size;
  return {
    length,
    read: (at, count) => {
      if (at + count > length) throw new Error('it is too short');
      const bytes = Buffer.alloc(count);
      readFully(file, bytes, at);
      return bytes;
    },
  };
}

function readFully(file: number, into: Buffer, at: number): void {
  for (let done = 0; done < into.length;) {
    const read = readSync(file, into, done, into.length - done, at + done);
    if (read === 0) throw new Error('it is too short');
    done += read;
  }
}
