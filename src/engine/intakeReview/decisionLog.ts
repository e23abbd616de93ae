// What decisions about an intake did, so that each can be taken back.
import { newUuid } from '../base/uuid.js';
import type { RemovedCandidates } from '../capture/candidates.js';
import type { Context } from '../context.js';
import { intakeChoices, type IntakeChoice, type IntakeDecision } from '../model/intake.js';
import { readReviews, writableStores } from '../remember/intakeLog.js';
import type { ChangedFields } from '../remember/writeLog.js';
import type { Store, StoreTransaction } from '../store/store.js';

/** What a decision did in one store: a record of kind `review`, in the store that the memories and candidates were in. */
export interface DecisionPart {
  readonly at: string;
  /** By id, which a purge takes out. */
  readonly memories: Readonly<Record<string, DecidedMemory>>;
  readonly candidates: readonly RemovedCandidates[];
}

/** Each with a digest of the memory as the decision left it. */
export type DecidedMemory =
  | { readonly did: 'move' | 'create'; readonly digest: string }
  | {
      readonly did: 'change';
      readonly fields: ChangedFields;
      /** Absent where a kept candidate repeated or contradicted it. */
      readonly choice?: IntakeChoice;
      readonly digest?: string;
    };

/** The id of its records, which begins with that of the intake, and its time. */
export interface DecisionName {
  readonly recordId: string;
  readonly at: string;
}

export interface LoggedDecision extends DecisionName, IntakeDecision {
  readonly parts: readonly { readonly store: Store; readonly body: DecisionPart }[];
}

export const noCounts: IntakeDecision['counts'] = { keep: 0, drop: 0, global: 0 };

export function nameDecision(intake: string, now: Date): DecisionName {
  return { recordId: `${intake} ${newUuid(now)}`, at: now.toISOString() };
}

/** Records what a transaction did of a decision, in that transaction. */
export async function recordDecision(
  tx: StoreTransaction,
  { recordId, at }: DecisionName,
  { memories = {}, candidates = [] }: Partial<Omit<DecisionPart, 'at'>>,
): Promise<void> {
  if (Object.keys(memories).length + candidates.length === 0) return;
  const known = (await tx.record<DecisionPart>('review', recordId))?.body;
  await tx.putRecord('review', recordId, {
    at,
    memories: { ...known?.memories, ...memories },
    candidates: [...(known?.candidates ?? []), ...candidates],
  } satisfies DecisionPart);
}

/** Takes memories out of a record, in a transaction: what was not done to them is not taken back. */
export async function forgetDecided(
  tx: StoreTransaction,
  { recordId }: Pick<DecisionName, 'recordId'>,
  ids: ReadonlySet<string>,
): Promise<void> {
  const known = (await tx.record<DecisionPart>('review', recordId))?.body;
  if (known === undefined) return;
  const memories = Object.fromEntries(Object.entries(known.memories).filter(([id]) => !ids.has(id)));
  await putRest(tx, recordId, { ...known, memories });
}

/** Writes what is still to be taken back of a part; a part without any is deleted. */
export async function putRest(tx: StoreTransaction, recordId: string, rest: DecisionPart): Promise<void> {
  if (Object.keys(rest.memories).length + rest.candidates.length === 0) await tx.deleteRecord('review', recordId);
  else await tx.putRecord('review', recordId, rest);
}

/** Decisions about an intake that can be taken back, the latest first. */
export async function listDecisions(ctx: Context, intake: string): Promise<readonly LoggedDecision[]> {
  const found = new Map<string, LoggedDecision['parts'][number][]>();
  for (const store of writableStores(ctx)) {
    for (const { id, body } of await readReviews<DecisionPart>(ctx, store, intake)) {
      const entries = Object.entries(body.memories);
      const moved = entries.flatMap(([memory, { did }]) => (did === 'move' ? [memory] : []));
      const there = new Set((await ctx.globalStore.get(moved)).map(it => it.id));
      // A move is recorded before it is made: what was not moved, or moved back by hand, is here alone. An interrupted
      // move leaves it in both.
      const unmoved = new Set((await store.get(moved)).flatMap(it => (there.has(it.id) ? [] : it.id)));
      const memories = entries.filter(([memory]) => !unmoved.has(memory));
      if (memories.length + body.candidates.length === 0) continue;
      const part = { store, body: { ...body, memories: Object.fromEntries(memories) } };
      found.set(id, [...(found.get(id) ?? []), part]);
    }
  }
  const key = ({ at, recordId }: DecisionName): string => `${at} ${recordId}`;
  return [...found]
    .map(([recordId, parts]) => ({ recordId, at: parts[0]!.body.at, counts: countChoices(parts), parts }))
    .sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

/** A memory in two stores, and a candidate of two sessions, count once. */
function countChoices(parts: LoggedDecision['parts']): IntakeDecision['counts'] {
  const chosen = parts.flatMap(({ body }) => [
    ...Object.entries(body.memories).map(([id, it]) => [id, choiceOf(it)] as const),
    ...body.candidates.flatMap(it => it.items.map(({ id, choice }) => [id, choice] as const)),
  ]);
  const idsOf = (choice: IntakeChoice): Set<string> =>
    new Set(chosen.flatMap(([id, it]) => (it === choice ? [id] : [])));
  return { ...noCounts, ...Object.fromEntries(intakeChoices.map(it => [it, idsOf(it).size])) };
}

/** What the person chose; undefined where the decision did it besides. */
export function choiceOf(memory: DecidedMemory): IntakeChoice | undefined {
  if (memory.did === 'change') return memory.choice;
  return memory.did === 'move' ? 'global' : undefined;
}
