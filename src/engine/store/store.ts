import type { LocalizableMessage } from '../base/localizableMessage.js';
import type { AuditAction } from '../model/auditAction.js';
import type { Checkpoint, CheckpointOrigin, RestoreResult } from '../model/checkpoint.js';
import type { DeletionResult } from '../model/deletionResult.js';
import type { Edge, EdgeMark, EdgeType, NewEdge, OutdatedMark, Successor } from '../model/edge.js';
import type { CountedItems, InventoryRow, StoreMetrics } from '../model/maintenance.js';
import type { Memory, SearchAids, StoreKind, Temperature } from '../model/memory.js';
import type { ContradictingMemory, GroupCount, MemoryFilter, MemorySet, Period } from '../model/query.js';
import type { EmbeddingProgress, StoreReport } from '../model/storeReport.js';
import type { Trace, TraceFilter, TraceSummary } from '../model/trace.js';
import type { HotSince } from '../scoring/temperature.js';
import type { EmbeddingOutcome } from '../search/worker/searchProtocol.js';
import type { Nearness, WordStatistics } from '../search/query/searchMemories.js';
import type { WeightedTerm } from '../text/queryTerms.js';
import type { QuestionAnalysis } from '../text/questionAnalysis.js';
import type { ComparisonOptions, ComparisonSession } from './factComparison.js';
import type { QuestionVector } from './questionVectors.js';

/**
 * One database of memories. A backend implements these ports; ranking, classification and lifecycle rules run in the
 * engine. A function that needs only one port takes that port.
 */
export interface Store
  extends
    MemoryRepository,
    RelationReader,
    SearchableStore,
    RecordStore,
    TraceStore,
    VectorStore,
    LeaseStore,
    MaintenanceStore {
  readonly kind: StoreKind;
  /** The database file, for messages and reports. */
  readonly file: string;
  readonly readOnly: boolean;
  /** Messages for a person, such as a damaged file that was replaced by a backup. */
  readonly notices: readonly LocalizableMessage[];
  /** A person has seen the notices. */
  confirmNotices(): Promise<void>;
  /** The number and hash of the last audit entry, `12:…`; empty for an empty log. */
  auditHead(): Promise<string>;
  /** Whether the audit log holds the entry that once was its head. */
  hasAuditHead(head: string): Promise<boolean>;
  /** A sentence where the store is an older copy of itself. Absent where nothing is kept outside of the store to say so. */
  olderCopyProblem?(): Promise<string | undefined>;
  /** The time of the last audit entry, ISO-8601 UTC. */
  lastChangeAt(): Promise<string | undefined>;
  /** Calls back after each write of any program, until the result is called. Absent where asking for the revision is cheap. */
  listen?(onWritten: () => void): () => void;
  /** Where the server of this store cannot be used now: takes what is remembered meanwhile, which this one shows. */
  readonly waiting?: Store;
  close(): Promise<void>;
}

/** Reads and writes memories. */
export interface MemoryRepository {
  /** Content revision: rises with every write of any process, but not with usage counts. */
  revision(): Promise<number>;
  /** The write counter of a scopeId. */
  sequence(scopeId: string): Promise<number>;
  /** Existing memories, in no particular order. */
  get(ids: readonly string[]): Promise<Memory[]>;
  /** Full ids that match a reference: an id, or the last eight digits of one. */
  resolve(reference: string): Promise<string[]>;
  /** Search aids by memory id, of those that have any. */
  aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>>;
  /** Active memories of every scopeId that lack search aids and may have some, newest first. */
  missingAids(limit: number): Promise<Memory[]>;
  countMissingAids(): Promise<number>;
  /** Newest first. */
  list(filter: StoreFilter, page: { limit: number; offset: number }): Promise<Memory[]>;
  count(filter: StoreFilter): Promise<number>;
  /** @param period of their creation; absent = all */
  groups(scopeId: string, period?: Period): Promise<GroupCount[]>;
  /** The isolated sets that have memories of any status, by scopeId. */
  sets(): Promise<MemorySet[]>;
  /** Memories with a location in a document, of every scopeId and status. */
  listAnchored(): Promise<Memory[]>;
  /** Pages of all memories, oldest first; without a filter of every scopeId and status. */
  scanAll(filter?: StoreFilter): AsyncIterable<readonly Memory[]>;
  /**
   * Promissory memories to review at the given time: overdue ones, longest overdue first; automatically archived ones,
   * latest first; active decaying ones, least recently confirmed first. At most `limit` of each group.
   */
  plansToReview(scopeId: string, at: string, limit: number): Promise<Memory[]>;
  /** The audit log of a memory, oldest first. Reads are in a log of their own (accessLog.ts). */
  history(id: string): Promise<HistoryLine[]>;
  /** The audit log from a moment on, ISO-8601 UTC, oldest first. */
  auditLog(since: string): Promise<(HistoryLine & { readonly memoryId?: string })[]>;
  /**
   * Runs `work` in one transaction. Every change has an audit line; the revision rises once.
   * @throws EngineError storeBusy | storeFull | storeReadOnly | storeUnavailable | storeDamaged; nothing is changed then.
   */
  write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
}

