import { createHash } from 'node:crypto';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context, OpenStore } from '../context.js';
import { omitUndefined } from '../base/omitUndefined.js';
import type { CandidateDecision, CaptureCandidate } from '../model/capture.js';
import type { IntakeChoice } from '../model/intake.js';
import type { RememberInput } from '../model/rememberInput.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import type { MemoryChange } from '../remember/factWriter.js';
import { remember } from '../remember/remember.js';
import { dayMs } from '../scoring/decay.js';
import { isStorableField } from '../remember/validateInput.js';
import type { Store, StoreRecord, StoreTransaction } from '../store/store.js';
import { normalizeText } from '../text/normalizeText.js';

/** The candidates of one session: a record of kind `state`. */
export interface CandidateList {
  readonly items: readonly StoredCandidate[];
}

interface StoredCandidate extends CaptureCandidate {
  /** Since when it is listed, ISO-8601 UTC; absent in records of earlier versions, which have one time for all. */
  readonly listedAt?: string;
  /** An undo put it back: no later one takes its place. */
  readonly isPutBack?: true;
  /** A session showed it, and it was not said: no assistant is asked to remember it as the person's word. */
  readonly isObserved?: true;
}

export type CandidateInput = RememberInput & Pick<StoredCandidate, 'isObserved'>;

/** More of one session are not looked through; the latest are listed, besides those that an undo put back. */
const maxCandidatesPerSession = 50;
const recordPrefix = 'candidates:';
const idLength = 8;
const maxRecords = 10_000;

export const candidatesRecordId = (cursorId: string): string => `${recordPrefix}${cursorId}`;

/** The list with more candidates. A statement with a secret is no candidate. */
export function addCandidates(
  known: StoreRecord<CandidateList> | undefined,
  inputs: readonly CandidateInput[],
  now: Date,
): CandidateList {
  const listedAt = now.toISOString();
  const items = new Map<string, StoredCandidate>(itemsOf(known).map(it => [it.id, it]));
  for (const { content, session = '', at, branch, commit, isObserved } of inputs) {
    if (!isStorableField(content, content.length)) continue;
    const id = createHash('sha256').update(normalizeText(content)).digest('hex').slice(0, idLength);
    const { isPutBack } = items.get(id) ?? {};
    items.set(id, { id, content, session, listedAt, ...omitUndefined({ at, branch, commit, isPutBack, isObserved }) });
  }
  const captured = [...items.values()].filter(it => it.isPutBack !== true);
  for (const it of captured.slice(0, -maxCandidatesPerSession)) items.delete(it.id);
  return { items: [...items.values()] };
}

/** The candidates of a record, each with its time. */
function itemsOf(
  record: StoreRecord<CandidateList> | undefined,
): readonly (StoredCandidate & { readonly listedAt: string })[] {
  return (record?.body.items ?? []).map(it => ({ ...it, listedAt: it.listedAt ?? record!.at }));
}

/** A session whose statements an assistant was asked about: a record of kind `state`. */
const askedRecordId = (cursorId: string): string => `asked:${cursorId}`;
/** One unmarked statement alone is mostly of the moment. */
const minCandidates = 2;

/**
 * What an assistant may be asked about at the end of a session, once per session: the marked facts, and the candidates,
 * which leave the list. Undefined where nothing lasting was said or it was asked before.
 */
export async function claimStatements(
  ctx: Context,
  cursorId: string,
  facts: readonly string[],
): Promise<readonly string[] | undefined> {
  const { store } = ctx.stores[0]!;
  const listId = candidatesRecordId(cursorId);
  const listed = itemsOf(await store.record<CandidateList>('state', listId));
  if (facts.length === 0 && listed.filter(isSaid).length < minCandidates) return undefined;
  return store.write(ctx.host.client, async tx => {
    if ((await tx.record('state', askedRecordId(cursorId))) !== undefined) return undefined;
    await tx.putRecord('state', askedRecordId(cursorId), {});
    const items = itemsOf(await tx.record<CandidateList>('state', listId));
    await putCandidates(
      tx,
      listId,
      items.filter(it => !isSaid(it)),
    );
    return [...facts, ...items.filter(isSaid).map(it => it.content)];
  });
}

function isSaid({ isObserved }: StoredCandidate): boolean {
  return isObserved !== true;
}

/** Newest first, each statement once; those older than a note may become are gone. */
export async function listCandidates(ctx: Context): Promise<readonly CaptureCandidate[]> {
  return (await locateCandidates(ctx)).map(it => it.candidate);
}

