import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularFileSync } from '../base/regularFile.js';
import type { EmbeddingModel } from './embedder.js';

/** The only file of a static model; scripts/buildModel.mjs writes it and documents its layout. */
export const staticModelFileName = 'model.bin';

/** Offset and length in bytes, counted from the end of the header. */
type Section = readonly [offset: number, length: number];

export interface StaticModelHeader {
  readonly model: EmbeddingModel;
  /** Identifies the tokens and their weights. */
  readonly tokensId: string;
  /** Later tokens of a text are ignored. */
  readonly maxTokens: number;
  /** `tokenizer.json` with an empty vocabulary. */
  readonly tokenizer: TokenizerDescription;
  readonly scales: Section;
  readonly rows: Section;
  readonly vocabulary: Section;
}

export interface TokenizerDescription {
  readonly model: {
    readonly type: string;
    readonly continuing_subword_prefix: string;
    readonly max_input_chars_per_word: number;
  };
}

export interface StaticModelFile {
  readonly header: StaticModelHeader;
  /** The factor of each token's row. */
  readonly scales: Float32Array;
  readonly rows: TokenRows;
  /** Tokens in the order of their ids. */
  readonly vocabulary: readonly string[];
}

const headerStart = 4;
/** Only what is asked for is read. */
const anySize = { maxBytes: Infinity, followLinks: true };
/** Rows read at once: 24 KB. */
const rowsPerBlock = 64;

/** Reads the header alone. @throws Error if there is none */
export function readStaticModelHeader(file: string): StaticModelHeader {
  const handle = openRegularFileSync(file, anySize);
  try {
    return readHeader(handle).header;
  } finally {
    closeSync(handle);
  }
}

/** Opens the file and reads all but the rows. @throws Error if it is not complete */
export function openStaticModelFile(file: string): StaticModelFile {
  const handle = openRegularFileSync(file, anySize);
  try {
    const { header, end } = readHeader(handle);
    const read = ([offset, length]: Section): Buffer => readBytes(handle, length, end + offset);
    const [offset, length] = header.rows;
    if (end + offset + length > fstatSync(handle).size) throw new Error('it is too short');
    return {
      header,
      // A copy, because floats must be aligned to four bytes in memory.
      scales: new Float32Array(Uint8Array.from(read(header.scales)).buffer),
      rows: new TokenRows(handle, end + offset, length, header.model.dimensions),
      vocabulary: read(header.vocabulary).toString('latin1').split('\n'),
    };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/**
 * The rows of all tokens, `dimensions` components each, read in blocks when they are needed: the texts of a store use a
 * small part of 12 MB, and memory that is never written is never allocated. The file stays open until the process ends, so
 * that it may be deleted meanwhile by an update.
 */
export class TokenRows {
  private readonly rows: Int8Array;
  private readonly isBlockRead: Uint8Array;

  constructor(
    private readonly handle: number,
    private readonly start: number,
    length: number,
    private readonly dimensions: number,
  ) {
    this.rows = new Int8Array(length);
    this.isBlockRead = new Uint8Array(Math.ceil(length / (rowsPerBlock * dimensions)));
  }

  /** A view, not to be written. @throws Error if the file was cut meanwhile */
  row(token: number): Int8Array {
    const { dimensions } = this;
    const block = Math.floor(token / rowsPerBlock);
    if (this.isBlockRead[block] === 0) this.readBlock(block);
    return this.rows.subarray(token * dimensions, (token + 1) * dimensions);
  }

  private readBlock(block: number): void {
    const blockLength = rowsPerBlock * this.dimensions;
    const from = block * blockLength;
    const target = this.rows.subarray(from, from + blockLength);
    readFully(this.handle, target, this.start + from);
    this.isBlockRead[block] = 1;
  }
}

function readHeader(handle: number): { readonly header: StaticModelHeader; readonly end: number } {
  const length = readBytes(handle, headerStart, 0).readUInt32LE();
  const json = readBytes(handle, length, headerStart).toString();
  return { header: JSON.parse(json) as StaticModelHeader, end: headerStart + length };
}

function readBytes(handle: number, length: number, position: number): Buffer {
  if (position + length > fstatSync(handle).size) throw new Error('it is too short');
  const bytes = Buffer.alloc(length);
  readFully(handle, bytes, position);
  return bytes;
}

function readFully(handle: number, target: NodeJS.ArrayBufferView, position: number): void {
  for (let done = 0; done < target.byteLength;) {
    const count = readSync(handle, target, done, target.byteLength - done, position + done);
    if (count === 0) throw new Error('it is too short');
    done += count;
  }
}
