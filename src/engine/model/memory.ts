/** The memory model's data. Plain readonly values; nothing here decides anything. */

/** What a fact is about; exactly one per memory. Listed from highest to lowest recall weight. */
export const gates = ['correction', 'behavioral', 'epistemic', 'relational', 'promissory'] as const;
export type Gate = (typeof gates)[number];

/** What sort of note a memory is. */
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

/**
 * Pieces of code and what they are described as. They are no statements about anything: two that look alike do not
 * contradict, refine or repeat each other.
 */
export const codeKinds: readonly Kind[] = ['code-description', 'code'];

/** `confirmed`: a person said it. `note`: inferred by a model or a heuristic. */
export const lanes = ['confirmed', 'note'] as const;
export type Lane = (typeof lanes)[number];

export const decayClasses = ['ephemeral', 'session', 'durable', 'permanent'] as const;
export type DecayClass = (typeof decayClasses)[number];

/** `superseded` is set by a person only; a pruned memory is a deleted row that only the audit log remembers. */
export const statuses = ['active', 'superseded', 'archived'] as const;
export type Status = (typeof statuses)[number];

/** Quota bucket, derived from the decay class and the pin. */
export type Tier = 'short-term' | 'long-term' | 'permanent';

/** Why a memory is archived. What is not hidden is a machine's opinion, which a recall overrules. */
export const archiveReasons = ['forgotten', 'done', 'faded', 'expired', 'quota', 'merged', 'gone'] as const;
export type ArchiveReason = (typeof archiveReasons)[number];

/**
 * A person forgot it, said that the plan is done, or accepted another memory that says the same: no recall finds these or
 * brings them back.
 */
export const userArchiveReasons: readonly ArchiveReason[] = ['forgotten', 'done', 'merged'];

export function isUserArchiveReason(reason: ArchiveReason | undefined): boolean {
  return reason !== undefined && userArchiveReasons.includes(reason);
}

/** A person's word, or the code that it describes is gone: no recall finds it. What is told again is there again. */
export const unsearchableArchiveReasons: readonly ArchiveReason[] = [...userArchiveReasons, 'gone'];

export function isUnsearchable(reason: ArchiveReason | undefined): boolean {
  return reason !== undefined && unsearchableArchiveReasons.includes(reason);
}

export const memorySources = ['explicit', 'conversation', 'code-index', 'import', 'extension-tool', 'mcp'] as const;
export type MemorySource = (typeof memorySources)[number];

/** Which of the two sorts of store a memory lives in. */
export const storeKinds = ['project', 'global'] as const;
export type StoreKind = (typeof storeKinds)[number];

/** Which stores a call reads and writes. */
export const storeScopes = ['project-then-global', 'project-only', 'global-only'] as const;
export type StoreScope = (typeof storeScopes)[number];

/** A range in a document: zero-based lines, end exclusive. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

/** A place in a document: lines, the symbol's name, and the hash of its code (base/codeHash.ts), of whole lines. */
export interface Anchor {
  readonly uri?: string;
  readonly range?: LineRange;
  readonly symbol?: string;
  readonly anchorHash?: string;
}

/** What has become of the code that a memory is about: it is not what it was, or its file is not there. */
export const codeStates = ['changed', 'gone'] as const;
export type CodeState = (typeof codeStates)[number];

/** What came of looking for code that is no longer where memories say. */
export interface AnchorUpdateResult {
  /** Memories that are where their code is now. */
  readonly updated: number;
  /** Memories whose code was not found anywhere. */
  readonly lost: number;
}

/** Where a memory came from. Everything but the source is optional, and absent rather than empty. */
export interface Provenance extends Anchor {
  readonly source: MemorySource;
  /** Conversation or capture session; memories of one session are neighbours in the order of their sequence. */
  readonly session?: string;
  /** The program that asked: `vscode`, `cli`, `mcp:<client name>`. */
  readonly client?: string;
  readonly workspace?: string;
  readonly branch?: string;
  readonly commit?: string;
}

/** One standalone fact, readable without its neighbours. Times are ISO-8601 UTC. */
export interface Memory {
  /** UUIDv7. People and models may use its handle instead: the last eight hexadecimal digits. */
  readonly id: string;
  /** The store it lives in. Not stored: known from where it was read. */
  readonly store: StoreKind;
  readonly content: string;
  /** One line, for lists and published sections. */
  readonly summary: string;
  readonly gate: Gate;
  readonly kind: Kind;
  readonly lane: Lane;
  readonly decayClass: DecayClass;
  /** Base confidence, 0-100. What decays is the effective confidence, always computed (scoring/decay.ts). */
  readonly confidence: number;
  /** 1-10. */
  readonly priority: number;
  readonly pinned: boolean;
  /** Starts at 1, +1 each time the same fact is remembered again. */
  readonly reinforcementCount: number;
  readonly accessCount: number;
  readonly usefulCount: number;
  /** Sum of thumbs: +1 useful, -1 not useful. */
  readonly feedback: number;
  readonly tags: readonly string[];
  readonly sensitive: boolean;
  readonly status: Status;
  /** Set while the status is `archived`. */
  readonly archiveReason?: ArchiveReason;
  /** Isolates a set of memories completely; undefined is the ordinary, shared set. */
  readonly scopeId?: string;
  /** The store's write counter when this memory was last written or reinforced. */
  readonly sequence: number;
  /** Promissory memories only. */
  readonly dueAt?: string;
  /** Notes only: when they expire unless promoted. */
  readonly expiresAt?: string;
  /** 0-1: how many edges point here (graph/centrality.ts). Not stored: known from where it was read. */
  readonly centrality: number;
  /** 0-1, set by maintenance together with the version of the formula that made it. */
  readonly retentionScore?: number;
  readonly scoringVersion?: number;
  /** Hash of the normalised content; equal hash = same fact. */
  readonly contentHash: string;
  readonly provenance: Provenance;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly reinforcedAt: string;
  readonly accessedAt?: string;
  readonly archivedAt?: string;
}

/** What a later search may ask or type about a memory in other words: indexed with less weight, never shown as content. */
export interface SearchAids {
  readonly questions: readonly string[];
  readonly keywords: readonly string[];
}

/** Limits of the aids of one memory; lengths in UTF-16 units. */
export const aidLimits = { maxQuestions: 3, maxQuestionLength: 120, maxKeywords: 10, maxKeywordLength: 40 } as const;

/** The short name of a memory for people and models: the last eight digits of its id, its random part. */
export function shortId(memory: Pick<Memory, 'id'>): string {
  return memory.id.slice(-8);
}

/** What the classifier decides about one statement. */
export interface Classification {
  readonly gate: Gate;
  readonly kind: Kind;
  /** Never `permanent`: only a person assigns that. */
  readonly decayClass: Exclude<DecayClass, 'permanent'>;
  /** Base confidence, 60-95 by signal clarity. */
  readonly confidence: number;
  /** ISO-8601 UTC; only for promissory statements whose text names a date. */
  readonly dueAt?: string;
  /** Names of the cues that fired, strongest first; what "why" shows. */
  readonly cues: readonly string[];
}
