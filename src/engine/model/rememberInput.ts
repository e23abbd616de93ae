import type { DecayClass, Gate, Kind, Lane, LineRange, MemorySource, StoreKind } from './memory.js';

/** A text to remember, and optional fields that otherwise the classifier sets. */
export interface RememberInput {
  readonly content: string;
  readonly source: MemorySource;
  /** Default `note`. A surface sets `confirmed` only if a person wrote or confirmed the text. */
  readonly lane?: Lane;
  readonly gate?: Gate;
  readonly kind?: Kind;
  /** `permanent` only together with lane `confirmed`. */
  readonly decayClass?: DecayClass;
  /** Default: the gate's. Without an open folder everything goes to the global store. */
  readonly store?: StoreKind;
  /** 1-10, default 5. */
  readonly priority?: number;
  /** At most 20; trimmed, lower case. */
  readonly tags?: readonly string[];
  readonly scopeId?: string;
  /** Keeps the text as one memory instead of splitting it into facts; for text that a person selected. */
  readonly whole?: boolean;
  readonly session?: string;
  readonly uri?: string;
  readonly range?: LineRange;
  readonly symbol?: string;
  readonly anchorHash?: string;
  readonly branch?: string;
  readonly commit?: string;
  /** Time of the statement, ISO-8601 UTC, for texts older than this call. Default now. */
  readonly at?: string;
}
