import { createHash } from 'node:crypto';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import { omitUndefined } from '../base/omitUndefined.js';
import type { CandidateDecision, CaptureCandidate } from '../model/capture.js';
import type { RememberInput } from '../model/rememberInput.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import { remember } from '../remember/remember.js';
import { dayMs } from '../scoring/decay.js';
import { isStorableField } from '../remember/validateInput.js';
import type { Store } from '../store/store.js';
import { normalizeText } from '../text/normalizeText.js';

/** The candidates of one session: a record of kind `state`. */
export interface CandidateList {
  readonly items: readonly CaptureCandidate[];
}

/** More of one session are not looked through; the latest are listed. */
const maxCandidatesPerSession = 50;
const recordPrefix = 'candidates:';
const idLength = 8;
const maxRecords = 10_000;

export const candidatesRecordId = (cursorId: string): string => `${recordPrefix}${cursorId}`;

/** The list with more candidates. A statement with a secret is no candidate. */
export function addCandidates(known: CandidateList | undefined, inputs: readonly RememberInput[]): CandidateList {
  const items = new Map((known?.items ?? []).map(it => [it.id, it]));
  for (const { content, session = '', at, branch, commit } of inputs) {
    if (!isStorableField(content, content.length)) continue;
    const id = createHash('sha256').update(normalizeText(content)).digest('hex').slice(0, idLength);
    items.set(id, { id, content, session, ...omitUndefined({ at, branch, commit }) });
  }
  return { items: [...items.values()].slice(-maxCandidatesPerSession) };
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
  if (
    facts.length === 0 &&
    ((await store.record<CandidateList>('state', listId))?.body.items.length ?? 0) < minCandidates
  )
    return undefined;
  return store.write(ctx.host.client, async tx => {
    if ((await tx.record('state', askedRecordId(cursorId))) !== undefined) return undefined;
    await tx.putRecord('state', askedRecordId(cursorId), {});
    const items = (await tx.record<CandidateList>('state', listId))?.body.items ?? [];
    await tx.deleteRecord('state', listId);
    return [...facts, ...items.map(it => it.content)];
  });
}

/** Newest first, each statement once; those older than a note may become are gone. */
export async function listCandidates(ctx: Context): Promise<readonly CaptureCandidate[]> {
  const oldest = ctx.host.now().getTime() - ctx.host.config().notes.lifetimeDays * dayMs;
  const found = new Map<string, CaptureCandidate>();
  for (const { store } of ctx.stores) {
    for (const { at, body } of await candidateRecords(store)) {
      if (Date.parse(at) < oldest) continue;
      for (const it of body.items.toReversed()) if (!found.has(it.id)) found.set(it.id, it);
    }
  }
  return [...found.values()];
}

/** What became of decided candidates, and where they were listed. */
export interface DecidedCandidates {
  /** One list per kept candidate, in the order in which they are listed. */
  readonly outcomes: readonly { readonly id: string; readonly outcomes: readonly RememberOutcome[] }[];
  readonly removed: readonly RemovedCandidates[];
}

/** Candidates that were taken off the list of a session, to put them back. */
export interface RemovedCandidates {
  /** Id of the session's record. */
  readonly record: string;
  readonly items: readonly CaptureCandidate[];
}

/**
 * Remembers the kept candidates as a person's word, and removes them and the dropped ones from every list.
 * @throws EngineError notFound
 */
export async function decideCandidates(
  ctx: Context,
  { keep, drop, global = [] }: CandidateDecision,
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<DecidedCandidates> {
  const listed = await listCandidates(ctx);
  const unknown = [...keep, ...drop, ...global].find(id => !listed.some(it => it.id === id));
  if (unknown !== undefined)
    throw new EngineError('notFound', message`There is no candidate ${unknown}. List them: recollect candidates.`);
  const kept = listed.filter(it => keep.includes(it.id) || global.includes(it.id));
  const inputs = kept.map(({ id, ...rest }): RememberInput => ({
    ...rest,
    source: 'conversation',
    lane: 'confirmed',
    whole: true,
    ...(global.includes(id) ? { store: 'global' } : {}),
  }));
  const remembered = inputs.length === 0 ? [] : await remember(ctx, inputs, onWritten);
  const outcomes = kept.map(({ id }, i) => ({ id, outcomes: remembered[i]! }));
  const decided = new Set([...keep, ...drop, ...global]);
  const removed: RemovedCandidates[] = [];
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    const records = (await candidateRecords(store)).filter(it => it.body.items.some(item => decided.has(item.id)));
    if (records.length === 0) continue;
    await store.write(ctx.host.client, async tx => {
      for (const { id } of records) {
        const current = (await tx.record<CandidateList>('state', id))?.body;
        const items = current?.items.filter(it => !decided.has(it.id)) ?? [];
        removed.push({ record: id, items: current?.items.filter(it => decided.has(it.id)) ?? [] });
        if (items.length === 0) await tx.deleteRecord('state', id);
        else await tx.putRecord('state', id, { items } satisfies CandidateList);
      }
    });
  }
  return { outcomes, removed };
}

/** Puts candidates back on the lists that they were taken off. */
export async function restoreCandidates(ctx: Context, removed: readonly RemovedCandidates[]): Promise<void> {
  const [first] = ctx.stores.map(it => it.store).filter(it => !it.readOnly);
  await first?.write(ctx.host.client, async tx => {
    for (const { record, items } of removed) {
      const known = (await tx.record<CandidateList>('state', record))?.body.items ?? [];
      const restored = items.filter(it => !known.some(other => other.id === it.id));
      await tx.putRecord('state', record, { items: [...restored, ...known] } satisfies CandidateList);
    }
  });
}

async function candidateRecords(
  store: Store,
): Promise<readonly { readonly id: string; readonly at: string; readonly body: CandidateList }[]> {
  return (await store.records<CandidateList>('state', maxRecords)).filter(it => it.id.startsWith(recordPrefix));
}
