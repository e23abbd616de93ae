import { createHash } from 'node:crypto';
import path from 'node:path';
import type { CaptureSource } from '../model/capture.js';
import type { SessionSummaryState } from './sessionSummary.js';

/**
 * How far a store has captured a session file. A record of kind `cursor`, written in the same transaction as the captured
 * facts.
 */
export interface CaptureCursor {
  readonly file: string;
  /** End of the captured part, in the unit of the source. */
  readonly offset: number;
  /** Id of the last captured line, to resume behind it in a rewritten file. */
  readonly uuid?: string;
  /** Hash of what precedes the offset, to detect a rewritten file. */
  readonly tail: string;
  readonly story: SessionSummaryState;
  /** Absent where a model read the session. */
  readonly signs?: SessionSigns;
  /** The session's summary memory and the offset it covers. In the store that holds the memory. */
  readonly summary?: { readonly id: string; readonly offset: number };
}

/** Of what was captured by rule, whether something lasting may have been said. */
export interface SessionSigns {
  /** The highest score of a sentence (`scoreStatement`). */
  readonly best: number;
  /** How many sentences are likely to be lasting. */
  readonly likely: number;
}

/** Where a store resumes a session file. */
export interface ResumePosition {
  readonly offset: number;
  /** ISO-8601 UTC. Lines up to this time were captured before, where the file was rewritten and no offset is known. */
  readonly capturedUntil?: string;
}

/** The record id of a session's cursor: the session's id where the file is named after it, which a moved file keeps. */
export function cursorRecordId(source: CaptureSource, file: string): string {
  const name = path.basename(file).replace(/\.jsonl?$/iu, '');
  const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu.test(name);
  return `${source}:${isId ? name.toLowerCase() : createHash('sha256').update(path.resolve(file)).digest('hex').slice(0, 32)}`;
}
