import { createReadStream } from 'node:fs';

/** A longer line is no turn of a person's: pictures and outputs of tools are. It is passed over, never held. */
const maxLineBytes = 16 * 1024 * 1024;
const newline = 0x0a;

export interface Line {
  /** Without its line end; undefined when it is too long. */
  readonly text: string | undefined;
  /** Where the next line begins, in bytes. */
  readonly end: number;
  /** The file's last line, without a line end: somebody may still be writing it. */
  readonly isOpen: boolean;
}

/**
 * The lines of a file from a byte offset on, read as a stream: memory for the longest line, whatever the file's size.
 * Empty lines are lines. An offset beyond the end gives none.
 * @throws the file system's error when it cannot be read
 */
export async function* linesOf(file: string, from: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let held = 0;
  let position = from;
  const take = (rest: Buffer): string | undefined => {
    const text = held + rest.length > maxLineBytes ? undefined : Buffer.concat([...parts, rest]).toString('utf8');
    parts = [];
    held = 0;
    return text?.replace(/^\uFEFF|\r$/gu, '');
  };
  for await (const chunk of createReadStream(file, { start: from, highWaterMark: 256 * 1024 })) {
    let bytes = chunk as Buffer;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline)) {
      position += end + 1 + held;
      yield { text: take(bytes.subarray(0, end)), end: position, isOpen: false };
      bytes = bytes.subarray(end + 1);
    }
    held += bytes.length;
    if (held <= maxLineBytes && bytes.length > 0) parts.push(bytes);
    else if (held > maxLineBytes) parts = [];
  }
  if (held > 0) {
    position += held;
    yield { text: take(Buffer.alloc(0)), end: position, isOpen: true };
  }
}
