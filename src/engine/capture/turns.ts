import { readSessionLine, type SessionLine } from './claudeCode.js';
import { linesOf } from './jsonLines.js';

export interface PlacedLine {
  readonly line: SessionLine;
  /** Where the next line begins, in bytes. */
  readonly end: number;
}

/**
 * The lines of a session file from an offset on, read. Empty lines are passed over. A last line without a line end counts
 * only when it is a whole object; otherwise somebody is still writing it, and the next reading begins with it.
 */
export async function* sessionLines(file: string, from: number): AsyncGenerator<PlacedLine> {
  for await (const { text, end, isOpen } of linesOf(file, from)) {
    if (text?.trim() === '') continue;
    const line: SessionLine = text === undefined ? { kind: 'broken' } : readSessionLine(text);
    if (isOpen && line.kind === 'broken') return;
    yield { line, end };
  }
}
