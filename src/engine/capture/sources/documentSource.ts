import { createHash } from 'node:crypto';
import type { SessionLine } from './sessionLine.js';
import type { TranscriptReader } from './transcriptReader.js';

/** A session that its program rewrites as a whole, or keeps in a database. */
interface DocumentSource {
  listFiles(folder: string, workspaceFolders: readonly string[]): Promise<string[]>;
  readFolder(file: string): Promise<string | undefined>;
  /** All lines, in the order of the session. The last may still be written where `isOpen`: it is left for the next read. */
  readDocument(file: string): Promise<readonly SessionLine[]>;
}

/** A reader whose offsets count lines. */
export function createDocumentReader(source: DocumentSource): TranscriptReader {
  const hashTail = async (file: string, offset: number): Promise<string> =>
    fingerprint(await source.readDocument(file), offset);
  return {
    listFiles: (folder, workspaceFolders) => source.listFiles(folder, workspaceFolders),
    readFolder: file => source.readFolder(file),
    async *readLines(file, from) {
      for (const [i, line] of (await source.readDocument(file)).entries())
        if (i >= from) yield { line, endOffset: i + 1 };
    },
    /** A session with lines taken back is resumed behind the last captured time. */
    async resumePosition(file, cursor) {
      if (cursor === undefined) return { offset: 0 };
      if ((await hashTail(file, cursor.offset)) === cursor.tail) return { offset: cursor.offset };
      const { lastAt } = cursor.story;
      return lastAt === undefined ? { offset: 0 } : { offset: 0, capturedUntil: lastAt };
    },
    hashTail,
  };
}

/** Equal for sessions with the same person's turns before an offset: an answer may still grow. */
function fingerprint(lines: readonly SessionLine[], offset: number): string {
  const before = lines
    .slice(0, offset)
    .map(it => (it.kind === 'malformed' ? '' : (it.uuid ?? (it.kind === 'person' ? it.text : it.kind))));
  return createHash('sha256')
    .update(JSON.stringify([offset, before]))
    .digest('base64url');
}
