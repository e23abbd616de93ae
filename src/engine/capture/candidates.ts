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
import { dayMs } from '../model/duration.js';
import { isStorableField, sanitizeText } from '../secrets/storableText.js';
import type { Store, StoreRecord, StoreTransaction } from '../store/store.js';
import { normalizeText } from '../store/contentHash.js';

/** The candidates of one session: a record of kind `state`. */
export interface CandidateList {
  readonly items: readonly StoredCandidate[];
}

interface StoredCandidate extends CaptureCandidate {
  /** How likely it is to be lasting (`scoreStatement`); absent in records of earlier versions. */
  readonly score?: number;
  /** Since when it is listed, ISO-8601 UTC; absent in records of earlier versions, which have one time for all. */
  readonly listedAt?: string;
  /** An undo put it back: no later one takes its place. */
  readonly isPutBack?: true;
  /** A session showed it, and it was not said: no assistant is asked to remember it as the person's word. */
  readonly isObserved?: true;
}

export type CandidateInput = RememberInput & Pick<StoredCandidate, 'isObserved' | 'score'>;

/** More are not looked through: the best of a project are listed, besides those that an undo put back. */
export const maxCandidates = 20;
/** What is not decided by then, the person has lived without. */
const maxAgeDays = 30;
/** Of a turn, in UTF-16 units. */
const maxTurnLength = 400;
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
  const items = new Map(itemsOf(known).map(it => [it.id, it]));
  for (const { content, session = '', said: turn, at, branch, commit, isObserved, score } of inputs) {
    if (!isStorableField(content, content.length)) continue;
    const id = candidateId(content);
    const { isPutBack } = items.get(id) ?? {};
    const said = turn === undefined ? undefined : excerptOf(turn, content);
    const rest = omitUndefined({ said, at, branch, commit, isPutBack, isObserved, score });
    items.set(id, { id, content, session, listedAt, ...rest });
  }
  return { items: keepBest([...items.values()], now) };
}

export function candidateId(content: string): string {
  return createHash('sha256').update(canonicalText(content)).digest('hex').slice(0, idLength);
}

/** The canonical form of a text that is not sanitized yet. */
function canonicalText(text: string): string {
  return normalizeText(sanitizeText(text));
}

/** The turn of a candidate around it; undefined where it says no more, or holds a secret. */
function excerptOf(turn: string, content: string): string | undefined {
  const text = turn.replaceAll(/\s+/gu, ' ').trim();
  if (canonicalText(text) === canonicalText(content) || !isStorableField(text, text.length)) return undefined;
  const at = Math.max(0, text.toLowerCase().indexOf(content.toLowerCase()));
  const from = Math.max(0, Math.min(at - (maxTurnLength - content.length) / 2, text.length - maxTurnLength));
  const excerpt = text.slice(from, from + maxTurnLength);
  return `${from > 0 ? '…' : ''}${excerpt}${from + maxTurnLength < text.length ? '…' : ''}`;
}

/** The best of them and those that an undo put back, without those that are too old. */
function keepBest<T extends StoredCandidate & { readonly listedAt: string }>(items: readonly T[], now: Date): T[] {
  const oldest = now.getTime() - maxAgeDays * dayMs;
  const fresh = items.filter(it => Date.parse(it.listedAt) >= oldest);
  const best = new Set(
    fresh
      .filter(it => it.isPutBack !== true)
      .sort(byScore)
      .slice(0, maxCandidates),
  );
  return fresh.filter(it => it.isPutBack === true || best.has(it));
}

/** Best first; among equals the newest. */
function byScore(
  a: { readonly score?: number; readonly listedAt: string },
  b: { readonly score?: number; readonly listedAt: string },
): number {
  return (b.score ?? 0) - (a.score ?? 0) || (a.listedAt === b.listedAt ? 0 : a.listedAt < b.listedAt ? 1 : -1);
}

/** Takes off the lists of a store what is too old, or no longer among the best of the project, in a transaction. */
export async function pruneCandidates(tx: StoreTransaction, store: Store, changedId: string, now: Date): Promise<void> {
  const others = (await candidateRecords(store)).filter(it => it.id !== changedId).map(it => it.id);
  const lists = new Map<string, readonly (StoredCandidate & { readonly listedAt: string })[]>();
  for (const id of [changedId, ...others]) lists.set(id, itemsOf(await tx.record<CandidateList>('state', id)));
  const kept = new Set(keepBest([...lists.values()].flat(), now));
  for (const [id, items] of lists) {
    const left = items.filter(it => kept.has(it));
    if (left.length < items.length) await putCandidates(tx, id, left);
  }
}

/** The candidates of a record, each with its time. */
function itemsOf(
  record: StoreRecord<CandidateList> | undefined,
): readonly (StoredCandidate & { readonly listedAt: string })[] {
  return (record?.body.items ?? []).map(it => ({ ...it, listedAt: it.listedAt ?? record!.at }));
}

/** Takes candidates of a session off its list, because an assistant is asked about them. */
export async function takeCandidates(tx: StoreTransaction, cursorId: string, ids: ReadonlySet<string>): Promise<void> {
  const listId = candidatesRecordId(cursorId);
  const items = itemsOf(await tx.record<CandidateList>('state', listId));
  const left = items.filter(it => it.isObserved === true || !ids.has(it.id));
  if (left.length < items.length) await putCandidates(tx, listId, left);
}

/** Best first, each statement once, at most {@link maxCandidates} of a project; those that are too old are gone. */
export async function listCandidates(ctx: Context): Promise<readonly CaptureCandidate[]> {
  return (await locateCandidates(ctx)).map(it => it.candidate);
}

/** Candidates, each with the store of the first list that has it. */
async function locateCandidates(
  ctx: Context,
): Promise<readonly { readonly candidate: CaptureCandidate; readonly listedIn: OpenStore }[]> {
  const found = new Map<string, { readonly candidate: CaptureCandidate; readonly listedIn: OpenStore }>();
  for (const listedIn of ctx.stores) {
    const records = await candidateRecords(listedIn.store);
    const items = keepBest(records.flatMap(itemsOf), ctx.host.now());
    // The sort is stable: of one time, the last one said comes first.
    for (const it of items.toReversed().sort(byScore)) {
      const { listedAt: _, score: __, isPutBack: ___, isObserved: ____, ...candidate } = it;
      if (!found.has(candidate.id)) found.set(candidate.id, { candidate, listedIn });
    }
  }
  return [...found.values()];
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
  { keep, drop, global = [], edited = {} }: CandidateDecision,
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
    const inputs = its.map(({ candidate: { id, said, content, ...rest } }): RememberInput => ({
      ...rest,
      content: edited[id] ?? content,
      // What was said in other words than those that are kept.
      ...(edited[id] === undefined && said === undefined ? {} : { said: said ?? content }),
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
  await takeOffLists(ctx, { choices, memoriesOf }, recorder);
  return outcomes;
}

interface DecidedCandidates {
  readonly choices: ReadonlyMap<string, IntakeChoice>;
  /** Candidate -> memories that it became. */
  readonly memoriesOf: ReadonlyMap<string, readonly string[]>;
}

/** Removes decided candidates from the lists of every store that can be written. */
async function takeOffLists(
  ctx: Context,
  { choices, memoriesOf }: DecidedCandidates,
  recorder: DecisionRecorder,
): Promise<void> {
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
