import { maxFileBytes, openRegularFile } from '../../base/regularFile.js';

/** Longer lines are images and tool outputs; they are never held in memory. */
const maxLineBytes = maxFileBytes;
const newline = 0x0a;

export interface TranscriptLine {
  /** Without the line end; undefined for a line that is too long. */
  readonly text: string | undefined;
  /** Byte offset of the next line. */
  readonly endOffset: number;
  /** The last line has no line end: it may still be written. */
  readonly isUnterminated: boolean;
}

/**
 * Streams the lines of a file from a byte offset on, including empty lines. Memory is bounded by the longest line. An
 * offset beyond the end yields no lines. A session may be of any length, as no more than a line of it is held.
 * @param maxBytes read from the offset on
 * @throws EngineError unsupportedFile where it is no regular file; the file system's error where it cannot be read
 */
export async function* readLinesWithOffsets(
  file: string,
  from: number,
  maxBytes = Infinity,
): AsyncGenerator<TranscriptLine> {
  let pendingChunks: Buffer[] = [];
  let pendingBytes = 0;
  let position = from;
  const takeLine = (rest: Buffer): string | undefined => {
    const text =
      pendingBytes + rest.length > maxLineBytes ? undefined : Buffer.concat([...pendingChunks, rest]).toString('utf8');
    pendingChunks = [];
    pendingBytes = 0;
    return text?.replace(/^\uFEFF|\r$/gu, '');
  };
  const handle = await openRegularFile(file, { maxBytes: Infinity });
  const stream = handle.createReadStream({ start: from, end: from + maxBytes - 1, highWaterMark: 256 * 1024 });
  for await (const chunk of stream) {
    let bytes = chunk as Buffer;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline)) {
      position += end + 1 + pendingBytes;
      yield { text: takeLine(bytes.subarray(0, end)), endOffset: position, isUnterminated: false };
      bytes = bytes.subarray(end + 1);
    }
    pendingBytes += bytes.length;
    if (pendingBytes <= maxLineBytes && bytes.length > 0) pendingChunks.push(bytes);
    else if (pendingBytes > maxLineBytes) pendingChunks = [];
  }
  if (pendingBytes > 0) {
    position += pendingBytes;
    yield { text: takeLine(Buffer.alloc(0)), endOffset: position, isUnterminated: true };
  }
}
