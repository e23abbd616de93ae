import { v7 as uuidv7 } from 'uuid';
import { quantise } from '../base/quantise.js';
import { classify } from '../classify/classify.js';
import { storeForWrite, type Context } from '../context.js';
import type { RememberOutcome } from '../model/change.js';
import { gateDefaults } from '../model/config.js';
import { isPersonsWord, type Memory, type Provenance } from '../model/memory.js';
import type { RememberInput } from '../model/remember.js';
import { reinforced } from '../scoring/confidence.js';
import { dayMs } from '../scoring/decay.js';
import { factHash } from '../store/factHash.js';
import type { NewMemory, Store, StoredVector, StoreTransaction } from '../store/store.js';
import { dueDate } from '../text/dates.js';
import { splitFacts } from '../text/facts.js';
import { summarise } from '../text/normalise.js';
import { findSecret, redactedSecret, redactSecrets } from '../text/secrets.js';
import { checkShape } from '../text/shape.js';
import { checkInput, secretReason } from './checkInput.js';

/** Texts read before others get their turn: some milliseconds. */
const inputsAtOnce = 32;

/** A fact on its way into a store. */
interface Draft {
  readonly store: Store;
  readonly memory: Omit<NewMemory, 'sequence'>;
  /** Where its outcome goes: which text, which fact of it. */
  readonly text: number;
  readonly position: number;
}

/**
 * The write path, top to bottom: guard, split, classify, embed, compare, write. For each text one outcome per fact, in
 * the order of the text; a refused fact does not stop the others. All facts of one store are written in one transaction.
 * @param changed is told which memories of which store were written
 * @throws EngineError invalidInput (a field no fact can have), and what Store.write throws: nothing of that store's
 * facts is stored then.
 */
export async function remember(
  ctx: Context,
  inputs: readonly RememberInput[],
  changed: (store: Store, ids: readonly string[]) => void = () => undefined,
): Promise<readonly (readonly RememberOutcome[])[]> {
  const outcomes: RememberOutcome[][] = inputs.map(() => []);
  const drafts: Draft[] = [];
  const embedding: Promise<readonly (StoredVector | undefined)[]>[] = [];
  for (let from = 0; from < inputs.length; from += inputsAtOnce) {
    // Of a long import others get their turn, and what is read already is embedded meanwhile.
    if (from > 0) await new Promise(resolve => setImmediate(resolve));
    const read: Draft[] = [];
    for (const [i, input] of inputs.slice(from, from + inputsAtOnce).entries()) {
      const text = from + i;
      for (const [position, fact] of factsOf(ctx, input).entries()) {
        if ('refused' in fact) outcomes[text]![position] = { outcome: 'refused', reason: fact.refused };
        else read.push({ ...draft(ctx, fact.content, fact.tags, input), text, position });
      }
    }
    drafts.push(...read);
    const contents = read.map(it => it.memory.content);
    embedding.push(embedFacts(ctx, contents));
  }
  const vectors = (await Promise.all(embedding)).flat();
  const told = drafts.map((it, i) => ({ ...it, vector: vectors[i] }));
  for (const store of new Set(drafts.map(it => it.store))) {
    const its = told.filter(it => it.store === store);
    const found = await store.write(ctx.host.client, tx => storeOrReinforce(tx, store, its));
    for (const [i, it] of its.entries()) outcomes[it.text]![it.position] = found[i]!;
    changed(
      store,
      found.flatMap(it => (it.outcome === 'refused' ? [] : [it.id])),
    );
  }
  return outcomes;
}

type Fact = { readonly content: string; readonly tags: readonly string[] } | { readonly refused: string };

/** Guards and splits one text. */
function factsOf(ctx: Context, input: RememberInput): readonly Fact[] {
  const { remember: limits } = ctx.host.config();
  const tags = checkInput(input, limits);
  const shape = checkShape(input.content, limits.maxCharacters);
  if (!shape.ok) return [{ refused: shape.reason }];
  // Redacted before it is split: a secret torn into pieces, such as the lines of a key, would look harmless.
  const hasSecret = findSecret(shape.text) !== undefined;
  const text = hasSecret ? redactSecrets(shape.text) : shape.text;
  const facts = input.whole === true ? [text] : splitFacts(text);
  if (facts.length > limits.maxFacts) {
    const refused = `The text has ${facts.length} facts; at most ${limits.maxFacts} can be remembered at once. Send it in parts.`;
    return [{ refused }];
  }
  return facts.map(content => {
    const secret = (hasSecret ? redactedSecret(content) : undefined) ?? findSecret(content);
    return secret === undefined ? { content, tags } : { refused: secretReason(secret.kind) };
  });
}

/** A vector or undefined for each text: without an embedder, or when it fails, they are embedded later. */
async function embedFacts(ctx: Context, texts: readonly string[]): Promise<readonly (StoredVector | undefined)[]> {
  const { model } = ctx.embedder;
  const none = texts.map(() => undefined);
  if (model === undefined) return none;
  try {
    return (await ctx.embedder.embed(texts, 'passage')).map(it => ({ model: model.id, vector: quantise(it) }));
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
    return none;
  }
}

