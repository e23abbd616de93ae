import { parseClaudeCodeLine, type SessionLine } from './claudeCode.js';
import { readLinesWithOffsets } from './jsonLines.js';

export interface LineWithOffset {
  readonly line: SessionLine;
  /** Where the next line begins, in bytes. */
  readonly endOffset: number;
}

/**
 * The lines of a session file from an offset on, read. Empty lines are passed over. A last line without a line end counts
 * only when it is a whole object; otherwise somebody is still writing it, and the next reading begins with it.
 */
export async function* readClaudeTranscript(file: string, fromOffset: number): AsyncGenerator<LineWithOffset> {
  for await (const { text, endOffset, isUnterminated } of readLinesWithOffsets(file, fromOffset)) {
    if (text?.trim() === '') continue;
    const line: SessionLine = text === undefined ? { kind: 'broken' } : parseClaudeCodeLine(text);
    if (isUnterminated && line.kind === 'broken') return;
    yield { line, endOffset };
  }
}
