import { stat } from 'node:fs/promises';
import { parseJsonObject, type JsonObject } from '../../base/json.js';
import { isFileError } from '../../base/regularFile.js';
import { hashClaudeTail } from './claudeCode.js';
import { readLinesWithOffsets } from './jsonLines.js';
import { isInsideAnyRoot, resolveRealFolders, sortByModificationTime } from './sessionFiles.js';
import type { LineMetadata, SessionLine } from './sessionLine.js';
import type { TranscriptReader } from './transcriptReader.js';

/** What the first lines of a session file say of all its lines. */
export type SessionHeader = Pick<LineMetadata, 'session' | 'folder' | 'branch'>;

/** A program that appends its sessions to files of JSON lines, whose first lines say where it ran. */
interface JsonLinesSource {
  /** Session files below the source's folder, in any order. */
  findFiles(folder: string): Promise<readonly string[]>;
  /** The header, from a line that has it. */
  readHeader(line: JsonObject): SessionHeader | undefined;
  parseLine(line: JsonObject, header: SessionHeader): SessionLine;
}

/** Lines searched for the header. */
const maxHeaderLines = 20;
const maxHeaderBytes = 4 * 1024 * 1024;
const noHeader: SessionHeader = { session: undefined, folder: undefined, branch: undefined };

/** A reader whose offsets are bytes. */
export function createJsonLinesReader(source: JsonLinesSource): TranscriptReader {
  const readHeader = async (file: string): Promise<SessionHeader> => {
    let lines = 0;
    for await (const { text = '' } of readLinesWithOffsets(file, 0, maxHeaderBytes)) {
      const json = parseJsonObject(text);
      const header = json === undefined ? undefined : source.readHeader(json);
      if (header !== undefined) return header;
      if (++lines >= maxHeaderLines) break;
    }
    return noHeader;
  };
  const reader: TranscriptReader = {
    async listFiles(folder, workspaceFolders) {
      const roots = await resolveRealFolders(workspaceFolders);
      const found: string[] = [];
      for (const file of await source.findFiles(folder)) {
        const sessionFolder = await reader.readFolder(file).catch((error: unknown) => {
          if (!isFileError(error)) throw error;
          return undefined;
        });
        if (sessionFolder !== undefined && (await isInsideAnyRoot(sessionFolder, roots))) found.push(file);
      }
      return sortByModificationTime(found);
    },
    readFolder: async file => (await readHeader(file)).folder,
    async *readLines(file, from) {
      const header = await readHeader(file);
      for await (const { text, endOffset, isUnterminated } of readLinesWithOffsets(file, from)) {
        if (text?.trim() === '') continue;
        const json = text === undefined ? undefined : parseJsonObject(text);
        if (json === undefined && isUnterminated) return;
        yield { line: json === undefined ? { kind: 'malformed' } : source.parseLine(json, header), endOffset };
      }
    },
    /** These programs only append: a file that differs before the offset is read again, behind the last known time. */
    async resumePosition(file, cursor) {
      if (cursor === undefined) return { offset: 0 };
      const { size } = await stat(file);
      if (size >= cursor.offset && (await hashClaudeTail(file, cursor.offset)) === cursor.tail)
        return { offset: cursor.offset };
      const { lastAt } = cursor.story;
      return lastAt === undefined ? { offset: 0 } : { offset: 0, capturedUntil: lastAt };
    },
    hashTail: hashClaudeTail,
  };
  return reader;
}
