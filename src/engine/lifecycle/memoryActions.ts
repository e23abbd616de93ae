import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { withWaitingStores, type Context } from '../context.js';
import type { AuditAction } from '../model/auditAction.js';
import { isReferenceTo, normalizeReference, type Memory, type Rating } from '../model/memory.js';
import type { EdgeMark } from '../model/edge.js';
import { restoreConfidence } from '../scoring/confidence.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { owedPenalties, type OwedPenalty } from '../store/owedPenalties.js';
import type { Store, StoreTransaction } from '../store/store.js';

/** A memory and its store. */
export interface LocatedMemory {
  readonly store: Store;
  readonly memory: Memory;
}

/**
 * Finds the memory with an id or a short id (with or without a leading #) in all open stores.
 * @throws EngineError notFound | ambiguousId
 */
export async function resolveReference(ctx: Context, reference: string): Promise<LocatedMemory> {
  const normalizedReference = normalizeReference(reference);
  const found: LocatedMemory[] = [];
  for (const { store } of withWaitingStores(ctx).stores) {
    for (const memory of await store.get(await store.resolve(normalizedReference))) found.push({ store, memory });
  }
  if (found.length === 0) found.push(...(await findByTeamsId(ctx, normalizedReference)));
  // An interrupted move leaves one memory in two stores.
  if (new Set(found.map(it => it.memory.id)).size === 1) return found[0]!;
  if (found.length === 0) {
    throw new EngineError(
      'notFound',
      message`There is no memory ${quoteReference(reference)}. List or recall memories to see their ids.`,
    );
  }
  throw new EngineError(
    'ambiguousId',
    message`${quoteReference(reference)} could be ${found.map(it => it.memory.id).join(' or ')}. Give the full id.`,
  );
}

/** The memories here that came of what a team shares under an id: a colleague says that one. */
async function findByTeamsId(ctx: Context, reference: string): Promise<readonly LocatedMemory[]> {
  const found: LocatedMemory[] = [];
  for (const { store } of ctx.stores.filter(it => it.store.kind === 'project')) {
    const records = await store.records<{ readonly memory?: string }>('receivedShare', Number.MAX_SAFE_INTEGER);
    const ids = records.flatMap(it => (isReferenceTo(it, reference) ? (it.body.memory ?? []) : []));
    for (const memory of await store.get(ids)) found.push({ store, memory });
  }
  return found;
}

/** A person's actions on one memory: functions from its current to its new state. */
const transitions = {
  // Locks the value that a person sees, and decay goes on from it.
  pin: (memory, { effective }) => ({ ...memory, pinned: true, confidence: effective }),
  unpin: (memory, { at }) => ({ ...memory, pinned: false, updatedAt: at }),
  forget: (memory, { at }) => ({ ...memory, status: 'archived', archiveReason: 'forgotten', archivedAt: at }),
  complete: (memory, { at }) => ({ ...memory, status: 'archived', archiveReason: 'done', archivedAt: at }),
  restore: (memory, { at }) => {
    const { archivedAt, archiveReason, ...rest } = memory;
    return { ...rest, status: 'active', updatedAt: at };
  },
  promote: memory => {
    const { expiresAt, ...rest } = memory;
    return { ...rest, lane: 'confirmed' };
  },
  markCritical: memory => ({ ...memory, decayClass: 'permanent' }),
  // A note that was useful does not expire.
  useful: ({ expiresAt, ...memory }) => ({
    ...memory,
    feedback: memory.feedback + 1,
    usefulCount: memory.usefulCount + 1,
  }),
  notUseful: memory => ({ ...memory, feedback: memory.feedback - 1 }),
} satisfies Record<string, (memory: Memory, moment: Moment) => Memory>;

interface Moment {
  readonly at: string;
  /** Effective confidence at this time, 0-100. */
  readonly effective: number;
}

export type MemoryAction = keyof typeof transitions;

const auditActionFor: Readonly<Record<MemoryAction, AuditAction>> = {
  pin: 'pin',
  unpin: 'unpin',
  forget: 'archive',
  complete: 'archive',
  restore: 'restore',
  promote: 'promote',
  markCritical: 'edit',
  useful: 'feedback',
  notUseful: 'feedback',
};

/**
 * Applies an action to one memory and returns the new state with its store. Actions other than feedback are idempotent. One
 * that is restored after it was replaced gets back the confidence that settling it cost.
 * @throws EngineError notFound | ambiguousId, and errors of Store.write
 */
export async function applyAction(ctx: Context, reference: string, action: MemoryAction): Promise<LocatedMemory> {
  const penalties = action === 'restore' ? await penaltiesOf(await resolveReference(ctx, reference)) : [];
  return updateMemory(ctx, reference, async (tx, memory, at) => {
    await applyActionTo(ctx, memory, action, { tx, at });
    if (memory.status !== 'superseded') return;
    // A person's statement holds until it is taken back itself.
    const stated = (await tx.edges([memory.id])).filter(it => it.mark?.by === 'person');
    const ended = penalties.filter(({ by }) => !stated.some(it => it.source === by || it.target === by));
    await giveBackPenalties(tx, memory.id, ended, 'person');
  });
}

