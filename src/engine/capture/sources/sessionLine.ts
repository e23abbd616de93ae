import type { SkippedLineReason, TranscriptCount } from '../../model/capture.js';

/** Metadata of a line, where the line has it. */
export interface LineMetadata {
  readonly uuid: string | undefined;
  readonly session: string | undefined;
  /** ISO-8601 UTC. */
  readonly at: string | undefined;
  readonly folder: string | undefined;
  readonly branch: string | undefined;
}

/** What the assistant did in a line, as its tools say it. */
export interface LineWork {
  /** Absolute paths. */
  readonly changedFiles: readonly string[];
  readonly testRuns: readonly { readonly call: string; readonly command: string }[];
  /** Ids of calls that failed. */
  readonly failedCalls: readonly string[];
  /** Of a shell, those that the session waits for. */
  readonly commands: readonly { readonly call: string; readonly command: string }[];
  /** How calls ended that were carried out, of any tool. */
  readonly results: readonly { readonly call: string; readonly hasFailed: boolean }[];
}

/** A parsed line of a session: a person's turn, the assistant's outcome, or a line without either. */
export type SessionLine =
  | ({ readonly kind: 'person' | 'outcome'; readonly text: string; readonly work?: LineWork } & LineMetadata)
  | ({ readonly kind: 'skipped'; readonly reason: SkippedLineReason; readonly work?: LineWork } & LineMetadata)
  | { readonly kind: 'malformed' };

export interface LineWithOffset {
  readonly line: SessionLine;
  /** Offset of the next line, in the unit of the source. */
  readonly endOffset: number;
}

/** Counts the lines of a session by kind. */
export class TranscriptStats {
  private lines = 0;
  private malformed = 0;
  private personTurns = 0;
  private outcomes = 0;
  private characters = 0;
  private readonly skipped = new Map<SkippedLineReason, number>();

  add(line: SessionLine): void {
    this.lines++;
    if (line.kind === 'malformed') this.malformed++;
    else if (line.kind === 'skipped') this.skipped.set(line.reason, (this.skipped.get(line.reason) ?? 0) + 1);
    else {
      if (line.kind === 'person') this.personTurns++;
      else this.outcomes++;
      this.characters += line.text.length;
    }
  }

  get counts(): TranscriptCount {
    const { lines, malformed: broken, personTurns, outcomes, characters } = this;
    return { lines, broken, personTurns, outcomes, characters, leftOut: Object.fromEntries(this.skipped) };
  }
}
