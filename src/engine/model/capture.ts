import type { ModelProviderName } from './config.js';
import type { RememberOutcome } from './rememberOutcome.js';

/** Sources of sessions; a person allows each separately. */
export const captureSources = [
  'claudeCode',
  'vscodeChat',
  'codex',
  'geminiCli',
  'copilotCli',
  'opencode',
  'cursor',
  'specStory',
] as const;
export type CaptureSource = (typeof captureSources)[number];

/** Names of the programs; those of VS Code's own chats are a translated text. */
export const captureSourceNames: Readonly<Record<CaptureSource, string>> = {
  claudeCode: 'Claude Code',
  vscodeChat: 'VS Code',
  codex: 'Codex',
  geminiCli: 'Gemini CLI',
  copilotCli: 'Copilot CLI',
  opencode: 'opencode',
  cursor: 'Cursor',
  specStory: 'SpecStory',
};

/** A person's decision about a source; stored in the global store. */
export interface CaptureConsent {
  readonly isAllowed: boolean;
  /** Where turns may be sent; nothing is sent elsewhere. */
  readonly provider: ModelProviderName;
}

/** Id of the consent record, of kind `state`. */
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

/** Statistics of a part of a session file. */
export interface TranscriptCount {
  readonly lines: number;
  /** Lines that are not JSON objects or too long for a person's message. */
  readonly broken: number;
  /** Turns with a person's text, and assistant texts that state a result. */
  readonly personTurns: number;
  readonly outcomes: number;
  /** Characters of both, without injected text. */
  readonly characters: number;
  readonly leftOut: Readonly<Partial<Record<SkippedLineReason, number>>>;
}

/** A session file and the part that has not been captured yet. */
export interface SessionPreview {
  readonly file: string;
  /** Session id. */
  readonly session: string;
  /** Working folder of the session, if recorded. */
  readonly folder: string | undefined;
  readonly bytes: number;
  readonly unread: TranscriptCount;
}

/** A session file that was left out. */
export interface FailedSession {
  readonly file: string;
  readonly problem: string;
}

/** What a capture would read and send. Making it stores and sends nothing. */
export interface CapturePreview {
  readonly source: CaptureSource;
  /** Whether a person has allowed the capture as it would run now. */
  readonly isAllowed: boolean;
  readonly sessions: readonly SessionPreview[];
  readonly failed: readonly FailedSession[];
  /** The scanned folder; undefined if files were named. */
  readonly folder: string | undefined;
  /** Where the turns would be sent; undefined if rules do the work and nothing leaves this machine. */
  readonly sends:
    { readonly provider: ModelProviderName; readonly calls: number; readonly characters: number } | undefined;
}

/** Memories captured from one session. */
export interface SessionCapture {
  readonly file: string;
  readonly session: string;
  readonly read: TranscriptCount;
  /** In the order of the session. */
  readonly outcomes: readonly RememberOutcome[];
  /** Id of the memory that summarizes the session. */
  readonly summary: string | undefined;
  /** Whether rules or a model selected the facts. */
  readonly by: 'rule' | 'model';
}

export interface CaptureResult {
  /** To review it by (`intakes`); absent where no memory was made. */
  readonly id?: string;
  /** Sessions with new content. */
  readonly sessions: readonly SessionCapture[];
  readonly failed: readonly FailedSession[];
  /** Aborted; the rest is captured next time. */
  readonly cancelled: boolean;
  /** End of a language model's wait; the remaining text is captured then. */
  readonly waitsUntil: Date | undefined;
}

export interface CaptureProgress {
  readonly file: string;
  /** Bytes of all files, read so far and in total. */
  readonly done: number;
  readonly total: number;
}

/** A statement of a session that may be lasting, which rules cannot judge. */
export interface CaptureCandidate {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly content: string;
  readonly session: string;
  /** What the person typed in that turn, to judge it by; absent where the candidate is all of it. */
  readonly said?: string;
  /** ISO-8601 UTC. */
  readonly at?: string;
  readonly branch?: string;
  readonly commit?: string;
}

/** How much of a repository's history was read, and what it offers. */
export interface GitLogReport {
  /** Commits that were not read before. */
  readonly commits: number;
  /** Sentences of reverts and merges among them; the best of the project are listed. */
  readonly candidates: number;
}

/** What a person decides about candidates, by id. */
export interface CandidateDecision {
  readonly keep: readonly string[];
  readonly drop: readonly string[];
  /** To keep in the global memory, whatever they are about. */
  readonly global?: readonly string[];
  /** The person's wording of kept ones, by id. */
  readonly edited?: Readonly<Record<string, string>>;
}
