import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
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
  /** `dimensions` components per token. */
  readonly rows: Int8Array;
  /** Tokens in the order of their ids. */
  readonly vocabulary: readonly string[];
}

const headerStart = 4;

/** Reads the header alone. @throws Error if there is none */
export function readStaticModelHeader(file: string): StaticModelHeader {
  const handle = openSync(file, 'r');
  try {
    const size = fstatSync(handle).size;
    const read = (length: number, position: number): Buffer => {
      if (position + length > size) throw new Error('it is too short');
      const bytes = Buffer.alloc(length);
      readSync(handle, bytes, 0, length, position);
      return bytes;
    };
    return parseHeader(read(read(headerStart, 0).readUInt32LE(), headerStart));
  } finally {
    closeSync(handle);
  }
}

/** Reads the whole file. @throws Error if it is not complete */
export function readStaticModelFile(file: string): StaticModelFile {
  const bytes = readFileSync(file);
  const headerEnd = headerStart + bytes.readUInt32LE();
  const header = parseHeader(bytes.subarray(headerStart, headerEnd));
  const section = ([offset, length]: Section): Buffer => {
    const start = headerEnd + offset;
    if (start + length > bytes.length) throw new Error('it is too short');
    return bytes.subarray(start, start + length);
  };
  const rows = section(header.rows);
  return {
    header,
    // A copy, because floats must be aligned to four bytes in memory.
    scales: new Float32Array(Uint8Array.from(section(header.scales)).buffer),
    rows: new Int8Array(rows.buffer, rows.byteOffset, rows.length),
    vocabulary: section(header.vocabulary).toString('latin1').split('\n'),
  };
}

function parseHeader(json: Buffer): StaticModelHeader {
  return JSON.parse(json.toString()) as StaticModelHeader;
}
