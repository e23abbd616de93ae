import type { GivenMemory } from './access.js';
import type { EdgeMark } from './edge.js';
import type { CodeState, DecayClass, Gate, Kind, Lane, Memory, StoreScope, Status, Temperature } from './memory.js';
import type { Trace } from './trace.js';

/** A filter on memories. Absent fields do not filter; list values are alternatives, except that all tags must match. */
export interface MemoryFilter {
  readonly gates?: readonly Gate[];
  readonly kinds?: readonly Kind[];
  readonly tags?: readonly string[];
  readonly lane?: Lane;
  readonly decayClasses?: readonly DecayClass[];
  readonly statuses?: readonly Status[];
  /** Created at or after, ISO-8601. */
  readonly since?: string;
  /** Created before, ISO-8601. */
  readonly until?: string;
  readonly pinned?: boolean;
  /** Anchored in this document. */
  readonly uri?: string;
  readonly session?: string;
  /** Present and true: only memories that lack search aids and may have some, so no code. */
  readonly withoutAids?: true;
  /** The text has all of these, each in any case and also inside a word. */
  readonly words?: readonly string[];
}

export interface ListInput extends MemoryFilter {
  readonly scope?: StoreScope;
  readonly scopeId?: string;
  readonly temperature?: Temperature;
  /** Pinned first, then newest first; otherwise newest first. */
  readonly limit?: number;
  readonly offset?: number;
}

/** `fast` may answer from the cache, which every write empties; `fresh` always searches. */
export const recallModes = ['fast', 'fresh'] as const;
export type RecallMode = (typeof recallModes)[number];

/** The requester: a person at the keyboard, or a model through a tool. */
export type RequestedBy = 'person' | 'model';

export interface RecallInput extends MemoryFilter {
  readonly query: string;
  /** At most 4 other wordings of the query, as the memory may put it. */
  readonly alternatives?: readonly string[];
  /** At most 12 words that the memory may have. */
  readonly keywords?: readonly string[];
  /** Return what is probably not relevant, too: rankings are measured by it, and a person's live search shows it. */
  readonly withoutCut?: boolean;
  readonly scope?: StoreScope;
  readonly scopeId?: string;
  /** Maximum number of returned memories, 1-100. */
  readonly limit?: number;
  /** Maximum number of tokens of the context. */
  readonly tokenBudget?: number;
  /** Default `fast`. */
  readonly mode?: RecallMode;
  /** For queries as a person types: writes no trace, counts as no use and restores nothing. */
  readonly isUntracked?: boolean;
  /** Default `person`. Recorded in the trace; does not change the answer. */
  readonly asker?: RequestedBy;
  /** Memories that the asker has been given already: left out, unless it was changed or contradicted since. */
  readonly given?: readonly GivenMemory[];
}

/** One memory of an answer, with values computed for the call. */
export interface Hit {
  readonly memory: Memory;
  /** 0-100. */
  readonly effectiveConfidence: number;
  readonly rank: number;
  /** State of the code that the memory is about; absent if it is unchanged or there is none. */
  readonly code?: CodeState;
  /** The branch that the memory was learned on, if it was deleted since and that is worth a word. */
  readonly goneBranch?: string;
  /** Active memories in an unsettled contradiction with this one; absent if there are none. */
  readonly contradicts?: readonly ContradictingMemory[];
  /** Present and true if it is below the cut of relevance and is shown because the caller asked for everything. */
  readonly isBelowCut?: boolean;
  /** Id of the hit that this memory contradicts; absent for hits of the search itself. */
  readonly broughtBy?: string;
  /** Notes that this memory replaced and that the search found too, the newest first; absent where there are none. */
  readonly before?: readonly Memory[];
  /** Marks against this memory, or against what it replaces: open until a person settles it. */
  readonly outdating?: Outdating;
  /** Probability that it answers the question, 0-1. */
  readonly probability?: number;
}

/** Two memories of which the older one is a person's and, by a weaker word, no longer holds. */
export interface Outdating {
  /** The other memory. */
  readonly id: string;
  readonly by: EdgeMark['by'];
  readonly reason: string;
  /** Whether this memory is the newer of the two. */
  readonly isNewer: boolean;
}

/** A memory that contradicts another one. */
export interface ContradictingMemory {
  readonly id: string;
  /** Whether it was stored later than the other one. */
  readonly newer: boolean;
  /** 0-1. */
  readonly certainty: number;
  /** One sentence that names the difference. */
  readonly reason: string;
  /** Which of the two no longer holds, by a model's or a person's word. */
  readonly mark: {
    readonly outdated: 'this' | 'other';
    readonly by: EdgeMark['by'];
    readonly at: string;
    /** The other one says the same and stands for it. */
    readonly isSame?: boolean;
  };
}

export interface RecallResult {
  /** Best first, each followed by memories that contradict it. */
  readonly hits: readonly Hit[];
  /** Text for a model's prompt: delimited, labeled as recalled notes, within the token budget. */
  readonly context: string;
  /** Estimated tokens of `context`. */
  readonly tokens: number;
  readonly trace: Trace;
}

/** A recall result reduced to its context. */
export interface ContextResult {
  /** Text for a model's prompt; empty if nothing was found for the task. */
  readonly context: string;
  /** Estimated tokens of `context`. */
  readonly tokens: number;
  /** Ids of the included memories, best first. */
  readonly ids: readonly string[];
  /** Whether code that some of them are about has changed or is gone. */
  readonly codeChanged: boolean;
  readonly cache: Trace['cache'];
  /** Id of the trace. */
  readonly trace: string;
}

/** Creation times, ISO-8601 UTC: from `since` on, before `until`. */
export interface Period {
  readonly since: string;
  readonly until: string;
}

/** An isolated set: memories that only a call with their scopeId sees. */
export interface MemorySet {
  readonly scopeId: string;
  /** Of its memories. */
  readonly active: number;
  readonly archived: number;
}

/** Number of memories per group, for lists and the tree. */
export interface GroupCount {
  readonly gate: Gate;
  readonly decayClass: DecayClass;
  readonly kind: Kind;
  readonly status: Status;
  readonly count: number;
}

export interface GroupsInput {
  readonly scope?: StoreScope;
  readonly scopeId?: string;
  /** Counts what was created then. */
  readonly period?: Period;
}
