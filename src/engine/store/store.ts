import type { LocalizableMessage } from '../base/localizableMessage.js';
import type { Checkpoint, CheckpointOrigin, RestoreResult } from '../model/checkpoint.js';
import type { AuditAction, EmbeddingProgress, StoreReport } from '../model/rememberOutcome.js';
import type { Edge, EdgeMark, EdgeType, NewEdge } from '../model/edge.js';
import type { InventoryRow } from '../model/maintenance.js';
import type { Memory, SearchAids, StoreKind } from '../model/memory.js';
import type { GroupCount, MemoryFilter, ContradictingMemory } from '../model/query.js';
import type { DeletionResult } from '../model/deletionResult.js';
import type { Trace, TraceFilter, TraceSummary } from '../model/trace.js';
import type { QuestionAnalysis } from '../text/questionAnalysis.js';
import type { LexicalScale } from '../search/query/searchMemories.js';
import type { QueryExpansion } from '../text/queryExpansion.js';
import type { CalendarRange } from '../text/temporalQuery.js';
import type { IndexedFact } from '../search/neighbors/batchFacts.js';
import type { EmbeddingOutcome } from '../search/worker/searchProtocol.js';
import type { RelatedMemory } from '../search/neighbors/classifyCandidates.js';

/** A memory as a verb makes it: the store adds which store it is, and how many edges point to it. */
export type NewMemory = Omit<Memory, 'store' | 'centrality'>;

