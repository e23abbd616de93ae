import type { DecayClass, Gate, Kind, Lane, LineRange, MemorySource, SearchAids, StoreKind } from './memory.js';

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
  /**
   * Default: the project's store of what is anchored to code or a file; the one of what the fact is linked to; the global one
   * of a set and of a correction of how an assistant behaves; else the project's. Without an open folder everything goes to
   * the global store.
   */
  readonly store?: StoreKind;
  /** The open folder whose project takes it, where it goes to a project and no document says which; default the first. */
  readonly folder?: string;
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
  /** The day on which it was said (`YYYY-MM-DD`), and in which words. Provenance: neither dates nor vouches for it. */
  readonly on?: string;
  readonly said?: string;
  /** Id of the turn that says it, and why it is worth keeping. */
  readonly turn?: string;
  readonly reason?: string;
  /** The imported file (see Provenance). */
  readonly file?: string;
  /** Member who shared it (see Provenance). */
  readonly author?: string;
  /** Due date of a plan, ISO-8601 UTC. */
  readonly dueAt?: string;
  /** Whether the day of a plan is read from the text where `dueAt` is left out; default true. */
  readonly readsDay?: boolean;
  /** Words to find the memory by; what exceeds the limits is left out. */
  readonly aids?: Partial<SearchAids>;
  /** Links to stored memories that the caller knows: references, ids or short ids. */
  readonly links?: FactLinks;
  /** Time of the statement, ISO-8601 UTC, for texts older than this call. Default now. */
  readonly at?: string;
}

/** How a new fact stands to stored memories, by their references. */
export interface FactLinks {
  /** No longer hold because of this fact. */
  readonly replaces?: readonly string[];
  /** It adds to them. */
  readonly refines?: readonly string[];
  /** It says this one again: that memory is reinforced, and no second one stored. */
  readonly sameAs?: string;
}

/** A judgement on a stored memory, of which at most one, and words to find it by. */
export interface ReviseInput {
  readonly id: string;
  readonly replacedBy?: string;
  readonly sameAs?: string;
  readonly stillTrue?: boolean;
  /** Moves it: `user` is true of the person in all projects. */
  readonly appliesTo?: 'project' | 'user';
  readonly questions?: readonly string[];
  readonly keywords?: readonly string[];
}

/** A person's new text of a memory, which becomes theirs, as what they say is. */
export interface TextEdit {
  readonly content: string;
  /** The text that the person saw: one that has changed since is not overwritten. */
  readonly before: string;
}
