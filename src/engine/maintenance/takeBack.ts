// The first maintenance after an upgrade takes back what rules of version 0.1.0 gave memories, without a word of a person or a model.
import type { Context } from '../context.js';
import type { Edge } from '../model/edge.js';
import { ruledKinds, type RuledKind, type TakenBack, type MaintenanceRun } from '../model/maintenance.js';
import { isUserArchiveReason, type Memory } from '../model/memory.js';
import { initialConfidence } from '../scoring/confidence.js';
import { dayMs } from '../model/duration.js';
import { expiringSources, isDerivedFromCode } from '../scoring/retentionRules.js';
import { owedPenalties, type OwedPenalty } from '../store/owedPenalties.js';
import type { HistoryLine, Store, StoreTransaction } from '../store/store.js';
import { isFormerDay, isFormerLife, isFormerReason } from './formerRules.js';

/** Record of a store from which everything was taken back; a second run would only undo an undo. */
const doneRecordId = 'done';

/** Changes to take back of one memory. */
export interface PlannedTakeBack {
  readonly before: Memory;
  readonly after: Memory;
  readonly items: readonly TakenBack[];
  readonly penalties: readonly OwedPenalty[];
  /** Contradictions that start at it. */
  readonly edges: readonly Edge[];
}

/** The undo of one memory's part in a run. */
interface TakenBackRecord {
  readonly before: Pick<Memory, 'dueAt' | 'expiresAt' | 'decayClass' | 'confidence' | 'reinforcementCount' | 'status'> &
    Partial<Pick<Memory, 'archiveReason' | 'archivedAt'>>;
  readonly after: TakenBackRecord['before'];
  /** Ids of the memories whose contradiction had cost it confidence. */
  readonly penalties: readonly string[];
  readonly edges: readonly Edge[];
}

const recordId = (run: string, memory: string): string => `${run}:${memory}`;

/**
 * Changes that a run would take back in a store, oldest memory first; nothing once one has. Only reads.
 * @param whenIdle resolves when no call is waiting
 */
export async function planTakeBack(
  ctx: Pick<Context, 'host'>,
  store: Store,
  { signal, whenIdle }: { readonly signal: AbortSignal; readonly whenIdle: () => Promise<void> },
): Promise<readonly PlannedTakeBack[]> {
  if (await isTakenBack(store)) return [];
  const { lifetimeDays } = ctx.host.config().notes;
  const planned: PlannedTakeBack[] = [];
  for await (const page of store.scanAll()) {
    await whenIdle();
    if (signal.aborted) return planned;
    const memories = page.filter(it => !isDerivedFromCode(it) && !isUserArchiveReason(it.archiveReason));
    const ids = memories.map(it => it.id);
    const edges = await store.edges(ids, ['contradicts', 'derived_from']);
    const open = edges.filter(
      it =>
        it.type === 'contradicts' &&
        it.settledAt === undefined &&
        (it.mark?.by === 'model' || isFormerReason(it.reason)),
    );
    // They have the greatest confidence of what they were made of.
    const merged = new Set(edges.filter(it => it.type === 'derived_from').map(it => it.source));
    for (const memory of memories) {
      const own = open.filter(it => it.source === memory.id || it.target === memory.id);
      if (own.length === 0 && !mayBeRuled(memory)) continue;
      const history = await store.history(memory.id);
      const initial = merged.has(memory.id) ? undefined : confidenceAtFirst(memory, history);
      const plan = planMemory(memory, own, { history, initial, lifetimeDays });
      if (plan.items.length > 0) planned.push(plan);
    }
  }
  return planned;
}

/** Whether a memory may have anything of the former rules: most have not, and their history stays unread. */
function mayBeRuled(memory: Memory): boolean {
  const { dueAt, expiresAt, decayClass, confidence, lane, provenance } = memory;
  return (
    dueAt !== undefined ||
    (lane === 'note' && expiresAt !== undefined && !expiringSources.includes(provenance.source)) ||
    decayClass === 'ephemeral' ||
    decayClass === 'session' ||
    confidence !== initialConfidence(provenance.source, confidence)
  );
}

