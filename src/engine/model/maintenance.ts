import type { LocalizableMessage } from '../base/localizableMessage.js';
import type { DecayProfile, DecayRules } from './config.js';
import type { DecayClass, Gate, Lane, Status, StoreKind, Tier } from './memory.js';
import type { RetentionPreset, RetentionSignals, RetentionWeights } from './retention.js';

/** How long a program whose user waits may spend on scheduled maintenance. */
export const maintenanceBudgetMs = 1_000;

/** Passes of a run, in order. Effective confidence is computed and never stored, so decay is part of `archive`. */
export const maintenancePasses = ['takeBack', 'archive', 'expire', 'score', 'quota', 'prune', 'candidates'] as const;
export type MaintenancePass = (typeof maintenancePasses)[number];

/** `faded`, `expired` and `quota` archive a memory, `pruned` deletes it. */
export const maintenanceActions = ['faded', 'expired', 'quota', 'pruned'] as const;
export type MaintenanceAction = (typeof maintenanceActions)[number];

/** Why a memory is removed, or would be next. Without text, because pruned text must not survive. */
export interface MaintenanceDecision {
  readonly id: string;
  readonly tier: Tier;
  /** Effective confidence at the time of the run, 0-100. */
  readonly effective: number;
  /** Content and tags in UTF-8, and the vector. */
  readonly bytes: number;
  /** Present if the memory was scored in this run. */
  readonly score?: number;
  readonly signals?: RetentionSignals;
}

/** Fields that rules of version 0.1.0 gave a memory without anyone's word: a day, a short life, confidence, a contradiction. */
export const ruledKinds = ['day', 'life', 'points', 'mark'] as const;
export type RuledKind = (typeof ruledKinds)[number];

/** Something that a run takes back. Without text, like a decision. */
export interface TakenBack {
  readonly id: string;
  readonly kind: RuledKind;
  /** Value before: a time, a decay class, the confidence; of a mark the id of the memory that it was to contradict. */
  readonly from: string;
  /** Value after; absent where nothing takes its place. */
  readonly to?: string;
}

/** Changes that a run takes back, with the first items of it. */
export interface TakenBackReport {
  readonly counts: Readonly<Record<RuledKind, number>>;
  readonly items: readonly TakenBack[];
}

/** Bytes of a tier before and after a run. */
export interface TierUsage {
  readonly quota: number;
  readonly before: number;
  readonly after: number;
  /** The part of `after` that quotas leave alone: pinned, permanent, open promises. */
  readonly protected: number;
}

/** Inputs of the decisions of a run. */
export interface MaintenanceInputs {
  readonly scoringVersion: number;
  readonly preset: RetentionPreset | 'custom';
  /** Sum to 1. */
  readonly weights: RetentionWeights;
  readonly profile: DecayProfile;
  /** Of the profile `kinds`. */
  readonly kindHalfLives?: DecayRules['kindHalfLives'];
  readonly quotas: Readonly<Record<Tier, number>>;
  readonly bytesPerRun: number;
  readonly pruneAfterDays: number;
  /** Inputs that memories were matched with: goals, number of open promises, branch. */
  readonly goals: readonly string[];
  readonly promises: number;
  readonly branch?: string;
}

/** `interrupted`: the process died. Completed work is kept, and the next run continues. */
export type RunStatus = 'running' | 'finished' | 'cancelled' | 'interrupted';

/** One run over one store, kept for review. A dry run has the same shape and is not kept. */
export interface MaintenanceRun {
  readonly id: string;
  readonly store: StoreKind;
  readonly dryRun: boolean;
  readonly trigger: 'person' | 'schedule';
  readonly client: string;
  readonly status: RunStatus;
  /** Time of the run, used for every decision. ISO-8601 UTC, like all times. */
  readonly at: string;
  readonly finishedAt?: string;
  readonly inputs: MaintenanceInputs;
  /** Memories examined. */
  readonly processed: number;
  /** Of the first run after an upgrade, before its decisions; absent where there was nothing. */
  readonly takenBack?: TakenBackReport;
  /** Memories per action, and memories with a changed score. */
  readonly counts: Readonly<Record<MaintenanceAction | 'scored', number>>;
  readonly tiers: Readonly<Record<Tier, TierUsage>>;
  /** Promises that are decayed or overdue; a person decides on them under "Revisit". */
  readonly promisesToRevisit: number;
  /** Bytes archived by quotas. */
  readonly quotaBytes: number;
  /** Bytes still over a quota because the run reached its byte limit. */
  readonly leftOver: number;
  /** Groups worth merging; absent if not counted. */
  readonly candidates?: number;
  /** The first decisions per action, and the number of further ones. */
  readonly decisions: Readonly<Record<MaintenanceAction, readonly MaintenanceDecision[]>>;
  readonly more: Readonly<Record<MaintenanceAction, number>>;
  /** Retained memories with the lowest scores, which a quota would take next. */
  readonly nextToGo: readonly MaintenanceDecision[];
  /** One sentence each. */
  readonly warnings: readonly string[];
}

