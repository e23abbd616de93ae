import { parseCalendarDate } from '../base/calendarDate.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { newUuid } from '../base/uuid.js';
import { classify, findPlanDay } from '../classify/classify.js';
import { combinedGate } from '../classify/combinedGate.js';
import { isAssistantConduct } from '../classify/assistantConduct.js';
import { storeForWrite, type Context } from '../context.js';
import type { Embedder } from '../embeddings/embedder.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import { kindsByGate, type Config } from '../model/config.js';
import { formatMessage } from '../model/engineMessages.js';
import {
  defaultPriority,
  type Classification,
  type Gate,
  type Kind,
  type Memory,
  type Provenance,
  type SearchAids,
  type StoreKind,
} from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { initialConfidence } from '../scoring/confidence.js';
import { dayMs } from '../model/duration.js';
import { expiringSources } from '../scoring/retentionRules.js';
import { findSecret, redactSecrets } from '../secrets/secretScanner.js';
import {
  normalizeAids,
  readFacts,
  requireStorableField,
  validateSetName,
  validateText,
  type RefusedFact,
} from '../secrets/storableText.js';
import { hashContent } from '../store/contentHash.js';
import type { NewMemory, Store } from '../store/store.js';
import { findDueDate } from '../text/dueDate.js';
import { toSingleLineSummary } from '../text/singleLine.js';

/** A fact as it goes into a store: cleaned, free of secrets, split and classified once. */
export interface PreparedFact {
  readonly store: Store;
  readonly memory: Omit<NewMemory, 'sequence'>;
  readonly aids: SearchAids;
  readonly links: ResolvedLinks;
  /** Where the caller gave no gate: the embedder's reading of the text may still change it. */
  readonly unsettled?: UnsettledGate;
  /** Whether a person said it, and nothing that they said has a place. */
  readonly isWithoutPlace?: boolean;
}

/** A gate that follows from the cues of a text alone, and what another one would change. */
interface UnsettledGate {
  readonly cues: Classification;
  readonly kind: Kind | undefined;
  /** The time of the text, where a day in it counts. */
  readonly dayFrom: Date | undefined;
}

/** Memories that a fact is linked to, found in the open stores. */
export interface ResolvedLinks {
  readonly replaces: readonly LocatedLink[];
  readonly refines: readonly LocatedLink[];
  readonly sameAs: LocatedLink | undefined;
  /** References that name no memory, or several. */
  readonly unknown: readonly string[];
  /** Of the first rule for work among `replaces`: what replaces it is one, too, where the caller does not say otherwise. */
  readonly rule?: Pick<Memory, 'gate' | 'kind'>;
}

export interface LocatedLink {
  readonly id: string;
  readonly store: Store;
}

/** The fields of a memory that nothing has happened to yet. */
export const newMemoryDefaults = {
  priority: defaultPriority,
  pinned: false,
  reinforcementCount: 1,
  accessCount: 0,
  usefulCount: 0,
  feedback: 0,
  tags: [],
  status: 'active',
} as const satisfies Partial<Memory>;

export const noLinks: ResolvedLinks = { replaces: [], refines: [], sameAs: undefined, unknown: [] };

/** A text as it may be stored, with the fields that follow from it alone. */
export type PreparedText = Pick<Memory, 'content' | 'summary' | 'contentHash'>;

/**
 * One text kept whole: cleaned, and refused where it holds a secret. For what decides the other fields itself: an edit of a
 * memory, a merged memory, a session's summary, a line of an export.
 * @param options.alongside what is stored with the text, and must hold no secret either
 */
export function prepareText(
  text: string,
  { maxCharacters, alongside = [] }: { readonly maxCharacters: number; readonly alongside?: readonly string[] },
): PreparedText | RefusedFact {
  const validation = validateText(text, maxCharacters);
  if (!validation.ok) return { refused: validation.reason };
  const { text: content } = validation;
  for (const it of [content, ...alongside]) {
    const secret = findSecret(it);
    if (secret !== undefined) return { refused: formatMessage('secret', secret.label) };
  }
  return { content, summary: toSingleLineSummary(content), contentHash: hashContent(content) };
}

/**
 * The facts of one text, in its order: sanitize, redact, split, classify. Together with {@link prepareText} the one way
 * from a text to a memory: tools, the command line, capture, import, sync and the code index all come through here.
 * @throws EngineError invalidInput for a field that no fact may have
 */
export function prepareFacts(
  ctx: Context,
  input: RememberInput,
  links: ResolvedLinks = noLinks,
): readonly (PreparedFact | RefusedFact)[] {
  const { remember: limits } = ctx.host.config();
  const tags = requireFields(input, limits);
  const aids = normalizeAids(input.aids ?? {});
  const facts = readFacts(input.content, limits, { whole: input.whole ?? false });
  const assertedAt = input.at === undefined ? undefined : parseCalendarDate(input.at);
  if (input.at !== undefined && assertedAt === undefined) {
    throw new EngineError(
      'invalidInput',
      message`at must be a date such as 2026-03-01T12:00:00Z; it was "${input.at}".`,
    );
  }
  return facts.map(fact =>
    'refused' in fact ? fact : buildFact(ctx, { ...fact, assertedAt, aids, tags, links }, input),
  );
}