function planMemory(
  before: Memory,
  edges: readonly Edge[],
  {
    history,
    initial,
    lifetimeDays,
  }: {
    readonly history: readonly HistoryLine[];
    /** The confidence that it was stored with, where its history says it. */
    readonly initial: number | undefined;
    readonly lifetimeDays: number;
  },
): PlannedTakeBack {
  const items: TakenBack[] = [];
  const add = (kind: RuledKind, from: string, to?: string): void => {
    items.push({ id: before.id, kind, from, ...(to === undefined ? {} : { to }) });
  };
  let after = before;
  if (isOfFormerVersion(before, initial) && !wasEdited(history)) {
    if (isFormerDay(after)) {
      const { dueAt, ...rest } = after;
      add('day', dueAt!);
      after = rest;
    }
    if (isFormerExpiry(after, lifetimeDays)) {
      const { expiresAt, ...rest } = after;
      add('day', expiresAt!);
      after = rest;
    }
    if (after.dueAt === undefined && isFormerLife(after)) {
      add('life', after.decayClass, 'durable');
      after = { ...after, decayClass: 'durable' };
    }
  }
  if (items.length > 0 && (after.archiveReason === 'expired' || after.archiveReason === 'faded')) {
    const { archivedAt, archiveReason, ...rest } = after;
    after = { ...rest, status: 'active' };
  }
  const penalties = owedPenalties(history).filter(({ by, isPersons }) => {
    const edge = edges.find(it => it.source === by || it.target === by);
    return !isPersons && edge !== undefined && edge.mark?.by !== 'person';
  });
  const confidence = confidenceWithout(after, { initial, penalties, history });
  if (confidence !== after.confidence) {
    add('points', String(after.confidence), String(confidence));
    after = { ...after, confidence, reinforcementCount: after.reinforcementCount + penalties.length };
  }
  const marks = edges.filter(it => it.mark === undefined && it.source === before.id);
  for (const it of marks) add('mark', it.target);
  return { before, after, items, penalties: confidence === before.confidence ? [] : penalties, edges: marks };
}

/** The confidence that a memory was stored with; undefined where its history does not say. */
function confidenceAtFirst(memory: Memory, history: readonly HistoryLine[]): number | undefined {
  if (history[0]?.action !== 'create' || history[0].detail.moved === true) return undefined;
  const changes = history.filter(it => it.action === 'reinforce' || it.detail.confidence !== undefined);
  if (changes.length === 0) return memory.confidence;
  return (changes[0]!.detail.confidence as { readonly from?: number } | undefined)?.from;
}

/** Whether version 0.1.0 stored it: by how clear its text is, as all was then. Only what was captured says nothing by that. */
function isOfFormerVersion({ provenance: { source, reason } }: Memory, initial: number | undefined): boolean {
  if (source === 'conversation') return reason === undefined;
  return initial !== undefined && initial !== initialConfidence(source, initial);
}

/** Whether a person gave it another text or day: it is theirs then. */
function wasEdited(history: readonly HistoryLine[]): boolean {
  return history.some(
    ({ action, detail }) => action === 'edit' && (detail.change === 'text' || detail.change === 'extend'),
  );
}

/** Every note lapsed after some weeks; now only those do that were captured or imported. */
function isFormerExpiry({ lane, expiresAt, createdAt, provenance }: Memory, lifetimeDays: number): boolean {
  if (lane !== 'note' || expiresAt === undefined || expiringSources.includes(provenance.source)) return false;
  return Date.parse(expiresAt) - Date.parse(createdAt) === lifetimeDays * dayMs;
}

/** The confidence by the source instead of the clarity of the text, and with what contradictions of the rules had cost. */
function confidenceWithout(
  memory: Memory,
  {
    initial,
    penalties,
    history,
  }: {
    readonly initial: number | undefined;
    readonly penalties: readonly OwedPenalty[];
    readonly history: readonly HistoryLine[];
  },
): number {
  const { confidence, pinned, provenance } = memory;
  // A pin locks the value that a person saw; a file gave the one that it names.
  if (pinned || history.some(it => it.action === 'pin' || it.action === 'import')) return confidence;
  const wasGiven = initial === undefined || !isClarity(initial);
  const gained = wasGiven ? 0 : initialConfidence(provenance.source, initial) - initial;
  const returned = penalties.reduce((sum, it) => sum + (it.points ?? 0), 0);
  return Math.max(0, Math.min(100, confidence + gained + returned));
}

/** Whether the classifier of version 0.1.0 may have given the value. */
function isClarity(confidence: number): boolean {
  return Number.isInteger(confidence) && confidence >= 60 && confidence <= 95;
}