/** Reads the edges between memories. */
export interface RelationReader {
  /** Every edge that begins or ends at one of the memories, optionally of the given types only. */
  edges(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]>;
  /** Like `edges`, without those between memories of different sets, which rest until both are in one. */
  edgesInSets(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]>;
  /** By memory id, if any: active memories of which one of the two was stated to hold no longer, the most certain first. */
  contradictions(
    ids: readonly string[],
    maxPerMemory: number,
  ): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>>;
  /** Unsettled contradictions between active memories, newest first. */
  conflicts(scopeId: string, limit: number): Promise<ConflictPair[]>;
}

/** Finds memories for a question and for new facts. Returns candidates with their features; the engine ranks them. */
export interface SearchableStore {
  /** Prepares for a search that will follow soon. */
  prepareSearch(model: StoreQuery['model']): void;
  /** Sees every write acknowledged before the call. */
  search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult>;
  /** Starts the comparison of one call's facts. */
  openComparison(model: StoreQuery['model'], options: ComparisonOptions): ComparisonSession;
}

/** Reads JSON records. Writes are part of a transaction. */
export interface RecordStore {
  /** Newest first. */
  records<T>(kind: RecordKind, limit?: number): Promise<StoreRecord<T>[]>;
  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined>;
}

/** Keeps recall traces and usage counts. */
export interface TraceStore {
  /** Newest first. */
  traces(limit: number): Promise<Trace[]>;
  trace(id: string): Promise<Trace | undefined>;
  /** Newest first. */
  traceSummaries(filter: TraceFilter): Promise<TraceSummary[]>;
  /**
   * Writes buffered usage and traces, and deletes the oldest traces beyond `keepTraces`.
   * @returns ids of automatically archived memories that became active because a recall returned them
   */
  flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]>;
}

/** Keeps embedding vectors per model. */
export interface VectorStore {
  embeddingProgress(model: string): Promise<EmbeddingProgress>;
  /** Memories without a vector of the model, newest first. */
  missingVectors(model: string, limit: number): Promise<{ readonly id: string; readonly content: string }[]>;
  /** Memories with a vector of the model that have questions without one, newest first. */
  missingQuestionVectors(
    model: string,
    limit: number,
  ): Promise<{ readonly id: string; readonly content: string; readonly questions: readonly string[] }[]>;
  /** Existing vectors of a model by memory id, as int8 components. */
  vectors(model: string, ids: readonly string[]): Promise<Map<string, Int8Array>>;
  /** @param vectors by memory id */
  saveVectors(vectors: ReadonlyMap<string, StoredVector>): Promise<void>;
  /** Records the use of a model and deletes the vectors of models unused since then. Times are ISO-8601 UTC. */
  pruneUnusedModels(model: string, times: { readonly at: string; readonly unusedSince: string }): Promise<void>;
}

/** Grants one process at a time the right to run a task. */
export interface LeaseStore {
  /** Acquires or renews a lease, which expires by itself. @returns false while another holder has it */
  acquireLease(task: string, holder: string, durationMs: number): Promise<boolean>;
  releaseLease(task: string, holder: string): Promise<void>;
}

