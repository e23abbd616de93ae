import { createReadStream } from 'node:fs';

/** A longer line is no turn of a person's: pictures and outputs of tools are. It is passed over, never held. */
const maxLineBytes = 16 * 1024 * 1024;
const newline = 0x0a;

export interface TranscriptLine {
  /** Without its line end; undefined when it is too long. */
  readonly text: string | undefined;
  /** Where the next line begins, in bytes. */
  readonly endOffset: number;
  /** The file's last line, without a line end: somebody may still be writing it. */
  readonly isUnterminated: boolean;
}

/**
 * The lines of a file from a byte offset on, read as a stream: memory for the longest line, whatever the file's size.
 * Empty lines are lines. An offset beyond the end gives none.
 * @throws the file system's error when it cannot be read
 */
export async function* readLinesWithOffsets(file: string, from: number): AsyncGenerator<TranscriptLine> {
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
  for await (const chunk of createReadStream(file, { start: from, highWaterMark: 256 * 1024 })) {
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
