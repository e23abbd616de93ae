/** Subject of a fact; exactly one per memory. Listed from highest to lowest recall weight. */
export const gates = ['correction', 'behavioral', 'epistemic', 'relational', 'promissory'] as const;
export type Gate = (typeof gates)[number];

/** The kind of a note. */
export const kinds = [
  'architecture',
  'decision',
  'pattern',
  'gotcha',
  'progress',
  'context',
  'insight',
  'procedure',
  'friction',
  'pitfall',
  'preference',
  'summary',
  'code-description',
  'code',
] as const;
export type Kind = (typeof kinds)[number];

/** Code and its descriptions. They are not statements: similar ones do not contradict, refine or repeat each other. */
export const codeKinds: readonly Kind[] = ['code-description', 'code'];

/** `confirmed`: a person said it. `note`: inferred by a model or a heuristic. */
export const lanes = ['confirmed', 'note'] as const;
export type Lane = (typeof lanes)[number];

export const decayClasses = ['ephemeral', 'session', 'durable', 'permanent'] as const;
export type DecayClass = (typeof decayClasses)[number];

/** Lifetimes that a model may state of a fact (`lasts`); for good is not its to say. */
export const statedLifetimes = ['day', 'week', 'months'] as const;
export const decayClassOfLifetime: Readonly<Record<(typeof statedLifetimes)[number], DecayClass>> = {
  day: 'ephemeral',
  week: 'session',
  months: 'durable',
};

/** Only a person sets `superseded`. A pruned memory has no row; only its audit lines remain. */
export const statuses = ['active', 'superseded', 'archived'] as const;
export type Status = (typeof statuses)[number];

/** Quota tier, derived from the decay class and the pin; notes of imports and what a team shares have budgets of their own. */
export type Tier = 'imported' | 'shared' | 'short-term' | 'long-term' | 'permanent';

/** Why a memory is archived. Searchable ones were archived automatically; a recall that returns one reactivates it. */
export const archiveReasons = ['forgotten', 'done', 'faded', 'expired', 'quota', 'merged', 'gone'] as const;
export type ArchiveReason = (typeof archiveReasons)[number];

/**
 * Set by a person's decision: forgotten, completed, or merged into another memory. No recall returns or restores these.
 */
export const userArchiveReasons: readonly ArchiveReason[] = ['forgotten', 'done', 'merged'];

export function isUserArchiveReason(reason: ArchiveReason | undefined): boolean {
  return reason !== undefined && userArchiveReasons.includes(reason);
}

/**
 * No recall returns these: a person's decision, or the described code is gone. Remembering the fact again restores
 * them.
 */
export const unsearchableArchiveReasons: readonly ArchiveReason[] = [...userArchiveReasons, 'gone'];

export function isUnsearchable(reason: ArchiveReason | undefined): boolean {
  return reason !== undefined && unsearchableArchiveReasons.includes(reason);
}

export const memorySources = [
  'explicit',
  'conversation',
  'code-index',
  'import',
  'extension-tool',
  'mcp',
  'http',
] as const;
export type MemorySource = (typeof memorySources)[number];

/** Whether a memory is in use, or was not used, said or changed for long. Computed, never stored. */
export const temperatures = ['hot', 'cold'] as const;
export type Temperature = (typeof temperatures)[number];
/** After this time without use a memory is cold; a durable one has lost a third of its confidence by then. */
export const daysUntilCold = 30;

/** Kind of the store that a memory lives in. */
export const storeKinds = ['project', 'global'] as const;
export type StoreKind = (typeof storeKinds)[number];

/** Stores that a call reads and writes. */
export const storeScopes = ['project-then-global', 'project-only', 'global-only'] as const;
export type StoreScope = (typeof storeScopes)[number];

/** A range in a document: zero-based lines, end exclusive. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

/** A place in a document: lines, symbol name, and the hash of the code in whole lines (base/codeHash.ts). */
export interface Anchor {
  readonly uri?: string;
  readonly range?: LineRange;
  readonly symbol?: string;
  readonly anchorHash?: string;
}

/** State of the code that a memory is about: changed, or its file is gone. */
export const codeStates = ['changed', 'gone'] as const;
export type CodeState = (typeof codeStates)[number];

/** Result of following moved code. */
export interface AnchorUpdateResult {
  /** Memories that were moved to the new place of their code. */
  readonly updated: number;
  /** Memories whose code was not found. */
  readonly lost: number;
}