/** Statistics, checks, copies and permanent deletion. */
export interface MaintenanceStore {
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;
  /** Memory id -> bytes of its content, tags and vector. */
  memorySizes(ids: readonly string[]): Promise<Map<string, number>>;
  /** Counts and bytes of all memories, by group. */
  inventory(): Promise<InventoryRow[]>;
  /** Of the vectors, those of `model` count as bytes. */
  storageStats(model: string | undefined): Promise<StorageStats>;
  /** Items of the audit log after an entry, whose head it once was; all of it where it has no such entry. */
  countItems(afterHead: string): Promise<CountedItems>;
  /** Ids of memories that were archived automatically at exactly this time, ISO-8601 UTC. */
  autoArchivedAt(at: string): Promise<string[]>;
  verify(): Promise<StoreReport>;
}

/** Copies of one whole store. */
export interface StoreCheckpoints {
  /**
   * Makes a complete copy or none, and deletes the oldest of its origin over the limit.
   * @throws EngineError storeReadOnly | storeFull | storeUnavailable
   */
  make(label: CheckpointLabel): Promise<Checkpoint>;
  /** Newest first, daily backups included. */
  list(): Promise<Checkpoint[]>;
  /**
   * Replaces the content of the store by that of the checkpoint, in one transaction, while other processes may have the
   * store open. The state before becomes a checkpoint. The audit log is kept and records the restore; the revision rises.
   * @throws EngineError notFound | storeDamaged | storeTooNew | storeReadOnly | storeFull | storeBusy; nothing is changed then
   */
  restore(actor: string, id: string): Promise<RestoreResult>;
  /** @throws EngineError notFound | invalidInput (a backup) | storeReadOnly */
  delete(id: string): Promise<Checkpoint>;
}

/** Permanent deletion: from the store, from the free pages of its file, and from its copies. */
export interface StoreHardDeletion {
  /** Whether the store or a copy of it has, had, names or quotes a memory, so that a purge has something to look for. */
  knowsAny(ids: readonly string[], texts: readonly string[]): Promise<boolean>;
  /**
   * @param options.texts that no record may quote, besides those of the memories that are here
   * @throws EngineError storeReadOnly | storeFull | storeBusy
   */
  purge(
    actor: string,
    ids: readonly string[],
    options?: { readonly session?: string | symbol | undefined; readonly texts?: readonly string[] },
  ): Promise<DeletionResult>;
  /** Deletes everything except today's language model usage. @throws EngineError storeReadOnly | storeFull | storeBusy */
  reset(actor: string): Promise<DeletionResult>;
}

/** Operations inside one write. Wait for nothing else between them: the transaction holds the write lock. */
export interface StoreTransaction extends MemoryWriter, RelationWriter, RecordWriter {
  /** Adds an audit line for an action that changes no memory. */
  log(action: AuditAction, detail: Readonly<Record<string, unknown>>): Promise<void>;
  /** Raises the revision of a write of records alone, so that the lists of other programs are renewed. */
  announce(): Promise<void>;
}

