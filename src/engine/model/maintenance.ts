import type { DecayProfile } from './config.js';
import type { DecayClass, Gate, Lane, Status, StoreKind, Tier } from './memory.js';
import type { RetentionPreset, RetentionSignals, RetentionWeights } from './retention.js';

/** What a run does, in this order. Effective confidence is computed, never stored, so that decay is a part of `archive`. */
export const maintenancePasses = ['archive', 'expire', 'score', 'quota', 'prune', 'candidates'] as const;
export type MaintenancePass = (typeof maintenancePasses)[number];

/** What becomes of a memory: `faded`, `expired` and `quota` archive it, `pruned` deletes it. */
export const maintenanceActions = ['faded', 'expired', 'quota', 'pruned'] as const;
export type MaintenanceAction = (typeof maintenanceActions)[number];

/** Why one memory goes, or is the next to go. No text of it: a pruned memory is gone. */
export interface MaintenanceDecision {
  readonly id: string;
  readonly tier: Tier;
  /** Effective confidence at the time of the run, 0-100. */
  readonly effective: number;
  /** Content and tags in UTF-8, and its vector. */
  readonly bytes: number;
  /** Of memories that were scored in this run. */
  readonly score?: number;
  readonly signals?: RetentionSignals;
}

/** A tier before and after a run, in bytes. */
export interface TierUsage {
  readonly quota: number;
  readonly before: number;
  readonly after: number;
  /** What of `after` no quota takes: pinned, permanent, open promises. */
  readonly protected: number;
}

/** All that decided a run. */
export interface MaintenanceInputs {
  readonly scoringVersion: number;
  readonly preset: RetentionPreset | 'custom';
  /** They sum to 1. */
  readonly weights: RetentionWeights;
  readonly profile: DecayProfile;
  readonly quotas: Readonly<Record<Tier, number>>;
  readonly bytesPerRun: number;
  readonly pruneAfterDays: number;
  /** What memories were matched with: the goals, how many open promises, the branch. */
  readonly goals: readonly string[];
  readonly promises: number;
  readonly branch?: string;
}

/** `interrupted`: its process died. What it had done stays, and the next run goes on from there. */
export type RunStatus = 'running' | 'finished' | 'cancelled' | 'interrupted';

/** One run over one store, as it is kept for review. A dry run has the same shape and is not kept. */
export interface MaintenanceRun {
  readonly id: string;
  readonly store: StoreKind;
  readonly dryRun: boolean;
  readonly trigger: 'person' | 'schedule';
  readonly client: string;
  readonly status: RunStatus;
  /** The clock of the run: everything counts from here. ISO-8601 UTC, as all times. */
  readonly at: string;
  readonly finishedAt?: string;
  readonly inputs: MaintenanceInputs;
  /** Memories looked at. */
  readonly processed: number;
  /** How many of them each action took, and how many got another score. */
  readonly counts: Readonly<Record<MaintenanceAction | 'scored', number>>;
  readonly tiers: Readonly<Record<Tier, TierUsage>>;
  /** Promises that have faded or are past due: a person decides about them under "Revisit". */
  readonly promisesToRevisit: number;
  /** Bytes that quotas archived. */
  readonly quotaBytes: number;
  /** Bytes that are still over a quota because the run had reached its limit of bytes. */
  readonly leftOver: number;
  /** Pairs worth merging; absent where nobody looked for them. */
  readonly candidates?: number;
  /** The first of each action, and how many more there were. */
  readonly decisions: Readonly<Record<MaintenanceAction, readonly MaintenanceDecision[]>>;
  readonly more: Readonly<Record<MaintenanceAction, number>>;
  /** Those that stay with the lowest scores: what a quota would take next. */
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

/** What somebody is working towards; memories that fit it are kept longer. */
export interface Goal {
  readonly id: string;
  readonly text: string;
  readonly store: StoreKind;
  readonly createdAt: string;
  /** A goal that was reached no longer counts. */
  readonly doneAt?: string;
}

/** How many memories there are of one sort, and what they take. */
export interface InventoryRow {
  readonly gate: Gate;
  readonly decayClass: DecayClass;
  readonly pinned: boolean;
  readonly lane: Lane;
  readonly status: Status;
  /** Made by the code index, which no quota counts. */
  readonly fromCode: boolean;
  readonly count: number;
  readonly bytes: number;
}

export interface StoreMetrics {
  readonly store: StoreKind;
  readonly file: string;
  readonly status: Readonly<Record<Status, number>>;
  /** Of the active ones. */
  readonly tiers: Readonly<Record<Tier, { readonly count: number; readonly bytes: number; readonly quota: number }>>;
  readonly gates: Readonly<Record<Gate, number>>;
  readonly lanes: Readonly<Record<Lane, number>>;
  /** The last run that was finished. */
  readonly lastRun?: {
    readonly at: string;
    readonly processed: number;
    readonly archived: number;
    readonly pruned: number;
  };
  /** When the next one is due; undefined before the first. */
  readonly dueAt?: string;
  /** Of every model. */
  readonly vectors: number;
  /** Bytes of the full-text index in the database, and of the search index beside it. */
  readonly indexBytes: number;
  readonly fileBytes: number;
}

export interface Metrics {
  readonly stores: readonly StoreMetrics[];
  /** From the traces that are kept. Times in milliseconds; undefined where there is no recall to tell of. */
  readonly recall: {
    readonly recalls: number;
    readonly p50?: number;
    readonly p95?: number;
    readonly cacheHits: number;
    /** Recalls that had to do without something, such as the embedding model. */
    readonly degraded: number;
    /**
     * 0-1: of what stood among the first five of an answer and was judged since, the share that was found useful.
     * Undefined where nothing was judged.
     */
    readonly precisionAt5?: number;
    /** Places that were judged. */
    readonly judged: number;
  };
  /** Of this process since it opened the memory. */
  readonly embedding: { readonly calls: number; readonly failures: number; readonly averageMs?: number };
}
