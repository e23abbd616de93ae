import type { CaptureCandidate, CaptureSource } from './capture.js';
import type { Memory } from './memory.js';

/** Result of one import or one run of capture, or what captured sessions left undecided. */
export interface Intake {
  readonly id: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  readonly by: 'import' | CaptureSource | 'candidates';
  /** Base name of an imported file or folder; empty for others. */
  readonly source: string;
  /** New memories that it made, or candidates. */
  readonly count: number;
  /** How many still want a person's decision: none of a capture, whose notes want no decision. */
  readonly undecided: number;
}

/** Id of the intake of what captured sessions left undecided. */
export const candidatesIntakeId = 'candidates';

/**
 * Decision of a person about one of them. `keep`: a note is confirmed, and one that was dropped comes back; a candidate
 * becomes a confirmed memory. `drop`: a memory is forgotten, a candidate leaves the list. `global`: the same as `keep`, in the
 * global memory, where every project reads it.
 */
export const intakeChoices = ['keep', 'drop', 'global'] as const;
export type IntakeChoice = (typeof intakeChoices)[number];

export type IntakeItem =
  | { readonly memory: Memory; readonly line?: LinePlace; readonly candidate?: undefined }
  | { readonly memory?: undefined; readonly line?: undefined; readonly candidate: CaptureCandidate };

/** The last decision of a person about an intake that can be undone. */
export interface IntakeDecision {
  readonly at: string;
  /** How many memories and candidates were kept, dropped or moved. */
  readonly counts: Readonly<Record<IntakeChoice, number>>;
}

export interface IntakeReview {
  readonly intake: Intake;
  /** In the order in which they came. */
  readonly items: readonly IntakeItem[];
  /** How many there are besides `items`. */
  readonly more: number;
  readonly decision?: IntakeDecision;
}

/** A memory or candidate that stays as it is. */
export interface KeptItem {
  readonly id: string;
  /** One line of it; empty where it is gone. */
  readonly text: string;
  /** A sentence. */
  readonly reason: string;
}

export interface DecidedIntake extends IntakeDecision {
  readonly refused: readonly KeptItem[];
}

/** A decision that was taken back. */
export interface UndoneIntake {
  /** How many memories and candidates are as before it. */
  readonly undone: number;
  readonly kept: readonly KeptItem[];
}

/** Where an imported memory was in its file. */
export interface LinePlace {
  /** Path below the project or absolute; the name of the import where it is not known. */
  readonly file: string;
  /** The heading above it; empty where there is none. */
  readonly heading: string;
  /** Its text without file patterns and heading. */
  readonly text: string;
}

/** An imported memory with its place. */
export interface ImportedLine extends LinePlace {
  readonly memory: Memory;
}

/** Whether a person has still to decide about a memory that came in. */
export function isUndecided({ status, lane }: Memory): boolean {
  return status === 'active' && lane === 'note';
}
