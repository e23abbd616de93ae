import type { ModelProviderName } from './config.js';
import type { RememberOutcome } from './rememberOutcome.js';

/** Sources of sessions, each with its own consent. */
export const captureSources = ['claudeCode', 'vscodeChat'] as const;
export type CaptureSource = (typeof captureSources)[number];

/** The person's consent for a source, in the global store. */
export interface CaptureConsent {
  readonly isAllowed: boolean;
  /** The provider that turns may be sent to. */
  readonly provider: ModelProviderName;
}

/** Id of the record of kind `state`. */
export const captureConsentId = (source: CaptureSource): string => `capture:${source}`;

/** Why a line of a session is skipped. */
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

/** Counts of the lines in a part of a session file. */
export interface TranscriptCount {
  readonly lines: number;
  /** Lines that are not a JSON object, or too long. */
  readonly broken: number;
  /** Turns of the person, and the assistant's texts about their outcome. */
  readonly personTurns: number;
  readonly outcomes: number;
  /** Length of both, without injected text. */
  readonly characters: number;
  readonly leftOut: Readonly<Partial<Record<SkippedLineReason, number>>>;
}

/** A session file with the part that is not captured yet. */
export interface SessionPreview {
  readonly file: string;
  /** The session's id. */
  readonly session: string;
  /** The project folder, where it is known. */
  readonly folder: string | undefined;
  readonly bytes: number;
  readonly unread: TranscriptCount;
}

/** What a capture would read and send. */
export interface CapturePreview {
  readonly source: CaptureSource;
  /** The person has allowed the source with the current provider. */
  readonly isAllowed: boolean;
  readonly sessions: readonly SessionPreview[];
  /** The searched folder; undefined where files were given. */
  readonly folder: string | undefined;
  /** The requests to a provider; undefined where rules extract the facts and nothing leaves the machine. */
  readonly sends:
    { readonly provider: ModelProviderName; readonly calls: number; readonly characters: number } | undefined;
}

/** The result for one session. */
export interface SessionCapture {
  readonly file: string;
  readonly session: string;
  readonly read: TranscriptCount;
  /** In the order of the session. */
  readonly outcomes: readonly RememberOutcome[];
  /** Content of the summary memory. */
  readonly summary: string | undefined;
  /** What extracted the facts. */
  readonly by: 'rule' | 'model';
}

export interface CaptureResult {
  /** Sessions with new lines. */
  readonly sessions: readonly SessionCapture[];
  /** The capture was aborted; the next one resumes. */
  readonly cancelled: boolean;
  /** When the language model may be asked again; the rest is captured then. */
  readonly waitsUntil: Date | undefined;
}

export interface CaptureProgress {
  readonly file: string;
  /** Bytes of all files. */
  readonly done: number;
  readonly total: number;
}
