import { EngineError } from '../base/errors.js';
import { newId } from '../base/newId.js';
import { quantise } from '../base/quantise.js';
import { classify } from '../classify/classify.js';
import { storeForWrite, type Context } from '../context.js';
import type { RememberOutcome } from '../model/change.js';
import { gateDefaults } from '../model/config.js';
import type { Gate, Provenance } from '../model/memory.js';
import type { RememberInput } from '../model/remember.js';
import { sentence } from '../model/sentences.js';
import { dayMs } from '../scoring/decay.js';
import { factHash } from '../store/factHash.js';
import type { NewMemory, Store, StoredVector, StoreTransaction } from '../store/store.js';
import { dueDate } from '../text/dates.js';
import { splitFacts } from '../text/facts.js';
import { summarise } from '../text/normalise.js';
import { findSecret, redactedSecret, redactSecrets } from '../text/secrets.js';
import { checkShape } from '../text/shape.js';
import { checkInput } from './checkInput.js';
import { Comparing } from './comparing.js';
import { Telling, type ReadyFact } from './telling.js';

/** Texts read before others get their turn: some milliseconds. */
const inputsAtOnce = 32;
/** How many such groups are written together: fewer make more statements. */
const comparedAtOnce = 4;

/** A fact on its way into a store. */
interface Draft {
  readonly store: Store;
  readonly memory: Omit<NewMemory, 'sequence'>;
  /** Where its outcome goes: which text, which fact of it. */
  readonly text: number;
  readonly position: number;
}
type ReadyDraft = Draft & ReadyFact;

/**
 * The write path, top to bottom: guard, split, classify, embed, compare, write. For each text one outcome per fact, in
 * the order of the text; a refused fact does not stop the others. All facts of one store are written in one transaction.
 * @param changed is told which memories of which store were written
 * @param alongside what else is written in the transaction of a store that gets a fact, or not at all
 * @throws EngineError invalidInput (a field no fact can have), and what Store.write throws: nothing of that store's
 * facts is stored then.
 */
export async function remember(
  ctx: Context,
  inputs: readonly RememberInput[],
  changed: (store: Store, ids: readonly string[]) => void = () => undefined,
  alongside: (tx: StoreTransaction, store: Store) => Promise<void> = () => Promise.resolve(),
): Promise<readonly (readonly RememberOutcome[])[]> {
  const outcomes: RememberOutcome[][] = inputs.map(() => []);
  const comparing = new Comparing(ctx);
  try {
    const ready: Promise<readonly ReadyDraft[]>[] = [];
    /** The first group that has facts of a store. */
    const firsts = new Map<Store, Promise<unknown>>();
    for (let from = 0; from < inputs.length; from += inputsAtOnce) {
      // Of a long import others get their turn, and what is read already is embedded and compared meanwhile.
      if (from > 0) await new Promise(resolve => setImmediate(resolve));
      const read: Draft[] = [];
      for (const [i, input] of inputs.slice(from, from + inputsAtOnce).entries()) {
        const text = from + i;
        for (const [position, fact] of factsOf(ctx, input).entries()) {
          if ('refused' in fact) outcomes[text]![position] = { outcome: 'refused', reason: fact.refused };
          else read.push({ ...draft(ctx, fact.content, fact.tags, input), text, position });
        }
      }
      const isLast = from + inputsAtOnce >= inputs.length;
      const group = embedAndCompare(ctx, read, comparing, { earlier: ready.at(-1), isLast });
      ready.push(group);
      for (const { store } of read) if (!firsts.has(store)) firsts.set(store, group);
    }
    // While a store is written nobody else writes to it: that waits until all indexes are there, and for a slower model.
    await Promise.all(ctx.embedder.embedsInSearch ? firsts.values() : ready);
    const writes = Array.from(firsts.keys(), async store => {
      const written = await writeReady(ctx, store, ready, { comparing, outcomes, alongside });
      changed(store, written);
    });
    // Each store is written or not, whatever comes of another one.
    const ended = await Promise.allSettled(writes);
    const [failed, ...more] = ended.filter(it => it.status === 'rejected').map(it => it.reason as unknown);
    if (failed !== undefined) throw EngineError.all([failed, ...more]);
    return outcomes;
  } finally {
    comparing.end();
  }
}

/**
 * Writes the facts of one store in one transaction: those that are compared, while the next ones are.
 * @returns the memories written
 */
