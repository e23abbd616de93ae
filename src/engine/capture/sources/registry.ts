import type { CaptureSource } from '../../model/capture.js';
import { resumePosition, hashTail, type CaptureCursor, type ResumePosition } from '../captureCursor.js';
import { readClaudeSessionFolder, listClaudeSessions } from './claudeSessions.js';
import { readClaudeTranscript, type LineWithOffset } from './claudeTranscript.js';
import {
  listChatSessions,
  findChatFolder,
  readChatTranscript,
  resumeChatPosition,
  hashChatTail,
} from './vscodeChat.js';

/** How the sessions of a source are read. An offset is where a line ends, in a measure of the source's own. */
export interface TranscriptReader {
  /** Session files of the open folders below the folder of the source, oldest first. */
  listFiles(folder: string, workspaceFolders: readonly string[]): Promise<string[]>;
  /** The folder that a session was held in. */
  readFolder(file: string): Promise<string | undefined>;
  readLines(file: string, from: number): AsyncGenerator<LineWithOffset>;
  /** Where a store goes on. */
  resumePosition(file: string, cursor: CaptureCursor | undefined): Promise<ResumePosition>;
  /** Tells whether a file is still the same up to an offset. */
  hashTail(file: string, offset: number): Promise<string>;
}

export const transcriptReaders: Readonly<Record<CaptureSource, TranscriptReader>> = {
  claudeCode: {
    listFiles: listClaudeSessions,
    readFolder: readClaudeSessionFolder,
    readLines: readClaudeTranscript,
    resumePosition: resumePosition,
    hashTail: hashTail,
  },
  vscodeChat: {
    listFiles: listChatSessions,
    readFolder: findChatFolder,
    readLines: readChatTranscript,
    resumePosition: resumeChatPosition,
    hashTail: hashChatTail,
  },
};
