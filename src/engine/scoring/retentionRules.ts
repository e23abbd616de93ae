import { isUserArchiveReason, type Memory } from '../model/memory.js';
import { dayMs } from './decay.js';

/** Whether a person decided to keep the memory; no automatic rule archives or deletes it. */
export function isUserProtected({ pinned, decayClass }: Pick<Memory, 'pinned' | 'decayClass'>): boolean {
  return pinned || decayClass === 'permanent';
}

/**
 * Whether a promise is still open. It may decay or be overdue; it is then listed under "Revisit" and not archived
 * silently (memory model, "Gates").
 */
export function isOpenPromise({ gate, status }: Pick<Memory, 'gate' | 'status'>): boolean {
  return gate === 'promissory' && status === 'active';
}

/**
 * Whether the code index made the memory. It is deleted with its code, never by age or quota, and does not count
 * against quotas, because it can be derived again at any time.
 */
export function isDerivedFromCode({ provenance }: Pick<Memory, 'provenance'>): boolean {
  return provenance.source === 'code-index';
}

/** Whether quotas leave the memory alone. */
export function isProtectedFromQuota(memory: Pick<Memory, 'pinned' | 'decayClass' | 'gate' | 'status'>): boolean {
  return isUserProtected(memory) || isOpenPromise(memory);
}

/**
 * Whether an unconfirmed note has passed its expiry date; includes promises that only a model noted. A note that a
 * recall or a person restored after that date does not expire: it decays like other memories.
 */
export function isExpired(
  memory: Pick<Memory, 'lane' | 'expiresAt' | 'updatedAt' | 'pinned' | 'decayClass' | 'status'>,
  now: Date,
): boolean {
  if (memory.status !== 'active' || memory.lane !== 'note' || isUserProtected(memory)) return false;
  if (memory.expiresAt === undefined) return false;
  const end = Date.parse(memory.expiresAt);
  return end <= now.getTime() && Date.parse(memory.updatedAt) <= end;
}

/**
 * Whether an archived memory may be deleted: it was not archived, recalled or changed for `afterDays` (memory model,
 * "Decay"). A confirmed memory is deleted only if a person archived it. Pinned, permanent and merged memories are kept;
 * a merged memory is the source of another one.
 * @param afterDays 0 = never
 */
export function isPurgeable(
  memory: Pick<
    Memory,
    'lane' | 'status' | 'archiveReason' | 'archivedAt' | 'accessedAt' | 'updatedAt' | 'pinned' | 'decayClass'
  >,
  now: Date,
  afterDays: number,
): boolean {
  if (memory.status !== 'archived' || memory.archiveReason === 'merged' || isUserProtected(memory)) return false;
  if (memory.lane === 'confirmed' && !isUserArchiveReason(memory.archiveReason)) return false;
  if (afterDays <= 0) return false;
  const timestamps = [memory.archivedAt, memory.accessedAt, memory.updatedAt].filter(it => it !== undefined);
  return now.getTime() - Math.max(...timestamps.map(it => Date.parse(it))) >= afterDays * dayMs;
}
