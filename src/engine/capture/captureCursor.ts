import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CaptureSource } from '../model/capture.js';
import { parseClaudeCodeLine } from './sources/claudeCode.js';
import { readLinesWithOffsets } from './sources/jsonLines.js';
import type { SessionSummaryState } from './sessionSummary.js';

/** How far a session file has been captured into one store; kept there, and moved in the transaction that captures. */
export interface CaptureCursor {
  readonly file: string;
  /** Bytes that are done with. */
  readonly offset: number;
  /** The last line's; where the file was rewritten, reading goes on behind it. */
  readonly uuid?: string;
  /** Hash of the bytes before the offset: whether it is still the same file. */
  readonly tail: string;
  readonly story: SessionSummaryState;
  /** The memory that sums the session up, and the offset up to which it does. In the store that holds it. */
  readonly summary?: { readonly id: string; readonly offset: number };
}

/** From where on a store takes what a file says. */
export interface ResumePosition {
  readonly offset: number;
  /** Of a file that was rewritten beyond recognition: lines up to this time were captured before. ISO-8601 UTC. */
  readonly capturedUntil?: string;
}

const tailBytes = 256;

/** A session's cursor has the name of its file, which is the session's id: a moved file is not read again. */
export function cursorRecordId(source: CaptureSource, file: string): string {
  const name = path.basename(file).replace(/\.jsonl?$/iu, '');
  const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu.test(name);
  return `${source}:${isId ? name.toLowerCase() : createHash('sha256').update(path.resolve(file)).digest('hex').slice(0, 32)}`;
}

/** Where to go on in a file. A file that was cut or rewritten is gone on with behind the last known line. */
export async function resumePosition(file: string, cursor: CaptureCursor | undefined): Promise<ResumePosition> {
  if (cursor === undefined) return { offset: 0 };
  const { size } = await stat(file);
  if (size >= cursor.offset && (await hashTail(file, cursor.offset)) === cursor.tail) return { offset: cursor.offset };
  if (cursor.uuid !== undefined) {
    const name = JSON.stringify(cursor.uuid);
    for await (const { text, endOffset } of readLinesWithOffsets(file, 0)) {
      if (text?.includes(name) !== true) continue;
      const line = parseClaudeCodeLine(text);
      if (line.kind !== 'broken' && line.uuid === cursor.uuid) return { offset: endOffset };
    }
  }
  const { lastAt } = cursor.story;
  return lastAt === undefined ? { offset: 0 } : { offset: 0, capturedUntil: lastAt };
}

/** Hash of the bytes just before an offset. */
export async function hashTail(file: string, offset: number): Promise<string> {
  const from = Math.max(0, offset - tailBytes);
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(offset - from), 0, offset - from, from);
    return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('base64url');
  } finally {
    await handle.close();
  }
}