export interface MaintenanceProgress {
  readonly store: StoreKind;
  readonly pass: 'plan' | MaintenancePass;
  readonly done: number;
  readonly total: number;
}

/** A goal of a person; matching memories are kept longer. */
export interface Goal {
  readonly id: string;
  readonly text: string;
  readonly store: StoreKind;
  readonly createdAt: string;
  /** Set when the goal was reached; it no longer counts then. */
  readonly doneAt?: string;
}

/** Count and bytes of one group of memories. */
export interface InventoryRow {
  readonly gate: Gate;
  readonly decayClass: DecayClass;
  readonly pinned: boolean;
  readonly lane: Lane;
  readonly status: Status;
  /** `explicit` stands for every other source than the code index, which quotas ignore, and imports; an author: a team's. */
  readonly provenance: { readonly source: 'code-index' | 'import' | 'explicit'; readonly author?: string };
  readonly count: number;
  readonly bytes: number;
}

/** Memories that were created, archived, and deleted for good. */
export interface ItemCounts {
  readonly created: number;
  readonly archived: number;
  readonly deleted: number;
}

/** Counts of a part of the audit log. */
export interface CountedItems {
  /** Whether that is the whole log. */
  readonly isWhole: boolean;
  /** The head of the log that was counted. */
  readonly head: string;
  /** `2026-11-26` -> counts, oldest first. */
  readonly days: Readonly<Record<string, ItemCounts>>;
}

/** Sums over the audit log, since its start. Periods are of UTC; one without a change is absent. */
export interface ItemHistory {
  readonly total: ItemCounts;
  /** `2026-11` -> counts, oldest first, of the last twelve months. */
  readonly months: Readonly<Record<string, ItemCounts>>;
  /** `2026-11-26` -> counts, oldest first, of the last thirty days. */
  readonly days: Readonly<Record<string, ItemCounts>>;
}

export const alertKinds = [
  'overQuota',
  'manyRemoved',
  'storeDamaged',
  'writeFailed',
  'maintenanceFailed',
  'embeddingFailed',
  'importChanged',
  'syncWaits',
] as const;

/** Something that wants a person's eye: it goes when its cause is seen to be gone, or when a person has seen it. */
export interface Alert {
  readonly kind: (typeof alertKinds)[number];
  /** Of one store; absent for what concerns the program. */
  readonly store?: StoreKind;
  /** The problem, and the next step. Holds no text of a memory. */
  readonly text: LocalizableMessage;
}

export interface StoreMetrics {
  readonly store: StoreKind;
  readonly file: string;
  readonly items: ItemHistory;
  /** An estimate: bytes of content, tags and vectors that a month adds at the pace of the last thirty days. */
  readonly bytesPerMonth: number;
  readonly status: Readonly<Record<Status, number>>;
  /** Active memories by tier. */
  readonly tiers: Readonly<Record<Tier, { readonly count: number; readonly bytes: number; readonly quota: number }>>;
  readonly gates: Readonly<Record<Gate, number>>;
  readonly lanes: Readonly<Record<Lane, number>>;
  /** The last finished run. */
  readonly lastRun?: {
    readonly at: string;
    readonly processed: number;
    readonly archived: number;
    readonly pruned: number;
  };
  /** Time of the next run; undefined before the first. */
  readonly dueAt?: string;
  /** Active memories that lack search aids and may have some. */
  readonly withoutAids: number;
  /** Vectors of all models. */
  readonly vectors: number;
  /** Bytes that the vectors of the model in use take in the memory of a program that searches. */
  readonly vectorBytes: number;
  /** Bytes of the full-text index in the database and of the index file. */
  readonly indexBytes: number;
  readonly fileBytes: number;
}

export interface Metrics {
  readonly stores: readonly StoreMetrics[];
  /** From the kept traces. Times in milliseconds; undefined without recalls. */
  readonly recall: {
    readonly recalls: number;
    readonly p50?: number;
    readonly p95?: number;
    readonly cacheHits: number;
    /** Recalls with a degradation, such as a missing embedding model. */
    readonly degraded: number;
    /** Share of useful memories among the judged ones in the first five hits, 0-1. Undefined if none was judged. */
    readonly precisionAt5?: number;
    /** Judged positions. */
    readonly judged: number;
  };
  readonly embedding: {
    /** Whether memories are found by meaning too. */
    readonly enabled: boolean;
    /** The name of the model, where there is one. */
    readonly model?: string;
    /** Of this process since the engine was opened. */
    readonly calls: number;
    readonly failures: number;
    readonly averageMs?: number;
  };
  /** Texts in English. */
  readonly alerts: readonly (Omit<Alert, 'text'> & { readonly text: string })[];
}
