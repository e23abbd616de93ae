import type { ModelProviderName } from './config.js';
import type { RememberOutcome } from './rememberOutcome.js';

/** What sessions can be captured from; each is allowed by itself. */
export const captureSources = ['claudeCode', 'vscodeChat'] as const;
export type CaptureSource = (typeof captureSources)[number];

/** What a person has said about a source; in the global store. */
export interface CaptureConsent {
  readonly isAllowed: boolean;
  /** To whom turns may go: more than was shown is never done. */
  readonly provider: ModelProviderName;
}

/** The id of that record, of kind `state`. */
export const captureConsentId = (source: CaptureSource): string => `capture:${source}`;

/** Why a line of a session is not learned from. */
export const skippedLineReasons = [
  'toolResult',
  'toolUse',
  'meta',
  'sidechain',
  'compaction',
  'apiError',
  'notAPerson',
  'nothingSaid',
] as const;
export type SkippedLineReason = (typeof skippedLineReasons)[number];

/** What a stretch of a session file holds. */
export interface TranscriptCount {
  readonly lines: number;
  /** Lines that are no JSON object, or too long to be one that a person wrote. */
  readonly broken: number;
  /** Turns in which a person says something, and texts in which the assistant says what came of it. */
  readonly personTurns: number;
  readonly outcomes: number;
  /** Of both, once everything that is not their words is taken out. */
  readonly characters: number;
  readonly leftOut: Readonly<Partial<Record<SkippedLineReason, number>>>;
}

/** One session file, and what of it has not been captured yet. */
export interface SessionPreview {
  readonly file: string;
  /** The session's id. */
  readonly session: string;
  /** The folder that it was held in, where it says so. */
  readonly folder: string | undefined;
  readonly bytes: number;
  readonly unread: TranscriptCount;
}

/** Exactly what a capture would read and send. Nothing is kept and nothing is sent for it. */
export interface CapturePreview {
  readonly source: CaptureSource;
  /** A person has allowed it, as it would be done now. */
  readonly isAllowed: boolean;
  readonly sessions: readonly SessionPreview[];
  /** The folder that was looked through; undefined where files were named. */
  readonly folder: string | undefined;
  /** To whom the turns would go; undefined where rules do the work and nothing leaves this machine. */
  readonly sends:
    { readonly provider: ModelProviderName; readonly calls: number; readonly characters: number } | undefined;
}

/** What was captured from one session. */
export interface SessionCapture {
  readonly file: string;
  readonly session: string;
  readonly read: TranscriptCount;
  /** In the order in which it was said. */
  readonly outcomes: readonly RememberOutcome[];
  /** The memory that sums the session up. */
  readonly summary: string | undefined;
  /** Who picked the facts. */
  readonly by: 'rule' | 'model';
}

export interface CaptureResult {
  /** Only those with something new. */
  readonly sessions: readonly SessionCapture[];
  /** Called off; the rest is captured the next time. */
  readonly cancelled: boolean;
  /** Until when a language model has to wait; what it was to read is captured then. */
  readonly waitsUntil: Date | undefined;
}

export interface CaptureProgress {
  readonly file: string;
  /** Bytes read and to read, of all files. */
  readonly done: number;
  readonly total: number;
}
