import type { CaptureSource } from '../model/capture.js';
import { positionIn, tailOf, type Cursor, type Position } from './cursor.js';
import { folderOf, sessionFiles } from './sources.js';
import { sessionLines, type PlacedLine } from './turns.js';
import { chatFiles, chatFolder, chatLines, chatPosition, chatTail } from './vscodeChat.js';

/** How the sessions of a source are read. An offset is where a line ends, in a measure of the source's own. */
export interface TranscriptReader {
  /** Session files of the open folders below the folder of the source, oldest first. */
  files(folder: string, workspaceFolders: readonly string[]): Promise<string[]>;
  /** The folder that a session was held in. */
  folderOf(file: string): Promise<string | undefined>;
  lines(file: string, from: number): AsyncGenerator<PlacedLine>;
  /** Where a store goes on. */
  position(file: string, cursor: Cursor | undefined): Promise<Position>;
  /** Tells whether a file is still the same up to an offset. */
  tail(file: string, offset: number): Promise<string>;
}

export const transcripts: Readonly<Record<CaptureSource, TranscriptReader>> = {
  claudeCode: { files: sessionFiles, folderOf, lines: sessionLines, position: positionIn, tail: tailOf },
  vscodeChat: { files: chatFiles, folderOf: chatFolder, lines: chatLines, position: chatPosition, tail: chatTail },
};
