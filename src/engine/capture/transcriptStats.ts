import type { SkippedLineReason, TranscriptCount } from '../model/capture.js';
import type { SessionLine } from './sources/claudeCode.js';

/** Counts what a stretch of a session file holds. */
export class TranscriptStats {
  private lines = 0;
  private broken = 0;
  private personTurns = 0;
  private outcomes = 0;
  private characters = 0;
  private readonly leftOut = new Map<SkippedLineReason, number>();

  add(line: SessionLine): void {
    this.lines++;
    if (line.kind === 'broken') this.broken++;
    else if (line.kind === 'leftOut') this.leftOut.set(line.reason, (this.leftOut.get(line.reason) ?? 0) + 1);
    else {
      if (line.kind === 'person') this.personTurns++;
      else this.outcomes++;
      this.characters += line.text.length;
    }
  }

  get counts(): TranscriptCount {
    const { lines, broken, personTurns, outcomes, characters } = this;
    return { lines, broken, personTurns, outcomes, characters, leftOut: Object.fromEntries(this.leftOut) };
  }
}