/** @param keep items that the report has at most */
export function reportTakeBack(planned: readonly PlannedTakeBack[], keep: number): Pick<MaintenanceRun, 'takenBack'> {
  const items = planned.flatMap(it => it.items);
  if (items.length === 0) return {};
  const counts = Object.fromEntries(
    ruledKinds.map(kind => [kind, items.filter(it => it.kind === kind).length]),
  ) as Record<RuledKind, number>;
  const first = ruledKinds.flatMap(kind => items.filter(it => it.kind === kind).slice(0, keep));
  return { takenBack: { counts, items: first } };
}

/** Writes what is planned of one memory, with a record for the undo. */
export async function applyTakeBack(
  tx: StoreTransaction,
  { before, after, items, penalties, edges }: PlannedTakeBack,
  { id: run, at }: Pick<MaintenanceRun, 'id' | 'at'>,
): Promise<void> {
  const changed = { ...after, updatedAt: after.status === before.status ? after.updatedAt : at };
  for (const { by } of penalties) await tx.update(before, 'settle', { other: by, vindicated: true, run });
  if (after !== before) {
    const kinds = [...new Set(items.map(it => it.kind))].filter(it => it !== 'mark');
    await tx.update(changed, 'maintain', { change: 'takenBack', kinds, run });
  }
  for (const { source, target, type } of edges) await tx.unlink(source, target, type);
  const record: TakenBackRecord = {
    before: undoFields(before),
    after: undoFields(changed),
    penalties: penalties.map(it => it.by),
    edges,
  };
  await tx.putRecord('takenBack', recordId(run, before.id), record);
}

function undoFields({
  dueAt,
  expiresAt,
  decayClass,
  confidence,
  reinforcementCount,
  status,
  archiveReason,
  archivedAt,
}: Memory): TakenBackRecord['before'] {
  const fields = { dueAt, expiresAt, decayClass, confidence, reinforcementCount, status, archiveReason, archivedAt };
  return JSON.parse(JSON.stringify(fields)) as TakenBackRecord['before'];
}

export async function isTakenBack(store: Store): Promise<boolean> {
  return (await store.record('takenBack', doneRecordId)) !== undefined;
}

export async function recordTakenBack(tx: StoreTransaction, run: string): Promise<void> {
  await tx.putRecord('takenBack', doneRecordId, { run });
}

/** Ids of the records by which runs could be undone, of those that took something back. */
export async function findUndoRecords(store: Store, runs: readonly MaintenanceRun[]): Promise<readonly string[]> {
  const ids = runs.filter(it => it.takenBack !== undefined).map(it => it.id);
  const found = await Promise.all(ids.map(async run => (await findTakenBack(store, run)).map(it => recordId(run, it))));
  return found.flat();
}

/** Ids of the memories of which a run took something back, as far as it can be undone. */
export async function findTakenBack(store: Store, run: string): Promise<readonly string[]> {
  const records = await store.records<TakenBackRecord>('takenBack', Number.MAX_SAFE_INTEGER);
  return records.filter(it => it.id.startsWith(`${run}:`)).map(it => it.id.slice(run.length + 1));
}

/** Gives a memory again what a run took back. @returns the memory; none where it is gone or was changed since */
export async function undoTakeBack(tx: StoreTransaction, run: string, id: string): Promise<readonly Memory[]> {
  const record = await tx.record<TakenBackRecord>('takenBack', recordId(run, id));
  const memory = await tx.get(id);
  if (record === undefined) return [];
  await tx.deleteRecord('takenBack', record.id);
  const { before, after, penalties, edges } = record.body;
  if (memory === undefined || JSON.stringify(undoFields(memory)) !== JSON.stringify(after)) return [];
  const { dueAt, expiresAt, archiveReason, archivedAt, ...rest } = memory;
  for (const other of penalties) await tx.update(memory, 'settle', { other, vindicated: false, undone: true, run });
  const restored: Memory = { ...rest, ...before };
  await tx.update(restored, 'maintain', { change: 'takenBack', undone: true, run });
  const ends = new Set((await tx.getMany(edges.map(it => it.target))).map(it => it.id));
  await tx.link(
    edges.flatMap(({ source, target, strength, reason }) =>
      ends.has(target) ? [{ source, target, type: 'contradicts' as const, strength, reason }] : [],
    ),
  );
  return [restored];
}