/** Why a text, or the first of its facts that may not be stored, is refused, as a sentence; undefined where all may be. */
export function findRefusal(
  { content, whole = false }: Pick<RememberInput, 'content' | 'whole'>,
  limits: Config['remember'],
): string | undefined {
  return readFacts(content, limits, { whole }).flatMap(it => ('refused' in it ? it.refused : []))[0];
}

const textFields = [
  'scopeId',
  'session',
  'uri',
  'symbol',
  'anchorHash',
  'branch',
  'commit',
  'turn',
  'on',
  'said',
  'reason',
  'file',
  'author',
] as const;

/**
 * Checks everything about a text but the text itself, and returns the tags as they are kept: trimmed, lower case, each
 * once.
 * @throws EngineError invalidInput
 */
function requireFields(input: RememberInput, limits: Config['remember']): readonly string[] {
  if (input.decayClass === 'permanent' && input.lane !== 'confirmed') {
    throw new EngineError(
      'invalidInput',
      'Only a person can make a memory permanent. Leave the decay class out, or pin it by hand.',
    );
  }
  const { priority = defaultPriority } = input;
  if (!Number.isInteger(priority) || priority < 1 || priority > 10) {
    throw new EngineError('invalidInput', message`priority must be a whole number from 1 to 10; it was ${priority}.`);
  }
  for (const name of textFields) {
    const value = input[name];
    if (value !== undefined && value !== '') requireStorableField(name, value);
  }
  validateSetName(input.scopeId ?? '');
  const tags = [...new Set((input.tags ?? []).map(it => it.trim().toLowerCase()).filter(it => it !== ''))];
  if (tags.length > limits.maxTags) {
    throw new EngineError('invalidInput', message`${tags.length} tags are too many; give at most ${limits.maxTags}.`);
  }
  for (const [index, tag] of tags.entries())
    requireStorableField(message`Tag ${index + 1} of ${tags.length}`, tag, limits.maxTagCharacters);
  return tags;
}

/** One fact of a text, with what its input says about all of them. */
interface FactParts extends Pick<PreparedFact, 'aids' | 'links'>, Pick<Memory, 'content' | 'tags'> {
  readonly assertedAt: Date | undefined;
}

function buildFact(
  ctx: Context,
  { content, assertedAt: givenTime, aids, tags, links }: FactParts,
  input: RememberInput,
): PreparedFact | RefusedFact {
  const now = ctx.aging.writeTime();
  const assertedAt = givenTime ?? now;
  const timestamp = assertedAt.toISOString();
  const lane = input.lane ?? 'note';
  const { readsDay = true } = input;
  const contentHash = hashContent(content);
  const cues = classify(content, assertedAt, { readsDay });
  const isConduct = isAssistantConduct(content);
  const summary = toSingleLineSummary(content);
  const { gate = cues.gate, kind, isRead } = statedGate(input, links);
  const unsettled = { cues, kind, dayFrom: readsDay ? assertedAt : undefined };
  const { dueAt, ...ofGate } = fieldsOfGate(gate, content, unsettled, findDueDate);
  const store = chooseStore(ctx, input, links, isConduct);
  if (store === undefined) return { refused: formatMessage('noProject') };
  // Counted from now: a note from an old session would otherwise expire before a person could see it.
  const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  return {
    store,
    aids,
    links,
    ...(isRead ? { unsettled } : {}),
    isWithoutPlace: input.source === 'explicit' && !hasPlace(input, links),
    memory: {
      ...newMemoryDefaults,
      id: newUuid(now),
      content,
      summary,
      contentHash,
      ...ofGate,
      lane,
      // A short life is given, never guessed. A plan with a given day ends after it; a day read from the text may be no end.
      decayClass: input.decayClass ?? (input.dueAt === undefined ? 'durable' : 'session'),
      confidence: initialConfidence(input.source, cues.confidence),
      priority: input.priority ?? newMemoryDefaults.priority,
      tags,
      ...(input.scopeId === undefined ? {} : { scopeId: input.scopeId }),
      ...(input.dueAt === undefined && dueAt === undefined ? {} : { dueAt: input.dueAt ?? dueAt! }),
      ...(lane === 'note' && expiringSources.includes(input.source) ? { expiresAt } : {}),
      provenance: { ...buildProvenance(ctx, input), ...placeFields(store, input, links) },
      createdAt: timestamp,
      updatedAt: timestamp,
      reinforcedAt: timestamp,
    },
  };
}