export interface MemoryWriter {
  get(id: string): Promise<Memory | undefined>;
  /** Existing memories, in no particular order. */
  getMany(ids: readonly string[]): Promise<Memory[]>;
  /** Memories of any status with one of these content hashes, oldest first. */
  findByHash(contentHashes: readonly string[], scopeId: string): Promise<Memory[]>;
  /** The memory of the same set that a merged memory is now part of, across repeated merges; undefined if it is gone. */
  mergeTargetOf(id: string): Promise<Memory | undefined>;
  /** Raises the write counter of a scopeId and returns it. */
  nextSequence(scopeId: string): Promise<number>;
  /** Applies changes in order, each with its audit line, in as few statements as possible. */
  applyBatch(changes: readonly MemoryWrite[]): Promise<void>;
  /** @param vectors at the same positions as their memories */
  insertMany(memories: readonly NewMemory[], vectors?: readonly (StoredVector | undefined)[]): Promise<void>;
  /** Replaces every field of the memory with this id. */
  update(memory: Memory, action: AuditAction, detail?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Deletes the memory; only its audit lines remain. */
  delete(id: string, action: 'prune' | 'purge' | 'move'): Promise<void>;
  /** Replaces the vector of a memory and those of its questions. */
  setVector(id: string, vector: StoredVector): Promise<void>;
  /** Replaces the search aids of a memory; empty lists remove them. An edit of what it has by itself gets an audit line. */
  setAids(id: string, aids: SearchAids, options?: { readonly isEdit: boolean }): Promise<void>;
  /** Ids of the memories whose search aids were edited. */
  withEditedAids(ids: readonly string[]): Promise<readonly string[]>;
  /** Saves retention scores, 0-1 by memory id. Scores are not content: no audit line, same revision. */
  saveScores(scores: ReadonlyMap<string, number>, version: number): Promise<void>;
}

export interface RelationWriter {
  /** Every edge that begins or ends at one of the memories, as seen inside this transaction. */
  edges(ids: readonly string[]): Promise<Edge[]>;
  /** Adds edges between stored memories. An existing edge keeps the greater strength. */
  link(edges: readonly NewEdge[]): Promise<void>;
  unlink(source: string, target: string, type: EdgeType): Promise<void>;
  /** Adds the edge where it is missing, and marks the outdated end. */
  markOutdated(mark: OutdatedMark): Promise<void>;
  /** Marks an edge that is there as it was marked in another store. */
  restoreMark(edge: Pick<Edge, 'source' | 'target' | 'type'>, mark: EdgeMark): Promise<void>;
  /**
   * Records that a memory still holds, against every unsettled mark; a model's word leaves a person's mark.
   * @returns whether nothing is left that says otherwise
   */
  clearMarks(id: string, by: EdgeMark['by']): Promise<boolean>;
  /** Memories that replace a memory, by an unsettled mark. */
  successors(id: string): Promise<readonly Successor[]>;
  /** Ids of the memories that an active one replaces, by an unsettled mark. */
  replacedAmong(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Records that two memories both hold, against the marks between them. */
  markBothHold(outdated: string, replacement: string, by: EdgeMark['by']): Promise<void>;
  /** Whether a person has settled the contradiction between two memories, or marked one of them. */
  isSettled(first: string, second: string): Promise<boolean>;
  /** Marks the contradiction between two memories as settled by a person. */
  settle(first: string, second: string): Promise<void>;
  /** Marks `loser` as superseded by `winner`, by the decision of a person, and links them. */
  supersede(winner: string, loser: string): Promise<void>;
  /** Undoes `settle` and the edges of `supersede` between two memories. */
  reopen(first: string, second: string): Promise<void>;
  /** Makes a superseded memory active again and reopens its contradictions with the memories that replaced it. */
  undoSupersede(id: string): Promise<void>;
}

export interface RecordWriter {
  /** The record as seen inside this transaction. */
  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined>;
  /** Inserts or replaces. The body must survive JSON. */
  putRecord(kind: RecordKind, id: string, body: unknown): Promise<void>;
  deleteRecord(kind: RecordKind, id: string): Promise<void>;
}

/** A memory before it is stored: the store adds its own kind and the number of edges that point to the memory. */
export type NewMemory = Omit<Memory, 'store' | 'centrality'>;

/** One change to one memory, inside a write. */
export type MemoryWrite =
  | {
      readonly op: 'insert';
      readonly memory: NewMemory;
      readonly vector: StoredVector | undefined;
      /** Whether it comes from another store, where it is counted as created. */
      readonly isMoved?: boolean;
    }
  | {
      readonly op: 'update';
      readonly memory: Memory;
      readonly action: AuditAction;
      readonly detail: Readonly<Record<string, unknown>>;
    };

export interface StoreFilter extends MemoryFilter {
  readonly temperature?: { readonly is: Temperature; readonly since: HotSince };
  /** '' = the shared set. Required: sets are completely isolated. */
  readonly scopeId: string;
  /** Excludes memories that a person forgot or completed and merged memories, independent of `statuses`. */
  readonly withoutForgotten?: boolean;
  /** Text that the content contains, in any case. */
  readonly containing?: string;
  /** Only these memories. */
  readonly ids?: readonly string[];
  /** Ids of memories to leave out. */
  readonly exceptIds?: readonly string[];
}

/** A line of a memory's audit log. */
export interface HistoryLine {
  readonly at: string;
  readonly action: AuditAction;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Two memories that contradict each other. */
export interface ConflictPair {
  readonly newer: Memory;
  readonly older: Memory;
  readonly edge: Edge;
}

/** An analyzed question with its embedding. */
export interface StoreQuery {
  readonly question: QuestionAnalysis;
  /** The current embedding model; undefined for a lexical search. */
  readonly model: { readonly id: string; readonly dimensions: number } | undefined;
  /** The terms to search for: the question's own, and others that weigh less. */
  readonly terms: readonly WeightedTerm[];
  /** Vectors (int8) or texts, for the search to embed, of the question and then its alternatives; undefined for a lexical search. */
  readonly meaning: { readonly vectors: readonly Int8Array[] } | { readonly texts: readonly string[] } | undefined;
}

export interface SearchHit {
  readonly memory: Memory;
  readonly aids: SearchAids | undefined;
  /** Undefined where the memory or the question has no vector. */
  readonly nearness: Nearness | undefined;
  /** The same of the nearest of its questions; undefined where none has a vector. */
  readonly questionNearness: Nearness | undefined;
  /** int8 components of its embedding; undefined without one. */
  readonly vector: Int8Array | undefined;
}

/** Unsettled contradictions of the hits of a search. */
export interface Contradictions {
  /** Hit id -> some active memories that contradict it, the most certain first. */
  readonly byMemoryId: ReadonlyMap<string, readonly ContradictingMemory[]>;
  /** The contradicting memories by id. */
  readonly memories: ReadonlyMap<string, Memory>;
}

export interface SearchResult {
  /** Candidates, in no particular order. */
  readonly hits: readonly SearchHit[];
  readonly contradictions: Contradictions;
  /** By which words are weighed; without documents in a full-text search. */
  readonly statistics: WordStatistics;
  /** Memories with a vector; 0 in a lexical search. */
  readonly embedded: number;
  /** Memories that could be found; 0 in a lexical search. */
  readonly searchable: number;
  /** Duration or failure of embedding the question; undefined if the search did not embed it. */
  readonly embedding: EmbeddingOutcome | undefined;
  /** Revision of the store before the search. */
  readonly revision: number;
  /** Write counter of the filter's scopeId before the search. */
  readonly sequence: number;
  /** Why the search was lexical, or why it found nothing: `unreachable`; undefined for a full search. */
  readonly lexicalOnlyReason: 'building' | 'failed' | 'notIndexed' | 'unreachable' | undefined;
  /** How a server found the memories that were scored; absent where every memory of the store was. */
  readonly candidatesBy?: 'words' | 'wordsAndMeaning';
}

/** Size of a store on the disk, in bytes. */
export type StorageStats = Pick<StoreMetrics, 'vectors' | 'vectorBytes' | 'indexBytes' | 'fileBytes'>;

/** Each kind belongs to one feature. */
export type RecordKind =
  | 'goal'
  | 'run'
  | 'takenBack'
  | 'proposal'
  | 'request'
  | 'likelyConflict'
  | 'formerText'
  | 'cursor'
  | 'indexedFile'
  | 'modelUse'
  | 'syncedFile'
  | 'sensitive'
  | 'import'
  | 'capture'
  | 'review'
  | 'sharedLine'
  | 'receivedShare'
  | 'teamLine'
  | 'teamOutbox'
  | 'state';

/** A small JSON document. */
export interface StoreRecord<T = unknown> {
  readonly id: string;
  /** Time of the last write, ISO-8601 UTC. */
  readonly at: string;
  readonly body: T;
}

export interface UsageFlush {
  /** Memory id -> times returned since the last flush. */
  readonly accessed: ReadonlyMap<string, number>;
  /** Each with its encoded trace (traceCodec.ts). */
  readonly traces: readonly { readonly id: string; readonly at: string; readonly text: string }[];
  readonly at: string;
}

/** The vector of one memory. */
export interface StoredVector {
  readonly model: string;
  /** int8 components (base/int8Vector.ts). */
  readonly vector: Int8Array;
  /** Vectors of the questions that the memory answers, from the same model. */
  readonly questions?: readonly QuestionVector[];
}

export type CheckpointLabel = Pick<Checkpoint, 'reason'> & { readonly origin: Exclude<CheckpointOrigin, 'backup'> };
