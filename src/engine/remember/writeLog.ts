// Log of what a transaction did to memories, so that it can be taken back without what was done since.
import { createHash } from 'node:crypto';
import { personLinkReason, type Edge } from '../model/edge.js';
import type { ArchiveReason, Memory } from '../model/memory.js';
import type { NewMemory, StoreTransaction } from '../store/store.js';
import type { MemoryChange } from './factWriter.js';

/** The writes of one transaction of one store. */
export interface WriteLog {
  /** New memories, each with a digest of what a person or a later session could have changed. */
  readonly created: readonly (readonly [id: string, digest: string])[];
  /** Of memories that were there: what was changed. */
  readonly changed: readonly LoggedChange[];
}

interface LoggedChange {
  readonly id: string;
  readonly fields: ChangedFields;
  /** Of the memory after it, where any change of it since keeps it from being taken back. */
  readonly digest?: string;
}

/** Fields before and after a write; null for an absent one. */
export type ChangedFields = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

interface UndoneWrites {
  /** Ids of the memories that were deleted. */
  readonly removed: readonly string[];
  /** Ids of the memories that have their fields back. */
  readonly restored: readonly string[];
  /** Ids of memories that were changed since, decided about, or moved to another store: they stay as they are. */
  readonly kept: readonly string[];
}

/** Written by every write, and no change of what the memory says or counts for. */
const ignoredFields: readonly string[] = ['sequence', 'centrality', 'retentionScore', 'scoringVersion', 'updatedAt'];

const automaticReasons: readonly ArchiveReason[] = ['faded', 'expired', 'quota', 'gone'];

export function logWrites(changes: readonly MemoryChange[]): WriteLog {
  return {
    created: changes.flatMap(it => (it.before === undefined ? [[it.after.id, digestMemory(it.after)] as const] : [])),
    changed: changes.flatMap(({ before, after }) =>
      before === undefined ? [] : [{ id: after.id, fields: changedFields(before, after) }],
    ),
  };
}

/**
 * Takes writes back in a transaction that is open: deletes new memories, and gives the others their fields back, the
 * latest first. What has changed since stays as it is.
 * @param because for the audit log, such as `the import was undone`
 */
export async function undoWrites(
  tx: StoreTransaction,
  { created, changed }: WriteLog,
  because: string,
): Promise<UndoneWrites> {
  const removed: string[] = [];
  const restored: string[] = [];
  const kept: string[] = [];
  for (const it of changed.toReversed()) ((await restoreFields(tx, it, because)) ? restored : kept).push(it.id);
  const ids = created.map(([id]) => id);
  const byId = new Map((await tx.getMany(ids)).map(it => [it.id, it]));
  const linked = (await tx.edges(ids)).filter(isDecision).flatMap(it => [it.source, it.target]);
  const decided = new Set([...linked, ...(await tx.withEditedAids(ids))]);
  for (const [id, digest] of created) {
    const memory = byId.get(id);
    if (memory !== undefined && digestMemory(memory) === digest && !decided.has(id)) {
      await tx.delete(id, 'prune');
      removed.push(id);
    } else kept.push(id);
  }
  return { removed, restored, kept };
}

export function changedFields(before: NewMemory, after: NewMemory): ChangedFields {
  const [old, current] = [before, after] as readonly Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter(it => !ignoredFields.includes(it) && !isSame(old![it], current![it]));
  return Object.fromEntries(changed.map(it => [it, [old![it] ?? null, current![it] ?? null]]));
}

/**
 * Gives a memory the fields back that it had before a write.
 * @returns whether it is as before; false where it is gone, or has changed since
 */
async function restoreFields(
  tx: StoreTransaction,
  { id, fields, digest }: LoggedChange,
  because: string,
): Promise<boolean> {
  const memory = await tx.get(id);
  if (memory === undefined) return false;
  const current = memory as unknown as Readonly<Record<string, unknown>>;
  const changes = Object.entries(fields);
  if (changes.every(([key, [before]]) => isSame(current[key], before))) return true;
  if (changes.some(([key, [, after]]) => !isSame(current[key], after))) return false;
  if (digest !== undefined && digest !== digestMemory(memory)) return false;
  const before = Object.fromEntries(changes.map(([key, [it]]) => [key, it ?? undefined]));
  const restored = Object.fromEntries(
    Object.entries({ ...current, ...before }).filter(([, it]) => it !== undefined),
  ) as unknown as Memory;
  const isArchived = memory.status === 'active' && restored.status === 'archived';
  await tx.update(restored, isArchived ? 'archive' : 'restore', { because });
  return true;
}

/**
 * Digest of what changes where a memory is edited, confirmed, judged, filed, forgotten or said again. Search aids are no
 * part of it, because those that it lacks are added automatically.
 */
export function digestMemory(memory: NewMemory): string {
  const { contentHash, gate, kind, lane, decayClass, priority, pinned, tags, scopeId, dueAt } = memory;
  const { reinforcementCount, usefulCount, feedback } = memory;
  // A memory that faded or expired keeps its original source.
  const status = automaticReasons.some(it => it === memory.archiveReason) ? 'active' : memory.status;
  const fields = [contentHash, gate, kind, lane, decayClass, priority, pinned, tags, scopeId ?? '', dueAt ?? ''];
  return createHash('sha256')
    .update(JSON.stringify([...fields, reinforcementCount, usefulCount, feedback, status]))
    .digest('hex')
    .slice(0, 16);
}

/** Whether a person has decided something between two memories, or linked them. */
function isDecision({ type, settledAt, mark, reason }: Edge): boolean {
  return type === 'supersedes' || settledAt !== undefined || mark?.by === 'person' || reason === personLinkReason;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
