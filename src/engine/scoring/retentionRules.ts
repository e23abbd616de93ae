import { isUserArchiveReason, type Memory, type MemorySource } from '../model/memory.js';
import { dayMs } from '../model/duration.js';
import type { DecayRules } from '../model/config.js';
import { lifetimeEnd, planGraceEnd, type Decayable, type DecayInput } from './decay.js';

/** Sources whose notes were noted by no request: they expire unless someone vouches for them. Others live by their class. */
export const expiringSources: readonly MemorySource[] = ['conversation', 'import'];

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
 * person restored after that date does not expire: it decays like other memories.
 */
export function isExpired(memory: Expirable & Pick<Memory, 'status'>, now: Date): boolean {
  return memory.status === 'active' && hasPassedExpiry(memory, now);
}

type Expirable = Pick<Memory, 'lane' | 'expiresAt' | 'dueAt' | 'updatedAt' | 'pinned' | 'decayClass'>;

/** When a note expires, a plan at the earliest a week after its due date; milliseconds since 1970. */
export function expiryTime(memory: Pick<Memory, 'expiresAt' | 'dueAt'>): number | undefined {
  const end = Date.parse(memory.expiresAt ?? '');
  return Number.isNaN(end) ? undefined : Math.max(end, planGraceEnd(memory) ?? 0);
}

/**
 * Until when a memory is kept if nothing else happens to it, where that was said (`lasts`, `due`) or is the rule for captured
 * notes; milliseconds since 1970. Undefined where it lasts, or fades as everything that is never used does.
 */
export function keptUntil(memory: Expirable & Decayable, rules: DecayRules, centrality = 0): number | undefined {
  if (isUserProtected(memory)) return undefined;
  const expires = memory.lane === 'note' ? expiryTime(memory) : undefined;
  const ends = memory.decayClass === 'durable' ? undefined : lifetimeEnd(memory, rules, centrality);
  return expires === undefined || ends === undefined ? (expires ?? ends) : Math.min(expires, ends);
}

function hasPassedExpiry(memory: Expirable, now: Date): boolean {
  if (memory.lane !== 'note' || isUserProtected(memory)) return false;
  const end = expiryTime(memory);
  return end !== undefined && end <= now.getTime() && Date.parse(memory.updatedAt) <= end;
}

/**
 * Whether no recall may return the memory, whether or not maintenance has run: an expired note, or an ephemeral or
 * session memory past its lifetime (memory model, "Decay"). A durable one in the archive is found when it answers.
 */
export function hasLapsed(
  memory: Expirable & Decayable & Pick<Memory, 'archiveReason'>,
  { rules, centrality, now }: DecayInput,
): boolean {
  if (isUserProtected(memory)) return false;
  if (memory.archiveReason === 'expired' || hasPassedExpiry(memory, now)) return true;
  if (memory.decayClass === 'durable') return false;
  const end = lifetimeEnd(memory, rules, centrality);
  return end !== undefined && end < now.getTime();
}

/**
 * Whether an archived memory may be deleted: it was not archived, recalled or changed for `afterDays` (memory model,
 * "Decay"). What a person confirmed, and a note that an assistant was to keep without an end, is deleted only if a person
 * archived it. Pinned, permanent and merged memories are kept; a merged memory is the source of another one.
 * @param afterDays 0 = never
 */
export function isPurgeable(
  memory: Pick<
    Memory,
    | 'lane'
    | 'status'
    | 'archiveReason'
    | 'archivedAt'
    | 'accessedAt'
    | 'updatedAt'
    | 'pinned'
    | 'decayClass'
    | 'kind'
    | 'provenance'
  >,
  now: Date,
  afterDays: number,
): boolean {
  if (memory.status !== 'archived' || memory.archiveReason === 'merged' || isUserProtected(memory)) return false;
  if ((memory.lane === 'confirmed' || isLastingNote(memory)) && !isUserArchiveReason(memory.archiveReason))
    return false;
  if (afterDays <= 0) return false;
  const timestamps = [memory.archivedAt, memory.accessedAt, memory.updatedAt].filter(it => it !== undefined);
  return now.getTime() - Math.max(...timestamps.map(it => Date.parse(it))) >= afterDays * dayMs;
}

/** Whether it was stored by a request, without a short life: it may be archived, where a recall finds it, and not be lost. */
function isLastingNote(memory: Pick<Memory, 'decayClass' | 'kind' | 'provenance'>): boolean {
  const { decayClass, kind, provenance } = memory;
  const isAskedFor = !expiringSources.includes(provenance.source) && kind !== 'summary' && !isDerivedFromCode(memory);
  return decayClass === 'durable' && isAskedFor;
}