/** The gate and kind that a fact has whatever its words are; `isRead` where its words have to say which gate it has. */
function statedGate(
  { gate, kind, dueAt }: RememberInput,
  { rule }: ResolvedLinks,
): { readonly gate?: Gate; readonly kind: Kind | undefined; readonly isRead: boolean } {
  if (gate !== undefined) return { gate, kind, isRead: false };
  // A caller that gives a due date speaks of a plan, whatever the words look like.
  if (dueAt !== undefined) return { gate: 'promissory', kind, isRead: false };
  return rule === undefined || kind !== undefined ? { kind, isRead: true } : { ...rule, isRead: false };
}

/**
 * Kind and day of a gate; those that the classifier found for another gate do not hold.
 * @param findDay of a text: any day where a caller said that it is a plan, else one that it plans something for
 */
function fieldsOfGate(
  gate: Gate,
  content: string,
  { cues, kind, dayFrom }: UnsettledGate,
  findDay: (text: string, now: Date) => string | undefined,
): Pick<Memory, 'gate' | 'kind' | 'dueAt'> {
  const isPlan = gate === 'promissory' && dayFrom !== undefined;
  const ofGate =
    gate === cues.gate ? cues : { kind: kindsByGate[gate], dueAt: isPlan ? findDay(content, dayFrom) : undefined };
  return { gate, kind: kind ?? ofGate.kind, ...omitUndefined({ dueAt: ofGate.dueAt }) };
}

/** The fact with the gate that its cues and the embedder's logits have together; as it is where the caller gave the gate. */
export function settleGate<Fact extends PreparedFact>(
  { gateWeights }: Pick<Embedder, 'gateWeights'>,
  fact: Fact,
  gateLogits: Float32Array | undefined,
): Fact {
  const { unsettled, memory } = fact;
  if (unsettled === undefined || gateLogits === undefined || gateWeights === undefined) return fact;
  const gate = combinedGate(unsettled.cues, gateLogits, gateWeights);
  if (gate === memory.gate) return fact;
  const { dueAt: _, ...rest } = memory;
  return { ...fact, memory: { ...rest, ...fieldsOfGate(gate, memory.content, unsettled, findPlanDay) } };
}

/** Facts with the gates that they would be stored with, for what only shows them, as an import does. */
export async function settleGates(ctx: Context, facts: readonly PreparedFact[]): Promise<readonly PreparedFact[]> {
  // Nothing else is read or sent for what is not stored.
  if (ctx.embedder.gateWeights === undefined) return facts;
  const vectors = await embedOrLog(
    ctx,
    facts.map(it => it.memory.content),
    'backlog',
  );
  return facts.map((it, i) => settleGate(ctx.embedder, it, vectors[i]?.gateLogits));
}

/**
 * The caller's choice; else the project's store of what is anchored there, or the store of what the fact is linked to, for
 * an update belongs next to what it updates. A set is in one store.
 * @returns undefined for a fact of a project where none is known and the host takes no other store for it
 */
function chooseStore(ctx: Context, input: RememberInput, links: ResolvedLinks, isConduct: boolean): Store | undefined {
  const { store, uri, scopeId, folder } = input;
  const linked = storeOfLinks(links);
  if (store === undefined && !isAnchored(input) && linked !== undefined) return linked;
  const isGlobal = !isAnchored(input) && ((scopeId ?? '') !== '' || isConduct);
  const kind: StoreKind = store ?? (isGlobal ? 'global' : 'project');
  if (kind === 'project' && ctx.host.needsProject === true && ctx.host.workspaceFolders.length === 0) return undefined;
  return storeForWrite(ctx, kind, uri, folder);
}

function hasPlace(input: RememberInput, links: ResolvedLinks): boolean {
  const { store, scopeId = '' } = input;
  return store !== undefined || scopeId !== '' || isAnchored(input) || storeOfLinks(links) !== undefined;
}

function isAnchored({ uri, symbol, file }: RememberInput): boolean {
  return [uri, symbol, file].some(it => it !== undefined);
}

function storeOfLinks({ replaces, refines, sameAs }: ResolvedLinks): Store | undefined {
  return [sameAs, ...replaces, ...refines].find(it => it !== undefined)?.store;
}

/** The caller's word about the place of a fact. */
function placeFields(
  { kind }: Store,
  input: RememberInput,
  { replaces }: ResolvedLinks,
): Pick<Provenance, 'isPlaced' | 'insteadOf'> {
  if (kind === 'global') return input.store === 'global' ? { isPlaced: true } : {};
  const insteadOf = replaces.filter(it => it.store.kind === 'global').map(it => it.id);
  return insteadOf.length === 0 ? {} : { insteadOf };
}

function buildProvenance(ctx: Context, input: RememberInput): Provenance {
  const { source, session, uri, range, symbol, anchorHash, branch, commit, turn, on, said, reason, file, author } =
    input;
  const [folder] = ctx.host.workspaceFolders;
  const workspace = folder === undefined ? undefined : redactSecrets(folder);
  const fields = {
    session,
    workspace,
    uri,
    range,
    symbol,
    anchorHash,
    branch,
    commit,
    turn,
    on,
    said,
    reason,
    file,
    author,
  };
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { source, client: ctx.host.client, ...(Object.fromEntries(definedFields) as Partial<Provenance>) };
}
