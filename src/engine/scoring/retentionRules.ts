import { isUserArchiveReason, type Memory } from '../model/memory.js';
import { dayMs } from './decay.js';

/** A person has said that it stays: nothing a machine decides touches it, whatever becomes of its confidence. */
export function isUserProtected({ pinned, decayClass }: Pick<Memory, 'pinned' | 'decayClass'>): boolean {
  return pinned || decayClass === 'permanent';
}

/**
 * A promise that nobody has settled. It may fade or be past due: then it is listed under "Revisit", and does not go away
 * by itself (memory model, "Gates").
 */
export function isOpenPromise({ gate, status }: Pick<Memory, 'gate' | 'status'>): boolean {
  return gate === 'promissory' && status === 'active';
}

/**
 * What the code index made. It goes when its code does; neither time nor a quota decides, and it takes no room from what
 * people said, for it can be made again at any time.
 */
export function isDerivedFromCode({ provenance }: Pick<Memory, 'provenance'>): boolean {
  return provenance.source === 'code-index';
}

/** What no quota takes. */
export function isProtectedFromQuota(memory: Pick<Memory, 'pinned' | 'decayClass' | 'gate' | 'status'>): boolean {
  return isUserProtected(memory) || isOpenPromise(memory);
}

/**
 * A note whose time is over without a person having confirmed it; promises that only a model noted are among them. One
 * that a recall or a person has brought back since then has shown its worth: it fades as everything else does.
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
 * Whether an archived memory is to be deleted: untouched for `afterDays` since it was archived, last recalled or changed
 * (memory model, "Decay"). What a person said goes only where the person put it away too: a machine may archive it, and
 * never deletes it. Nor what a person pinned or marked critical, nor what was merged into another memory: that one is
 * derived from it.
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