function writeReady(
  ctx: Context,
  store: Store,
  ready: readonly Promise<readonly ReadyDraft[]>[],
  {
    comparing,
    outcomes,
    alongside,
  }: {
    readonly comparing: Comparing;
    readonly outcomes: readonly RememberOutcome[][];
    readonly alongside: (tx: StoreTransaction, store: Store) => Promise<void>;
  },
): Promise<readonly string[]> {
  return store.write(ctx.host.client, async tx => {
    await alongside(tx, store);
    const keepDoubts = ctx.models.current().provider !== 'none';
    const telling = new Telling(tx, store.kind, keepDoubts);
    for (let from = 0, count = 0; from < ready.length; from += count) {
      // Of the last ones each by itself, so that little is left to write once all are compared.
      count = ready.length - from > comparedAtOnce ? comparedAtOnce : 1;
      const compared = await Promise.all(ready.slice(from, from + count));
      const its = compared.flat().filter(it => it.store === store);
      const found = await telling.tellAll(its, comparing.with(store).revision);
      for (const [i, it] of its.entries()) outcomes[it.text]![it.position] = found[i]!;
    }
    return telling.written;
  });
}

/** @param earlier the facts before these, which are compared first @param isLast whether none follow */
async function embedAndCompare(
  ctx: Context,
  drafts: readonly Draft[],
  comparing: Comparing,
  { earlier, isLast }: { readonly earlier: Promise<unknown> | undefined; readonly isLast: boolean },
): Promise<readonly ReadyDraft[]> {
  const { embedsInSearch } = ctx.embedder;
  const vectors = embedsInSearch ? new Map<Draft, StoredVector>() : await embedFacts(ctx, drafts);
  // Where nothing was waited for, all of a call are asked for in their order, and the thread goes on without a pause.
  if (!embedsInSearch) await earlier;
  const embedded = drafts.map(it => ({ ...it, vector: vectors.get(it) }));
  const compared = await comparing.compare(embedded, isLast);
  const ready = drafts.map(draft => {
    const found = compared.get(draft.memory.id);
    const made = found?.vector && { model: ctx.embedder.model!.id, vector: found.vector };
    return { draft, relatives: found?.relatives ?? [], vector: made ?? vectors.get(draft) };
  });
  // Code is not compared, and while the index is built nothing is.
  const left = embedsInSearch ? ready.filter(it => it.vector === undefined).map(it => it.draft) : [];
  const later = await embedFacts(ctx, left);
  return ready.map(({ draft, relatives, vector }) => ({ ...draft, relatives, vector: vector ?? later.get(draft) }));
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
    return [{ refused: sentence('tooManyFacts', facts.length, limits.maxFacts) }];
  }
  return facts.map(content => {
    if (!hasSecret && content === text) return { content, tags };
    const secret = (hasSecret ? redactedSecret(content) : undefined) ?? findSecret(content);
    return secret === undefined ? { content, tags } : { refused: sentence('secret', secret.kind) };
  });
}

/** The vectors of drafts: none without an embedder, or when it fails; they are embedded later. */
async function embedFacts(ctx: Context, drafts: readonly Draft[]): Promise<ReadonlyMap<Draft, StoredVector>> {
  const { model } = ctx.embedder;
  if (model === undefined || drafts.length === 0) return new Map();
  const contents = drafts.map(it => it.memory.content);
  try {
    const vectors = await ctx.embedder.embed(contents, 'passage');
    return new Map(drafts.map((it, i) => [it, { model: model.id, vector: quantise(vectors[i]!) }]));
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
    return new Map();
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
  const dueAt = overridden ? dueAtOf(gate, content, at) : found.dueAt;
  // From when it was learned: a note from an old session would have expired before anybody could see it.
  const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  return {
    store: storeForWrite(ctx, input.store ?? gateDefaults[gate].store, input.uri),
    memory: {
      id: newId(now),
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
      // What is derived from code is derived again when the code changes, and goes with it.
      ...(lane === 'note' && input.source !== 'code-index' ? { expiresAt } : {}),
      contentHash: factHash(content),
      provenance: provenanceOf(ctx, input),
      createdAt: at,
      updatedAt: at,
      reinforcedAt: at,
    },
  };
}

/** Of a gate that the caller chose. */
function dueAtOf(gate: Gate, content: string, at: string): string | undefined {
  return gate === 'promissory' ? dueDate(content, new Date(at)) : undefined;
}

function provenanceOf(ctx: Context, input: RememberInput): Provenance {
  const { source, session, uri, range, symbol, anchorHash, branch, commit } = input;
  const workspace = ctx.host.workspaceFolders[0];
  const given = { session, workspace, uri, range, symbol, anchorHash, branch, commit };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { source, client: ctx.host.client, ...(Object.fromEntries(present) as Partial<Provenance>) };
}
