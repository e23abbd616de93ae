import { newUuid } from '../base/uuid.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { classify, findPlanDay } from '../classify/classify.js';
import { combinedGate } from '../classify/combinedGate.js';
import { isAssistantConduct } from '../classify/assistantConduct.js';
import { saysEveryProject } from '../classify/everyProject.js';
import { storeForWrite, type Context } from '../context.js';
import type { Embedder } from '../embeddings/embedder.js';
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
import { dayMs } from '../scoring/decay.js';
import { expiringSources } from '../scoring/retentionRules.js';
import { findSecret, firstRedaction, redactSecrets } from '../secrets/secretScanner.js';
import { hashContent } from '../store/contentHash.js';
import type { NewMemory, Store } from '../store/store.js';
import { findDueDate } from '../text/dueDate.js';
import { splitFacts } from '../text/factSplitter.js';
import { toSingleLineSummary } from '../text/normalizeText.js';
import { validateText } from '../text/validateText.js';
import { normalizeAids } from '../secrets/searchAids.js';
import { validateInput } from './validateInput.js';

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

/** Why a fact is not stored, as a sentence. */
export interface RefusedFact {
  readonly refused: string;
}

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
  for (const it of [validation.text, ...alongside]) {
    const secret = findSecret(it);
    if (secret !== undefined) return { refused: formatMessage('secret', secret.label) };
  }
  return toPreparedText(validation.text);
}

function toPreparedText(content: string): PreparedText {
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
  const tags = validateInput(input, limits);
  return splitContent(input, limits).map(fact =>
    'refused' in fact ? fact : buildFact(ctx, { content: fact.content, tags, links }, input),
  );
}

/** Why a text, or the first of its facts that may not be stored, is refused, as a sentence; undefined where all may be. */
export function findRefusal(
  input: Pick<RememberInput, 'content' | 'whole'>,
  limits: Config['remember'],
): string | undefined {
  return splitContent(input, limits).flatMap(it => ('refused' in it ? it.refused : []))[0];
}

function splitContent(
  { content, whole = false }: Pick<RememberInput, 'content' | 'whole'>,
  limits: Config['remember'],
): readonly ({ readonly content: string } | RefusedFact)[] {
  const validation = validateText(content, limits.maxCharacters);
  if (!validation.ok) return [{ refused: validation.reason }];
  // Redact before splitting: a secret cut into pieces, such as the lines of a key, would look harmless.
  const hasSecret = findSecret(validation.text) !== undefined;
  const text = hasSecret ? redactSecrets(validation.text) : validation.text;
  const facts = whole ? [text] : splitFacts(text);
  if (facts.length > limits.maxFacts) {
    return [{ refused: formatMessage('tooManyFacts', facts.length, limits.maxFacts) }];
  }
  return facts.map(fact => {
    if (!hasSecret && fact === text) return { content: fact };
    const secret = (hasSecret ? firstRedaction(fact) : undefined) ?? findSecret(fact);
    return secret === undefined ? { content: fact } : { refused: formatMessage('secret', secret.label) };
  });
}

function buildFact(
  ctx: Context,
  {
    content,
    tags,
    links,
  }: { readonly content: string; readonly tags: readonly string[]; readonly links: ResolvedLinks },
  input: RememberInput,
): PreparedFact | RefusedFact {
  const now = ctx.aging.writeTime();
  const assertedAt = input.at === undefined ? now : new Date(input.at);
  const timestamp = assertedAt.toISOString();
  const lane = input.lane ?? 'note';
  const { readsDay = true } = input;
  const classified = classify(content, assertedAt, { readsDay });
  const { gate = classified.gate, kind, isRead } = statedGate(input, links);
  const unsettled = { cues: classified, kind, dayFrom: readsDay ? assertedAt : undefined };
  const { dueAt, ...ofGate } = fieldsOfGate(gate, content, unsettled, findDueDate);
  const store = chooseStore(ctx, input, links, content);
  if (store === undefined) return { refused: formatMessage('noProject') };
  // Counted from now: a note from an old session would otherwise expire before a person could see it.
  const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  return {
    store,
    aids: normalizeAids(input.aids ?? {}),
    links,
    ...(isRead ? { unsettled } : {}),
    isWithoutPlace: input.source === 'explicit' && !hasPlace(input, links),
    memory: {
      ...newMemoryDefaults,
      id: newUuid(now),
      ...toPreparedText(content),
      ...ofGate,
      lane,
      // A short life is given, never guessed. A plan with a given day ends after it; a day read from the text may be no end.
      decayClass: input.decayClass ?? (input.dueAt === undefined ? 'durable' : 'session'),
      confidence: initialConfidence(input.source, classified.confidence),
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

/**
 * The caller's choice; else the project's store of what is anchored there, or the store of what the fact is linked to, for
 * an update belongs next to what it updates. A set is in one store.
 * @returns undefined for a fact of a project where none is known and the host takes no other store for it
 */
function chooseStore(ctx: Context, input: RememberInput, links: ResolvedLinks, content: string): Store | undefined {
  const { store, uri, scopeId, folder } = input;
  const linked = storeOfLinks(links);
  if (store === undefined && !isAnchored(input) && linked !== undefined) return linked;
  const isSaidOfAll = isAssistantConduct(content) || (input.source === 'explicit' && saysEveryProject(content));
  const isGlobal = !isAnchored(input) && ((scopeId ?? '') !== '' || isSaidOfAll);
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