/** Candidates, each with the store of the first list that has it. */
async function locateCandidates(
  ctx: Context,
): Promise<readonly { readonly candidate: CaptureCandidate; readonly listedIn: OpenStore }[]> {
  const oldest = ctx.host.now().getTime() - ctx.host.config().notes.lifetimeDays * dayMs;
  const found = new Map<
    string,
    { readonly candidate: CaptureCandidate; readonly listedIn: OpenStore; readonly listedAt: string }
  >();
  for (const listedIn of ctx.stores) {
    for (const record of await candidateRecords(listedIn.store)) {
      for (const { listedAt, isPutBack: _, isObserved: __, ...candidate } of itemsOf(record).toReversed()) {
        if (Date.parse(listedAt) < oldest || found.has(candidate.id)) continue;
        found.set(candidate.id, { candidate, listedIn, listedAt });
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.listedAt === b.listedAt ? 0 : a.listedAt < b.listedAt ? 1 : -1));
}

/** What became of the kept candidates: one list per candidate. */
type CandidateOutcomes = readonly { readonly id: string; readonly outcomes: readonly RememberOutcome[] }[];

/** Candidates that were taken off the list of a session. */
export interface RemovedCandidates {
  /** Id of the session's record. */
  readonly record: string;
  readonly items: readonly DecidedCandidate[];
}

interface DecidedCandidate extends StoredCandidate {
  readonly choice: IntakeChoice;
  /** Ids of the memories that say it now. */
  readonly memories: readonly string[];
}

/** What records a decision, in the transactions that carry it out. */
interface DecisionRecorder {
  readonly remembered: (tx: StoreTransaction, changes: readonly MemoryChange[]) => Promise<void>;
  readonly removed: (tx: StoreTransaction, removed: readonly RemovedCandidates[]) => Promise<void>;
}

const doNothing = (): Promise<void> => Promise.resolve();

/**
 * Remembers the kept candidates as a person's word, and removes them and the dropped ones from every list. One of which
 * all is refused stays there.
 * @throws EngineError notFound
 */
export async function decideCandidates(
  ctx: Context,
  { keep, drop, global = [] }: CandidateDecision,
  onWritten: (store: Store, ids: readonly string[]) => void,
  recorder: DecisionRecorder = { remembered: doNothing, removed: doNothing },
): Promise<CandidateOutcomes> {
  const listed = await locateCandidates(ctx);
  const listedIds = new Set(listed.map(it => it.candidate.id));
  const unknown = [...keep, ...drop, ...global].find(id => !listedIds.has(id));
  if (unknown !== undefined)
    throw new EngineError('notFound', message`There is no candidate ${unknown}. List them: recollect candidates.`);
  const globalIds = new Set(global);
  const keptIds = new Set([...keep, ...global]);
  const kept = listed.filter(it => keptIds.has(it.candidate.id));
  const outcomes: CandidateOutcomes[number][] = [];
  // What was said in a project is of that one, of several that are open.
  for (const listedIn of ctx.stores) {
    const its = kept.filter(it => it.listedIn === listedIn);
    if (its.length === 0) continue;
    const stores = ctx.stores.filter(it => it === listedIn || it.store.kind === 'global');
    const inputs = its.map(({ candidate: { id, ...rest } }): RememberInput => ({
      ...rest,
      source: 'conversation',
      lane: 'confirmed',
      whole: true,
      ...(globalIds.has(id) ? { store: 'global' } : {}),
    }));
    const remembered = await remember(
      listedIn.store.kind === 'global' ? ctx : { ...ctx, stores },
      inputs,
      onWritten,
      (tx, _store, changes) => recorder.remembered(tx, changes),
    );
    outcomes.push(...its.map(({ candidate: { id } }, i) => ({ id, outcomes: remembered[i]! })));
  }
  const memoriesOf = new Map(
    outcomes.map(it => [it.id, it.outcomes.flatMap(made => (made.outcome === 'refused' ? [] : made.id))]),
  );
  const isKept = (id: string): boolean => (memoriesOf.get(id)?.length ?? 0) > 0;
  const choices = new Map<string, IntakeChoice>([
    ...keep.filter(isKept).map(it => [it, 'keep'] as const),
    ...global.filter(isKept).map(it => [it, 'global'] as const),
    ...drop.map(it => [it, 'drop'] as const),
  ]);
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    const records = (await candidateRecords(store)).filter(it => it.body.items.some(item => choices.has(item.id)));
    if (records.length === 0) continue;
    await store.write(ctx.host.client, async tx => {
      const removed: RemovedCandidates[] = [];
      for (const { id } of records) {
        const items = itemsOf(await tx.record<CandidateList>('state', id));
        const decided = items.flatMap(it => {
          const choice = choices.get(it.id);
          return choice === undefined ? [] : [{ ...it, choice, memories: memoriesOf.get(it.id) ?? [] }];
        });
        if (decided.length === 0) continue;
        removed.push({ record: id, items: decided });
        await putCandidates(
          tx,
          id,
          items.filter(it => !choices.has(it.id)),
        );
      }
      await recorder.removed(tx, removed);
    });
  }
  return outcomes;
}

/** Puts candidates back on the lists of the store that they were taken off. */
export async function restoreCandidates(tx: StoreTransaction, removed: readonly RemovedCandidates[]): Promise<void> {
  for (const { record, items } of removed) {
    const known = itemsOf(await tx.record<CandidateList>('state', record));
    const knownIds = new Set(known.map(it => it.id));
    const restored = items
      .filter(it => !knownIds.has(it.id))
      .map(({ choice: _, memories: __, ...rest }): StoredCandidate => ({ ...rest, isPutBack: true }));
    await putCandidates(tx, record, [...restored, ...known]);
  }
}

async function putCandidates(tx: StoreTransaction, id: string, items: readonly StoredCandidate[]): Promise<void> {
  if (items.length === 0) await tx.deleteRecord('state', id);
  else await tx.putRecord('state', id, { items } satisfies CandidateList);
}

async function candidateRecords(store: Store): Promise<readonly StoreRecord<CandidateList>[]> {
  return (await store.records<CandidateList>('state', maxRecords)).filter(it => it.id.startsWith(recordPrefix));
}