function draft(
  ctx: Context,
  content: string,
  tags: readonly string[],
  input: RememberInput,
): Pick<Draft, 'store' | 'memory'> {
  const now = ctx.host.now();
  const at = (input.at === undefined ? now : new Date(input.at)).toISOString();
  const lane = input.lane ?? 'note';
  const found = classify(content, new Date(at));
  const gate = input.gate ?? found.gate;
  const overridden = gate !== found.gate;
  const dueAt = gate === 'promissory' ? dueDate(content, new Date(at)) : undefined;
  const expiresAt = new Date(Date.parse(at) + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  return {
    store: storeForWrite(ctx, input.store ?? gateDefaults[gate].store, input.uri),
    memory: {
      id: uuidv7({ msecs: now.getTime() }),
      content,
      summary: summarise(content),
      gate,
      kind: input.kind ?? (overridden ? gateDefaults[gate].kind : found.kind),
      lane,
      decayClass: input.decayClass ?? (overridden ? gateDefaults[gate].decayClass : found.decayClass),
      confidence: found.confidence,
      priority: input.priority ?? 5,
      pinned: false,
      reinforcementCount: 1,
      accessCount: 0,
      usefulCount: 0,
      feedback: 0,
      tags,
      sensitive: false,
      status: 'active',
      ...(input.scopeId === undefined ? {} : { scopeId: input.scopeId }),
      ...(dueAt === undefined ? {} : { dueAt }),
      ...(lane === 'note' ? { expiresAt } : {}),
      contentHash: factHash(content),
      provenance: provenanceOf(ctx, input),
      createdAt: at,
      updatedAt: at,
      reinforcedAt: at,
    },
  };
}

/** Writes drafts of one store in their order; a fact told twice reinforces what its first telling stored. */
async function storeOrReinforce(
  tx: StoreTransaction,
  store: Store,
  drafts: readonly (Draft & { readonly vector: StoredVector | undefined })[],
): Promise<readonly RememberOutcome[]> {
  const factKey = (it: Draft['memory']): string => `${it.contentHash} ${it.scopeId ?? ''}`;
  const known = new Map<string, Memory>();
  for (const scopeId of new Set(drafts.map(it => it.memory.scopeId ?? ''))) {
    const hashes = drafts.filter(it => (it.memory.scopeId ?? '') === scopeId).map(it => it.memory.contentHash);
    for (const it of await tx.byFacts(hashes, scopeId)) known.set(factKey(it), it);
  }

  const outcomes: RememberOutcome[] = [];
  let added: { readonly memory: NewMemory; readonly vector: StoredVector | undefined }[] = [];
  const insertAdded = async (): Promise<void> => {
    await tx.insertAll(
      added.map(it => it.memory),
      added.map(it => it.vector),
    );
    added = [];
  };
  for (const { memory, vector } of drafts) {
    const key = factKey(memory);
    const before = known.get(key);
    // A person who forgot a fact is not overruled by a machine that notes it again, and the machine is told so.
    if (isPersonsWord(before?.archiveReason) && memory.lane === 'note') {
      outcomes.push({ outcome: 'refused', reason: forgottenReason });
      continue;
    }
    const sequence = await tx.nextSequence(memory.scopeId ?? '');
    if (before === undefined) {
      added.push({ memory: { ...memory, sequence }, vector });
      known.set(key, { ...memory, sequence, store: store.kind, centrality: 0 });
      outcomes.push({ outcome: 'stored', id: memory.id, content: memory.content, store: store.kind });
      continue;
    }
    await insertAdded();
    const after = { ...merged(before, memory), sequence };
    await tx.update(after, 'reinforce');
    known.set(key, after);
    outcomes.push({ outcome: 'reinforced', id: before.id, content: before.content, store: store.kind });
  }
  await insertAdded();
  return outcomes;
}

const forgottenReason =
  'A person chose to forget this or said it is done, so it is not noted again. It comes back when they say it themselves or restore it.';

/** The known memory, told once more: stronger, with what the new telling adds. A note takes nothing from a person. */
function merged(known: Memory, told: Draft['memory']): Memory {
  const { archivedAt, archiveReason, expiresAt, ...rest } = known;
  const confirmed = known.lane === 'confirmed' || told.lane === 'confirmed';
  const revived = known.status === 'archived' || (known.status === 'superseded' && told.lane === 'confirmed');
  return {
    ...rest,
    ...reinforced(known),
    status: revived ? 'active' : known.status,
    lane: confirmed ? 'confirmed' : 'note',
    ...(confirmed || told.expiresAt === undefined ? {} : { expiresAt: told.expiresAt }),
    tags: [...new Set([...known.tags, ...told.tags])],
    ...(told.dueAt === undefined ? {} : { dueAt: told.dueAt }),
    reinforcedAt: told.reinforcedAt > known.reinforcedAt ? told.reinforcedAt : known.reinforcedAt,
  };
}

function provenanceOf(ctx: Context, input: RememberInput): Provenance {
  const { source, session, uri, range, symbol, anchorHash, branch, commit } = input;
  const workspace = ctx.host.workspaceFolders[0];
  const given = { session, workspace, uri, range, symbol, anchorHash, branch, commit };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { source, client: ctx.host.client, ...(Object.fromEntries(present) as Partial<Provenance>) };
}
