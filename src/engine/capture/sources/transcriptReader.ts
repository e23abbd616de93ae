import type { CaptureCursor, ResumePosition } from '../captureCursor.js';
import type { LineWithOffset } from './sessionLine.js';

/** Reads the sessions of a source. Offsets are ends of lines, in a unit of the source. */
export interface TranscriptReader {
  /** Session files of the open folders below the source's folder, oldest first. */
  listFiles(folder: string, workspaceFolders: readonly string[]): Promise<string[]>;
  /** The project folder of a session. */
  readFolder(file: string): Promise<string | undefined>;
  readLines(file: string, from: number): AsyncGenerator<LineWithOffset>;
  resumePosition(file: string, cursor: CaptureCursor | undefined): Promise<ResumePosition>;
  /** A hash of what precedes an offset; it changes when the file is rewritten. */
  hashTail(file: string, offset: number): Promise<string>;
}