/** Origin of a memory. Fields other than the source are absent rather than empty. */
export interface Provenance extends Anchor {
  readonly source: MemorySource;
  /** Conversation or capture session; memories of a session are adjacent in the order of their sequence. */
  readonly session?: string;
  /** The calling client: `vscode`, `cli`, `mcp:<client name>`, `http`, `http:<client name>`. */
  readonly client?: string;
  readonly workspace?: string;
  readonly branch?: string;
  readonly commit?: string;
  /** Id of the turn that says it, in the session. */
  readonly turn?: string;
  /** The day on which it was said, `YYYY-MM-DD`, where the caller knows it. */
  readonly on?: string;
  /** The person's own words, as the caller quotes them. */
  readonly said?: string;
  /** Why a model found it worth keeping. */
  readonly reason?: string;
  /** The imported file: its path in the project, with slashes; absolute for a file of no project. */
  readonly file?: string;
  /** Whether a person or a model said that it belongs to all projects. */
  readonly isPlaced?: boolean;
  /** The person, where they moved it there themselves. */
  readonly placedBy?: 'person';
  /** Ids of memories of all projects that do not hold in this one's project, by the word of who said it. */
  readonly insteadOf?: readonly string[];
  /** Ids of older memories that the encoder takes for replaced by this one. A guess, which orders an answer and does nothing else. */
  readonly mayReplace?: readonly string[];
  /** Of a memory that a member of a team shared: its author as git states it, or that git states none. */
  readonly author?: string;
}

export const defaultPriority = 5;

/** One standalone fact, readable without context. Times are ISO-8601 UTC. */
export interface Memory {
  /** UUIDv7. People and models may use its short id: the last eight hexadecimal digits. */
  readonly id: string;
  /** Not stored: known from the store that was read. */
  readonly store: StoreKind;
  readonly content: string;
  /** One line, for lists and published sections. */
  readonly summary: string;
  readonly gate: Gate;
  readonly kind: Kind;
  readonly lane: Lane;
  readonly decayClass: DecayClass;
  /** Base confidence, 0-100. Decay applies to the effective confidence, which is always computed (scoring/decay.ts). */
  readonly confidence: number;
  /** 1-10, {@link defaultPriority} unless someone says. */
  readonly priority: number;
  readonly pinned: boolean;
  /** Starts at 1; +1 each time the same fact is remembered again. */
  readonly reinforcementCount: number;
  readonly accessCount: number;
  readonly usefulCount: number;
  /** Sum of what people and models found: +1 useful, -1 not useful; of a rating, what it is above or below 3. */
  readonly feedback: number;
  readonly tags: readonly string[];
  readonly status: Status;
  /** Set while the status is `archived`. */
  readonly archiveReason?: ArchiveReason;
  /** Isolates a set of memories completely; undefined is the shared set. */
  readonly scopeId?: string;
  /** Write counter of the store when this memory was last written or reinforced. */
  readonly sequence: number;
  /** Promissory memories only. */
  readonly dueAt?: string;
  /** Notes only: when they expire unless promoted. */
  readonly expiresAt?: string;
  /** 0-1, from the number of edges that point here (scoring/centrality.ts). Not stored: computed when read. */
  readonly centrality: number;
  /** 0-1, set by maintenance together with the version of the formula. */
  readonly retentionScore?: number;
  readonly scoringVersion?: number;
  /** Hash of the normalized content; equal hash = same fact. */
  readonly contentHash: string;
  readonly provenance: Provenance;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly reinforcedAt: string;
  readonly accessedAt?: string;
  readonly archivedAt?: string;
  /** The text differs from what was stored: the disk or another program changed it. Not stored: computed when read. */
  readonly damaged?: true;
}

/** The lane of a memory and the time for which it is kept. */
export type Standing = Pick<Memory, 'lane' | 'decayClass' | 'expiresAt'>;

/** Other words in which a later search may ask about a memory: indexed with less weight, never shown as content. */
export interface SearchAids {
  readonly questions: readonly string[];
  readonly keywords: readonly string[];
}

/** Limits of the aids of one memory; lengths in UTF-16 units. */
export const aidLimits = { maxQuestions: 3, maxQuestionLength: 120, maxKeywords: 10, maxKeywordLength: 40 } as const;

/** Short id of a memory for people and models: the last eight digits of its id, which are random. */
export function shortId(memory: Pick<Memory, 'id'>): string {
  return memory.id.slice(-8);
}

/** An id or short id as a person or a model writes it, as ids are kept: lower case, without spaces around it or a leading #. */
export function normalizeReference(reference: string): string {
  return reference.trim().replace(/^#/u, '').toLowerCase();
}

/** Whether a reference is the full id or the short id of something. */
export function isReferenceTo(thing: Pick<Memory, 'id'>, reference: string): boolean {
  const wanted = normalizeReference(reference);
  return thing.id === wanted || shortId(thing) === wanted;
}

/** The classifier's result for one statement. */
export interface Classification {
  readonly gate: Gate;
  readonly kind: Kind;
  /** How clear the statement is, 60-95: the confidence of what was captured. */
  readonly confidence: number;
  /** ISO-8601 UTC; only of a promissory statement that plans something for a day, or names an event with its full date. */
  readonly dueAt?: string;
  /** Names of the matched cues, strongest first, shown as "why". */
  readonly cues: readonly string[];
}

/** How much a memory helped: 1 it misled, 3 neither, 5 it was what was needed. */
export const ratings = [1, 2, 3, 4, 5] as const;
export type Rating = (typeof ratings)[number];