/** What is kept beside the memories, by kind; each kind is one verb's own. */
export const recordKinds = [
  'goal',
  'run',
  'proposal',
  'doubt',
  'cursor',
  'indexedFile',
  'modelUse',
  'syncedFile',
  'state',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** A small thing kept as JSON. */
export interface StoreRecord<T = unknown> {
  readonly id: string;
  /** When it was last written, ISO-8601 UTC. */
  readonly at: string;
  readonly body: T;
}

/** Two memories that contradict each other, the later one first. */
export interface ConflictPair {
  readonly newer: Memory;
  readonly older: Memory;
  readonly edge: Edge;
}

/** One line of a memory's history, oldest first. */
export interface HistoryLine {
  readonly at: string;
  readonly action: AuditAction;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A model's vector of one memory, as it is kept. */
export interface StoredVector {
  readonly model: string;
  /** int8 components (base/quantise.ts). */
  readonly vector: Int8Array;
}

/** A question, read and embedded. */
export interface StoreQuery {
  readonly question: QuestionAnalysis;
  /** Days of the year to be preferred. */
  readonly preferredDates: readonly CalendarRange[];
  /** The model in use; undefined for words alone. */
  readonly model: { readonly id: string; readonly dimensions: number } | undefined;
  /** Further words of the question, in the caller's own words for what it looks for; they weigh less than the question's. */
  readonly expansion: QueryExpansion;
  /** int8 components of the question's embedding, or the text that the search embeds by itself; undefined for words alone. */
  readonly embeddingOrText: Int8Array | string | undefined;
}

export interface SearchHit {
  readonly memory: Memory;
  /** In the order of `featureNames` (store/index/features.ts). */
  readonly features: Float32Array;
}

/** What contradicts the hits of a search, until a person settles it. */
export interface Contradictions {
  /** By a hit's id: active memories that say otherwise, the most certain first, a few of them. */
  readonly byMemoryId: ReadonlyMap<string, readonly ContradictingMemory[]>;
  /** These, by id. */
  readonly memories: ReadonlyMap<string, Memory>;
}

export interface SearchResult {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  readonly contradictions: Contradictions;
  /** What relative features were divided by: answers of several stores are compared by it. */
  readonly maxFeatureValues: { readonly words: number; readonly session: number };
  /** What a lexical score is measured by; both 0 where only full-text search ran. */
  readonly lexicalScale: LexicalScale;
  /** Memories that could be found by meaning, and all that could be found; 0 when only words were searched. */
  readonly embedded: number;
  readonly searchable: number;
  /** How the search embedded the question: the time it took, or why it could not; undefined where it had not to. */
  readonly embedding: EmbeddingOutcome | undefined;
  /** Of the store, and the write counter of the filter's scopeId, before anything was read. */
  readonly revision: number;
  readonly sequence: number;
  /** Why only words were searched; undefined when all was. */
  readonly lexicalOnlyReason: 'building' | 'failed' | 'notIndexed' | undefined;
}

/** In the order of the facts. */
export interface FactComparison {
  readonly relatedMemories: readonly (readonly RelatedMemory[])[];
  /** Of facts that came without one, where the comparison embeds: int8 components; undefined for one that it could not. */
  readonly vectors: readonly (Int8Array | undefined)[];
  /** How long embedding took, or why it could not be done; undefined where nothing was embedded. */
  readonly embedding: EmbeddingOutcome | undefined;
}

/** The facts of one call on their way into a store, compared with what is stored and with each other. */
export interface ComparisonSession {
  /**
   * What the next facts have to do with active memories of their scopeId and with facts added before: a few of each
   * relation, the most telling first. Knows every write acknowledged before.
   * @param isLast no more facts follow
   */
  add(facts: readonly IndexedFact[], isLast: boolean): Promise<FactComparison>;
  /** Every fact was compared with what was written up to this revision; Infinity before the first. */
  readonly revision: number;
  end(): void;
}

export interface StoreFilter extends MemoryFilter {
  /** '' = the shared set. Always given: sets are isolated completely. */
  readonly scopeId: string;
  /** Leaves out what a person forgot, has done or merged into another, whatever the statuses say. */
  readonly withoutForgotten?: boolean;
}

export interface UsageFlush {
  /** Memory id -> times returned since the last flush. */
  readonly accessed: ReadonlyMap<string, number>;
  /** With the text of each (traceText.ts). */
  readonly traces: readonly { readonly id: string; readonly at: string; readonly text: string }[];
  /** By recall: the memories of this store that it returned. */
  readonly reads: readonly { readonly trace: string; readonly ids: readonly string[] }[];
  readonly at: string;
}

export interface CheckpointLabel {
  readonly reason: string;
  readonly origin: Exclude<CheckpointOrigin, 'backup'>;
}

/** Copies of one whole store. */
export interface StoreCheckpoints {
  /**
   * A whole copy or none; the oldest of its origin over the limit go.
   * @throws EngineError storeReadOnly | storeFull | storeUnavailable
   */
  make(label: CheckpointLabel): Promise<Checkpoint>;
  /** Newest first, the daily backups among them. */
  list(): Promise<Checkpoint[]>;
  /**
   * Makes the store what the checkpoint holds, in one transaction, while others may have it open. The state just before
   * is a checkpoint itself. The audit log stays and tells of it, and the revision rises.
   * @throws EngineError notFound | storeDamaged | storeTooNew | storeReadOnly | storeFull | storeBusy; nothing is changed then
   */
  restore(actor: string, id: string): Promise<RestoreResult>;
  /** @throws EngineError notFound | invalidInput (a backup) | storeReadOnly */
  delete(id: string): Promise<Checkpoint>;
}

/** What deletes for good: from the store, from the free pages of its file, and from its copies. */
export interface StoreHardDeletion {
  /** @throws EngineError storeReadOnly | storeFull | storeBusy */
  purge(actor: string, ids: readonly string[]): Promise<DeletionResult>;
  /** Everything but the day's use of language models. @throws EngineError storeReadOnly | storeFull | storeBusy */
  reset(actor: string): Promise<DeletionResult>;
}

/** One database of memories, in the model's words. Everything that knows SQL is behind this. */
export interface Store {
  readonly kind: StoreKind;
  /** The database file, for messages and reports. */
  readonly file: string;
  readonly readOnly: boolean;
  /** Sentences a person should see: a damaged file set aside, a backup restored. */
  readonly notices: readonly LocalizableMessage[];
  readonly checkpoints: StoreCheckpoints;
  readonly hardDeletion: StoreHardDeletion;

  /** Rises with every change of content, by any process; usage counts do not count. */
  revision(): Promise<number>;
  /** The write counter of a scopeId. */
  sequence(scopeId: string): Promise<number>;
  /** Those that exist, in no particular order. */
  get(ids: readonly string[]): Promise<Memory[]>;
  /** Full ids that a reference (an id, or a handle: its last eight digits) could mean. */
  resolve(reference: string): Promise<string[]>;
  /** Search aids by memory id, of those that have any. */
  aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>>;
  /** Newest first. */
  list(filter: StoreFilter, page: { limit: number; offset: number }): Promise<Memory[]>;
  groups(scopeId: string): Promise<GroupCount[]>;
  /** Makes a search ready that will follow soon. */
  prepareSearch(model: StoreQuery['model']): void;
  /** Finds by words, meaning and what else tells memories apart. Knows every write acknowledged before the call. */
  search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult>;
  /** Begins to compare the facts of one call. */
  openComparison(
    model: StoreQuery['model'],
    options: {
      /** Cosine from which on two memories are related. */
      readonly relatedCosine: number;
      /** Whether facts come without a vector, and the comparison embeds them. */
      readonly embeds: boolean;
    },
  ): ComparisonSession;
  /** How many memories have a vector of the model. Sensitive ones get none. */
  embeddingProgress(model: string): Promise<EmbeddingProgress>;
  /** Memories that have no vector of the model, newest first. */
  missingVectors(model: string, limit: number): Promise<{ readonly id: string; readonly content: string }[]>;
  /** The vectors of a model by memory id, int8 components; of those that have one. */
  vectors(model: string, ids: readonly string[]): Promise<Map<string, Int8Array>>;
  /** Keeps vectors by memory id. */
  saveVectors(vectors: ReadonlyMap<string, StoredVector>): Promise<void>;
  /** Notes that the model is in use, and drops the vectors of models that are not since then. Times are ISO-8601 UTC. */
  pruneUnusedModels(model: string, times: { readonly at: string; readonly unusedSince: string }): Promise<void>;
  /** Takes or renews the right to do some work alone, over all processes; it ends by itself. False: another has it. */
  acquireLease(task: string, holder: string, durationMs: number): Promise<boolean>;
  releaseLease(task: string, holder: string): Promise<void>;
  /** Memories with a place in a document, of every scopeId and status. */
  listAnchored(): Promise<Memory[]>;
  /** Every memory of the store, of every scopeId and status unless the filter says other, oldest first, in pages. */
  scanAll(filter?: StoreFilter): AsyncIterable<readonly Memory[]>;

  /** Every edge that begins or ends at one of the memories; of these types alone where given. */
  edges(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]>;
  /**
   * Memory id -> the active memories that contradict it, which no person has settled: of each the `most` most certain. What
   * nothing contradicts is not among them.
   */
  contradictions(
    ids: readonly string[],
    maxPerMemory: number,
  ): Promise<ReadonlyMap<string, readonly ContradictingMemory[]>>;
  /** Contradictions between active memories that no person has settled, newest first. */
  conflicts(scopeId: string, limit: number): Promise<ConflictPair[]>;
  /**
   * Promissory memories that may want a decision at this time: those past due, the longest first; those that a machine
   * archived, the latest first; active ones that fade, those told longest ago first. At most `limit` of each.
   */
  plansToReview(scopeId: string, at: string, limit: number): Promise<Memory[]>;
  /** What the audit log says of a memory, oldest first; its reads are told by the traces. */
  history(id: string): Promise<HistoryLine[]>;

  /** By id: the bytes of each memory's content, tags and vector. */
  memorySizes(ids: readonly string[]): Promise<Map<string, number>>;
  /** All memories by sort, with the bytes they take. */
  inventory(): Promise<InventoryRow[]>;
  /** How many vectors there are, and the bytes of the search indexes and of the database file with its log. */
  storageStats(): Promise<{ readonly vectors: number; readonly indexBytes: number; readonly fileBytes: number }>;
  /** Ids of what a machine archived at exactly this time, ISO-8601 UTC. */
  autoArchivedAt(at: string): Promise<string[]>;

  /** Newest first. */
  records<T>(kind: RecordKind, limit?: number): Promise<StoreRecord<T>[]>;
  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined>;

  /** Newest first. */
  traces(limit: number): Promise<Trace[]>;
  trace(id: string): Promise<Trace | undefined>;
  traceSummaries(filter: TraceFilter): Promise<TraceSummary[]>;

  /**
   * Runs `work` in one transaction. Every change made through it has its audit line; the revision rises once.
   * @throws EngineError storeBusy | storeFull | storeReadOnly | storeUnavailable | storeDamaged; nothing is changed then.
   */
  write<T>(actor: string, work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Writes buffered usage and traces; restores what a machine had archived and a recall returned. */
  flushUsage(actor: string, usage: UsageFlush, keepTraces: number): Promise<readonly string[]>;

  verify(): Promise<StoreReport>;
  close(): Promise<void>;
}

/** One change to one memory, inside a write. */
export type MemoryWrite =
  | { readonly op: 'insert'; readonly memory: NewMemory; readonly vector: StoredVector | undefined }
  | {
      readonly op: 'update';
      readonly memory: Memory;
      readonly action: AuditAction;
      readonly detail: Readonly<Record<string, unknown>>;
    };

/** A judgement that one memory no longer holds because of another one. */
export interface OutdatedMark {
  readonly outdated: string;
  readonly replacement: string;
  /** `contradicts`: it is replaced; `relates_to`: the other says the same. */
  readonly type: 'contradicts' | 'relates_to';
  readonly by: EdgeMark['by'];
  /** One sentence. */
  readonly reason: string;
}

/** What can be done inside one write. Never wait for anything else in there. */
export interface StoreTransaction {
  get(id: string): Promise<Memory | undefined>;
  /** Those that exist, in no particular order. */
  getMany(ids: readonly string[]): Promise<Memory[]>;
  /** Active memories of a scopeId written after a revision, newest first. */
  changedSince(revision: number, scopeId: string, limit: number): Promise<Memory[]>;
  /** The memories that say these facts already, whatever their status; oldest first. */
  findByHash(contentHashes: readonly string[], scopeId: string): Promise<Memory[]>;
  /** What a memory archived as merged lives on in, however often that was merged; undefined where it is gone. */
  mergeTargetOf(id: string): Promise<Memory | undefined>;
  /** Raises the write counter of a scopeId and returns it. */
  nextSequence(scopeId: string): Promise<number>;
  /** Makes changes in their order, each with its audit line, in as few statements as it takes. */
  applyBatch(changes: readonly MemoryWrite[]): Promise<void>;
  /** Vectors stand at the places of their memories. */
  insertMany(memories: readonly NewMemory[], vectors?: readonly (StoredVector | undefined)[]): Promise<void>;
  /** Replaces every field of the memory with this id. */
  update(memory: Memory, action: AuditAction, detail?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Deletes the row; only the audit log remembers it. */
  delete(id: string, action: 'prune' | 'purge'): Promise<void>;
  /** Keeps retention scores, 0-1 by memory id. No change of content: it has no audit line, and the revision stays. */
  saveScores(scores: ReadonlyMap<string, number>, version: number): Promise<void>;
  /** Replaces the search aids of a memory; empty lists remove them. */
  setAids(id: string, aids: SearchAids): Promise<void>;
  /** Makes the edge where it is missing, and marks the outdated end. */
  markOutdated(mark: OutdatedMark): Promise<void>;
  /** Says that a memory still holds, against every mark and rule no person has settled. Returns how many edges said so. */
  clearMarks(id: string, by: EdgeMark['by']): Promise<number>;
  /** Makes edges between stored memories; one that is there already keeps the greater strength. */
  link(edges: readonly NewEdge[]): Promise<void>;
  unlink(source: string, target: string, type: EdgeType): Promise<void>;
  /** Whether a person has settled the contradiction between two memories. */
  isSettled(first: string, second: string): Promise<boolean>;
  /** Takes the contradiction between two memories off the list: a person has settled it. */
  settle(first: string, second: string): Promise<void>;
  /** A person replaces `loser` by `winner`: its status, and the edge that says so. */
  supersede(winner: string, loser: string): Promise<void>;
  /** Undoes what a person made of two memories: neither replaces the other, and their contradiction is on the list. */
  reopen(first: string, second: string): Promise<void>;
  /** A superseded memory counts again: without what replaced it, and with their contradiction on the list. */
  undoSupersede(id: string): Promise<void>;
  /** @returns the record as it is inside this transaction */
  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined>;
  /** Writes or replaces. The body must survive JSON. */
  putRecord(kind: RecordKind, id: string, body: unknown): Promise<void>;
  deleteRecord(kind: RecordKind, id: string): Promise<void>;
  /** An audit line for something that changes no memory (export). */
  log(action: AuditAction, detail: Readonly<Record<string, unknown>>): Promise<void>;
}
