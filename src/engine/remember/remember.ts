import { EngineError } from '../base/errors.js';
import { newUuid } from '../base/uuid.js';
import { classify } from '../classify/classify.js';
import { storeForWrite, type Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import { gateDefaults } from '../model/config.js';
import type { Gate, Provenance } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { formatMessage } from '../model/engineMessages.js';
import { dayMs } from '../scoring/decay.js';
import { hashContent } from '../store/contentHash.js';
import type { NewMemory, Store, StoredVector, StoreTransaction } from '../store/store.js';
import { findDueDate } from '../text/dueDate.js';
import { splitFacts } from '../text/factSplitter.js';
import { toSingleLineSummary } from '../text/normalizeText.js';
import { findSecret, firstRedaction, redactSecrets } from '../secrets/secretScanner.js';
import { validateText } from '../text/validateText.js';
import { validateInput } from './validateInput.js';
import { BatchComparison } from './batchComparison.js';
import { FactWriter, type WritableFact } from './factWriter.js';

/** Texts read before others get their turn: some milliseconds. */
const parseBatchSize = 32;
/** How many such groups are written together: fewer make more statements. */
const writeBatchSize = 4;

/** A fact on its way into a store. */
interface FactDraft {
  readonly store: Store;
  readonly memory: Omit<NewMemory, 'sequence'>;
  /** Where its outcome goes: which text, which fact of it. */
  readonly textIndex: number;
  readonly factIndex: number;
}
type ReadyDraft = FactDraft & WritableFact;

/**
 * The write path, top to bottom: guard, split, classify, embed, compare, write. For each text one outcome per fact, in
 * the order of the text; a refused fact does not stop the others. All facts of one store are written in one transaction.
 * @param onWritten is told which memories of which store were written
 * @param inSameTransaction what else is written in the transaction of a store that gets a fact, or not at all
 * @throws EngineError invalidInput (a field no fact can have), and what Store.write throws: nothing of that store's
 * facts is stored then.
 */
export async function remember(
  ctx: Context,
  inputs: readonly RememberInput[],
  onWritten: (store: Store, ids: readonly string[]) => void = () => undefined,
  inSameTransaction: (tx: StoreTransaction, store: Store) => Promise<void> = () => Promise.resolve(),
): Promise<readonly (readonly RememberOutcome[])[]> {
  const outcomes: RememberOutcome[][] = inputs.map(() => []);
  const comparison = new BatchComparison(ctx);
  try {
    const preparedBatches: Promise<readonly ReadyDraft[]>[] = [];
    /** The first group that has facts of a store. */
    const firstBatchOfStore = new Map<Store, Promise<unknown>>();
    for (let from = 0; from < inputs.length; from += parseBatchSize) {
      // Of a long import others get their turn, and what is read already is embedded and compared meanwhile.
      if (from > 0) await new Promise(resolve => setImmediate(resolve));
      const drafts: FactDraft[] = [];
      for (const [i, input] of inputs.slice(from, from + parseBatchSize).entries()) {
        const textIndex = from + i;
        for (const [factIndex, fact] of prepareFacts(ctx, input).entries()) {
          if ('refused' in fact) outcomes[textIndex]![factIndex] = { outcome: 'refused', reason: fact.refused };
          else drafts.push({ ...buildMemory(ctx, fact.content, fact.tags, input), textIndex, factIndex });
        }
      }
      const isLast = from + parseBatchSize >= inputs.length;
      const batch = embedAndCompare(ctx, drafts, comparison, { previousBatch: preparedBatches.at(-1), isLast });
      preparedBatches.push(batch);
      for (const { store } of drafts) if (!firstBatchOfStore.has(store)) firstBatchOfStore.set(store, batch);
    }
    // While a store is written nobody else writes to it: that waits until all indexes are there, and for a slower model.
    await Promise.all(ctx.embedder.runsInSearchWorker ? firstBatchOfStore.values() : preparedBatches);
    const writes = Array.from(firstBatchOfStore.keys(), async store => {
      const writtenIds = await writeBatches(ctx, store, preparedBatches, { comparison, outcomes, inSameTransaction });
      onWritten(store, writtenIds);
    });
    // Each store is written or not, whatever comes of another one.
    const results = await Promise.allSettled(writes);
    const [firstFailure, ...otherFailures] = results
      .filter(it => it.status === 'rejected')
      .map(it => it.reason as unknown);
    if (firstFailure !== undefined) throw EngineError.all([firstFailure, ...otherFailures]);
    return outcomes;
  } finally {
    comparison.close();
  }
}

/**
 * Writes the facts of one store in one transaction: those that are compared, while the next ones are.
 * @returns the memories written
 */
function writeBatches(
  ctx: Context,
  store: Store,
  preparedBatches: readonly Promise<readonly ReadyDraft[]>[],
  {
    comparison,
    outcomes,
    inSameTransaction,
  }: {
    readonly comparison: BatchComparison;
    readonly outcomes: readonly RememberOutcome[][];
    readonly inSameTransaction: (tx: StoreTransaction, store: Store) => Promise<void>;
  },
): Promise<readonly string[]> {
  return store.write(ctx.host.client, async tx => {
    await inSameTransaction(tx, store);
    const keepUncertain = ctx.models.current().provider !== 'none';
    const writer = new FactWriter(tx, store.kind, keepUncertain);
    for (let from = 0, count = 0; from < preparedBatches.length; from += count) {
      // Of the last ones each by itself, so that little is left to write once all are compared.
      count = preparedBatches.length - from > writeBatchSize ? writeBatchSize : 1;
      const batches = await Promise.all(preparedBatches.slice(from, from + count));
      const storeFacts = batches.flat().filter(it => it.store === store);
      const factOutcomes = await writer.writeAll(storeFacts, comparison.sessionFor(store).revision);
      for (const [i, it] of storeFacts.entries()) outcomes[it.textIndex]![it.factIndex] = factOutcomes[i]!;
    }
    return writer.writtenMemoryIds;
  });
}

/** @param earlier the facts before these, which are compared first @param isLast whether none follow */
async function embedAndCompare(
  ctx: Context,
  drafts: readonly FactDraft[],
  comparison: BatchComparison,
  { previousBatch, isLast }: { readonly previousBatch: Promise<unknown> | undefined; readonly isLast: boolean },
): Promise<readonly ReadyDraft[]> {
  const { runsInSearchWorker } = ctx.embedder;
  const vectors = runsInSearchWorker ? new Map<FactDraft, StoredVector | undefined>() : await embedFacts(ctx, drafts);
  // Where nothing was waited for, all of a call are asked for in their order, and the thread goes on without a pause.
  if (!runsInSearchWorker) await previousBatch;
  const embedded = drafts.map(it => ({ ...it, vector: vectors.get(it) }));
  const outcomes = await comparison.compare(embedded, isLast);
  const results = drafts.map(draft => {
    const outcome = outcomes.get(draft.memory.id);
    const comparisonVector = outcome?.vector && { model: ctx.embedder.model!.id, vector: outcome.vector };
    return { draft, relatedMemories: outcome?.relatedMemories ?? [], vector: comparisonVector ?? vectors.get(draft) };
  });
  // Code is not compared, and while the index is built nothing is.
  const unembedded = runsInSearchWorker ? results.filter(it => it.vector === undefined).map(it => it.draft) : [];
  const laterVectors = await embedFacts(ctx, unembedded);
  return results.map(({ draft, relatedMemories, vector }) => ({
    ...draft,
    relatedMemories,
    vector: vector ?? laterVectors.get(draft),
  }));
}

type FactOrRefusal = { readonly content: string; readonly tags: readonly string[] } | { readonly refused: string };

/** Guards and splits one text. */
function prepareFacts(ctx: Context, input: RememberInput): readonly FactOrRefusal[] {
  const { remember: limits } = ctx.host.config();
  const tags = validateInput(input, limits);
  const validation = validateText(input.content, limits.maxCharacters);
  if (!validation.ok) return [{ refused: validation.reason }];
  // Redacted before it is split: a secret torn into pieces, such as the lines of a key, would look harmless.
  const hasSecret = findSecret(validation.text) !== undefined;
  const text = hasSecret ? redactSecrets(validation.text) : validation.text;
  const facts = input.whole === true ? [text] : splitFacts(text);
  if (facts.length > limits.maxFacts) {
    return [{ refused: formatMessage('tooManyFacts', facts.length, limits.maxFacts) }];
  }
  return facts.map(content => {
    if (!hasSecret && content === text) return { content, tags };
    const secret = (hasSecret ? firstRedaction(content) : undefined) ?? findSecret(content);
    return secret === undefined ? { content, tags } : { refused: formatMessage('secret', secret.label) };
  });
}

async function embedFacts(
  ctx: Context,
  drafts: readonly FactDraft[],
): Promise<ReadonlyMap<FactDraft, StoredVector | undefined>> {
  const vectors = await embedOrLog(
    ctx,
    drafts.map(it => it.memory.content),
  );
  return new Map(drafts.map((it, i) => [it, vectors[i]]));
}

function buildMemory(
  ctx: Context,
  content: string,
  tags: readonly string[],
  input: RememberInput,
): Pick<FactDraft, 'store' | 'memory'> {
  const now = ctx.host.now();
  const timestamp = (input.at === undefined ? now : new Date(input.at)).toISOString();
  const lane = input.lane ?? 'note';
  const classification = classify(content, new Date(timestamp));
  const gate = input.gate ?? classification.gate;
  const isGateOverridden = gate !== classification.gate;
  const dueAt = isGateOverridden ? dueDateFor(gate, content, timestamp) : classification.dueAt;
  // From when it was learned: a note from an old session would have expired before anybody could see it.
  const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  return {
    store: storeForWrite(ctx, input.store ?? gateDefaults[gate].store, input.uri),
    memory: {
      id: newUuid(now),
      content,
      summary: toSingleLineSummary(content),
      gate,
      kind: input.kind ?? (isGateOverridden ? gateDefaults[gate].kind : classification.kind),
      lane,
      decayClass: input.decayClass ?? (isGateOverridden ? gateDefaults[gate].decayClass : classification.decayClass),
      confidence: classification.confidence,
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
      contentHash: hashContent(content),
      provenance: buildProvenance(ctx, input),
      createdAt: timestamp,
      updatedAt: timestamp,
      reinforcedAt: timestamp,
    },
  };
}

/** Of a gate that the caller chose. */
function dueDateFor(gate: Gate, content: string, at: string): string | undefined {
  return gate === 'promissory' ? findDueDate(content, new Date(at)) : undefined;
}

function buildProvenance(ctx: Context, input: RememberInput): Provenance {
  const { source, session, uri, range, symbol, anchorHash, branch, commit } = input;
  const workspace = ctx.host.workspaceFolders[0];
  const fields = { session, workspace, uri, range, symbol, anchorHash, branch, commit };
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { source, client: ctx.host.client, ...(Object.fromEntries(definedFields) as Partial<Provenance>) };
}