async function penaltiesOf({ store, memory }: LocatedMemory): Promise<readonly OwedPenalty[]> {
  return owedPenalties(await store.history(memory.id));
}

/** Gives a memory back what contradictions took, except what a person's word took where a model speaks. */
export async function giveBackPenalties(
  tx: StoreTransaction,
  id: string,
  penalties: readonly OwedPenalty[],
  by: EdgeMark['by'],
): Promise<void> {
  for (const penalty of penalties) {
    const memory = await tx.get(id);
    if (memory === undefined || (penalty.isPersons && by === 'model')) continue;
    const restored = { ...memory, ...restoreConfidence(memory, penalty.certainty) };
    await tx.update(restored, 'settle', { other: penalty.by, vindicated: true });
  }
}

/** Applies an action to one memory in a transaction that is open. */
export async function applyActionTo(
  ctx: Context,
  memory: Memory,
  action: MemoryAction,
  { tx, at }: { readonly tx: StoreTransaction; readonly at: string },
): Promise<void> {
  if (isAlreadyApplied(memory, action)) return;
  if (action === 'restore' && memory.status === 'superseded') await tx.undoSupersede(memory.id);
  else {
    const { decay: rules } = ctx.host.config();
    const effective = effectiveConfidence(memory, { rules, centrality: memory.centrality, now: ctx.aging.now() });
    await tx.update(transitions[action](memory, { at, effective }), auditActionFor[action], { change: action });
  }
}

/** The rating that changes nothing. */
const neutralRating: Rating = 3;

/**
 * Adds a thumb, up for true, or a rating to what was found of one memory, and returns the new state with its store. A 4 counts as
 * one thumb up, a 5 as two; a 2 and a 1 as thumbs down.
 * @throws EngineError notFound | ambiguousId, and errors of Store.write
 */
export function giveFeedback(ctx: Context, reference: string, verdict: boolean | Rating): Promise<LocatedMemory> {
  if (typeof verdict === 'boolean') return applyAction(ctx, reference, verdict ? 'useful' : 'notUseful');
  return updateMemory(ctx, reference, async (tx, memory) => {
    const { expiresAt: _, ...lasting } = memory;
    const isUseful = verdict > neutralRating;
    const rated = isUseful ? { ...lasting, usefulCount: memory.usefulCount + 1 } : memory;
    const feedback = memory.feedback + verdict - neutralRating;
    await tx.update({ ...rated, feedback }, 'feedback', { change: 'rating', rating: verdict });
  });
}

/**
 * Sets the priority of one memory, 1-10, and returns the new state with its store.
 * @throws EngineError notFound | ambiguousId | invalidInput, and errors of Store.write
 */
export function setPriority(ctx: Context, reference: string, priority: number): Promise<LocatedMemory> {
  if (!Number.isInteger(priority) || priority < 1 || priority > 10)
    throw new EngineError(
      'invalidInput',
      message`The priority must be a whole number from 1 to 10; it was ${priority}.`,
    );
  return updateMemory(ctx, reference, async (tx, memory) => {
    if (memory.priority !== priority)
      await tx.update({ ...memory, priority }, 'edit', { change: 'priority', priority });
  });
}

/**
 * Runs work on the current state of one memory in a transaction, and returns the new state with its store.
 * @throws EngineError notFound | ambiguousId, and errors of Store.write and of the work
 */
export async function updateMemory(
  ctx: Context,
  reference: string,
  work: (tx: StoreTransaction, memory: Memory, at: string) => Promise<void>,
): Promise<LocatedMemory> {
  const { store, memory } = await resolveReference(ctx, reference);
  const at = ctx.host.now().toISOString();
  const after = await store.write(ctx.host.client, async tx => {
    const current = await tx.get(memory.id);
    if (current === undefined)
      throw new EngineError('notFound', message`The memory ${quoteReference(reference)} has just been removed.`);
    await work(tx, current, at);
    return (await tx.get(memory.id))!;
  });
  return { store, memory: after };
}

function isAlreadyApplied(memory: Memory, action: MemoryAction): boolean {
  switch (action) {
    case 'pin':
      return memory.pinned;
    case 'unpin':
      return !memory.pinned;
    case 'forget':
      return memory.status === 'archived' && memory.archiveReason === 'forgotten';
    case 'complete':
      return memory.status === 'archived' && memory.archiveReason === 'done';
    case 'restore':
      return memory.status === 'active';
    case 'promote':
      return memory.lane === 'confirmed';
    case 'markCritical':
      return memory.decayClass === 'permanent';
    case 'useful':
    case 'notUseful':
      return false;
  }
}

/** A reference typed by a person, truncated for error messages. */
export function quoteReference(reference: string): string {
  const line = reference.slice(0, 100).replaceAll(/[\s\p{C}]+/gu, ' ');
  return `"${line.length > 40 ? `${line.slice(0, 40)}…` : line}"`;
}
