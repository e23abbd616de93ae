// Log of what imports and captures made, so that a person can review it later and take it back.
import { createHash } from 'node:crypto';
import type { Context } from '../context.js';
import { candidatesIntakeId } from '../model/intake.js';
import { dayMs } from '../model/duration.js';
import type { Store, StoreRecord, StoreTransaction } from '../store/store.js';

/** Kinds of records in the log. */
type IntakeLogKind = 'import' | 'capture';

/** Names an import or a run of capture. */
export interface IntakeName {
  readonly id: string;
  readonly at: string;
  /** Base name of the file or folder, or source of the sessions. */
  readonly source: string;
}

/** A part of an import or a capture: what one transaction of one store made. */
export interface IntakePart extends Omit<IntakeName, 'id'> {
  /** New memories; those of an import each with a digest. */
  readonly created: readonly (string | readonly [id: string, digest: string])[];
}

/** The parts in one writable store. */
interface StoreParts<Part extends IntakePart> {
  readonly store: Store;
  /** Newest first. */
  readonly parts: readonly { readonly recordId: string; readonly intake: string; readonly body: Part }[];
}

interface LoggedIntake extends IntakeName {
  /** Ids of new memories. */
  readonly created: readonly string[];
}

/** Imports, and captures, that are kept: as many as the automatic capture of a working day makes. */
const maxIntakes = 50;
const allRecords = Number.MAX_SAFE_INTEGER;

/** Records what a transaction made, in that transaction. */
export async function recordIntakePart(
  tx: StoreTransaction,
  kind: IntakeLogKind,
  { id, at, source }: IntakeName,
  made: Pick<IntakePart, 'created'>,
): Promise<void> {
  // Ids of memories ascend, so that parts of the same millisecond stay in their order.
  const part = idsOf(made)[0] ?? createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 12);
  // Other versions of the program read the id in the body.
  const name = { [kind === 'import' ? 'import' : 'run']: id };
  await tx.putRecord(kind, `${id} ${part}`, { ...name, at, source, ...made } satisfies IntakePart);
}

/** The intake that a part, or a decision about it, belongs to. */
const intakeOfRecord = (recordId: string): string => recordId.split(' ', 1)[0]!;

export function readIntakeParts<Part extends IntakePart>(
  ctx: Context,
  kind: IntakeLogKind,
): Promise<readonly StoreParts<Part>[]> {
  return Promise.all(
    writableStores(ctx).map(async store => ({
      store,
      parts: (await store.records<Part>(kind, allRecords)).map(({ id, body }) => ({
        recordId: id,
        intake: intakeOfRecord(id),
        body,
      })),
    })),
  );
}

/** Newest first. */
export function listLoggedIntakes(stores: readonly StoreParts<IntakePart>[]): readonly LoggedIntake[] {
  const found = new Map<string, LoggedIntake>();
  for (const { intake, body } of stores.flatMap(it => it.parts)) {
    const created = [...(found.get(intake)?.created ?? []), ...idsOf(body)];
    found.set(intake, { id: intake, at: body.at, source: body.source, created });
  }
  const key = ({ at, id }: LoggedIntake): string => `${at} ${id}`;
  return [...found.values()].sort((a, b) => (key(a) < key(b) ? 1 : -1)).slice(0, maxIntakes);
}

/** Ids of the memories that an import or a capture made, in the order in which it made them. */
export async function createdBy(ctx: Context, kind: IntakeLogKind, intake: string): Promise<readonly string[]> {
  const parts = (await readIntakeParts(ctx, kind)).flatMap(it => it.parts.filter(part => part.intake === intake));
  return parts.toReversed().flatMap(it => idsOf(it.body));
}

function idsOf({ created }: Pick<IntakePart, 'created'>): readonly string[] {
  return created.map(it => (typeof it === 'string' ? it : it[0]));
}

/** Deletes the parts that are no longer listed, with the decisions about them, and what `pruneCandidateDecisions` does. */
export async function pruneIntakes(ctx: Context, kind: IntakeLogKind): Promise<void> {
  const stores = await readIntakeParts(ctx, kind);
  const listed = new Set(listLoggedIntakes(stores).map(it => it.id));
  const gone = new Set(stores.flatMap(it => it.parts.map(part => part.intake)).filter(it => !listed.has(it)));
  for (const { store, parts } of stores) {
    const oldParts = parts.filter(it => gone.has(it.intake));
    const oldReviews = (await store.records('review', allRecords)).filter(it => gone.has(intakeOfRecord(it.id)));
    if (oldParts.length + oldReviews.length === 0) continue;
    await store.write(ctx.host.client, async tx => {
      for (const it of oldParts) await tx.deleteRecord(kind, it.recordId);
      for (const it of oldReviews) await tx.deleteRecord('review', it.id);
    });
  }
  for (const { store } of stores) await pruneCandidateDecisions(ctx, store);
}

/** A decision about an intake, as far as its age is concerned: when it was made, if it is known. */
interface DatedDecision {
  readonly at?: string;
}

/** Deletes decisions about candidates that are a day old: they hold the text of what was dropped. */
export async function pruneCandidateDecisions(ctx: Context, store: Store): Promise<void> {
  const old = (await store.records<DatedDecision>('review', allRecords)).filter(it => isOutdated(ctx, it));
  if (old.length === 0 || store.readOnly) return;
  await store.write(ctx.host.client, async tx => {
    for (const it of old) await tx.deleteRecord('review', it.id);
  });
}

/** Whether it is a decision about candidates, and a day old; the record is younger where an undo was interrupted. */
function isOutdated({ host }: Context, { id, at, body }: StoreRecord<DatedDecision>): boolean {
  if (intakeOfRecord(id) !== candidatesIntakeId) return false;
  return Date.parse(body.at ?? at) <= host.now().getTime() - dayMs;
}

/** Records of decisions about an intake that can be taken back, newest first. */
export async function readReviews<Body extends DatedDecision>(
  ctx: Context,
  store: Store,
  intake: string,
): Promise<readonly StoreRecord<Body>[]> {
  const records = await store.records<Body>('review', allRecords);
  return records.filter(it => intakeOfRecord(it.id) === intake && !isOutdated(ctx, it));
}

export function writableStores(ctx: Context): readonly Store[] {
  return ctx.stores.map(it => it.store).filter(it => !it.readOnly);
}
