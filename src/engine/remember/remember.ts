import { EngineError } from '../base/errors.js';
import { projectName, withWaitingStores, type Context } from '../context.js';
import { embedOrLog, type ModelVector } from '../embeddings/embedOrLog.js';
import { formatMessage } from '../model/engineMessages.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import type { RememberInput } from '../model/rememberInput.js';
import { keptUntil } from '../scoring/retentionRules.js';
import { questionsToEmbed, toQuestionVectors } from '../store/questionVectors.js';
import type { Store, StoredVector, StoreTransaction } from '../store/store.js';
import { BatchComparison, readRelations } from './batchComparison.js';
import { FactWriter, type MemoryChange, type WritableFact } from './factWriter.js';
import { prepareFacts, settleGate, type PreparedFact } from './prepareFact.js';
import { BranchRecorder, resolveLinks, SetPlaces } from './resolveInput.js';

/** Texts prepared between two yields to other work; some milliseconds. */
const parseBatchSize = 32;
/** Probability that a text holds in all projects, from which the person is asked: of a project's facts, one in a thousand reaches it. */
const minGlobalProbability = 0.9;
/** Prepared batches written together: fewer would make more statements. */
const writeBatchSize = 4;

/** Further writes in the transaction that made these changes. */
type InSameTransaction = (tx: StoreTransaction, store: Store, changes: readonly MemoryChange[]) => Promise<void>;

/** A prepared fact and the place of its outcome. */
interface FactDraft extends PreparedFact {
  readonly textIndex: number;
  readonly factIndex: number;
}
type ReadyDraft = FactDraft & WritableFact & { readonly mayHoldEverywhere: boolean };

/**
 * The write path: prepare, embed, compare, write. Returns one outcome per fact for each text, in the order of the text; a
 * refused fact does not stop the others. All facts of one store are written in one transaction.
 * @param onWritten receives the store and the ids of the memories written to it
 * @param inSameTransaction further writes in the transaction of each store that gets a fact, after it
 * @throws EngineError invalidInput (a field that no fact may have), and what Store.write throws: then nothing is written to
 * that store
 */
export async function remember(
  ctx: Context,
  inputs: readonly RememberInput[],
  onWritten: (store: Store, ids: readonly string[]) => void = () => undefined,
  inSameTransaction: InSameTransaction = () => Promise.resolve(),
): Promise<readonly (readonly RememberOutcome[])[]> {
  const outcomes: RememberOutcome[][] = inputs.map(() => []);
  const comparison = new BatchComparison(ctx);
  const branches = new BranchRecorder(ctx);
  const sets = new SetPlaces(ctx);
  try {
    const preparedBatches: Promise<readonly ReadyDraft[]>[] = [];
    const firstBatchOfStore = new Map<Store, Promise<unknown>>();
    for (let from = 0; from < inputs.length; from += parseBatchSize) {
      // Other work runs between the batches of a long import, while earlier batches are embedded and compared.
      if (from > 0) await new Promise(resolve => setImmediate(resolve));
      const drafts: FactDraft[] = [];
      const batchInputs = await Promise.all(inputs.slice(from, from + parseBatchSize).map(it => sets.place(it)));
      const links = await Promise.all(batchInputs.map(it => resolveLinks(ctx, it)));
      for (const [i, input] of batchInputs.entries()) {
        const textIndex = from + i;
        for (const [factIndex, fact] of prepareFacts(ctx, input, links[i]).entries()) {
          if ('refused' in fact) outcomes[textIndex]![factIndex] = { outcome: 'refused', reason: fact.refused };
          else drafts.push({ ...(await branches.record(fact, input)), textIndex, factIndex });
        }
      }
      const isLast = from + parseBatchSize >= inputs.length;
      const batch = embedAndCompare(ctx, drafts, comparison, { previousBatch: preparedBatches.at(-1), isLast });
      preparedBatches.push(batch);
      for (const { store } of drafts) if (!firstBatchOfStore.has(store)) firstBatchOfStore.set(store, batch);
    }
    // A write blocks other writers of its store: wait first for the indexes, and for a model that is slow.
    await Promise.all(ctx.embedder.runsInSearchWorker ? firstBatchOfStore.values() : preparedBatches);
    const writes = Array.from(firstBatchOfStore.keys(), async store => {
      const writtenIds = await writeBatches(ctx, store, preparedBatches, { outcomes, inSameTransaction });
      onWritten(store, writtenIds);
    });
    // A failure in one store does not keep the others from being written.
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

/** As `remember`; what belongs to a store whose server cannot be used now waits for it here, and its outcome says so. */
export async function rememberOrWait(
  ctx: Context,
  inputs: readonly RememberInput[],
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<readonly (readonly RememberOutcome[])[]> {
  const waitingStores = new Set(ctx.stores.map(it => it.store.waiting));
  const waitingIds = new Set<string>();
  const outcomes = await remember(withWaitingStores(ctx), inputs, (store, ids) => {
    if (waitingStores.has(store)) for (const id of ids) waitingIds.add(id);
    onWritten(store, ids);
  });
  return outcomes.map(its =>
    its.map(it => {
      if (it.outcome === 'refused' || !waitingIds.has(it.id)) return it;
      return { ...it, reason: [it.reason, formatMessage('waitsForServer')].filter(Boolean).join(' ') };
    }),
  );
}

/**
 * Writes facts of one store that are prepared: embed, compare, write, in one transaction. Returns one outcome per fact.
 * @param inSameTransaction as of `remember`
 * @throws what Store.write throws; nothing is written then
 */
export async function rememberPrepared(
  ctx: Context,
  store: Store,
  facts: readonly PreparedFact[],
  inSameTransaction: InSameTransaction,
): Promise<readonly RememberOutcome[]> {
  const comparison = new BatchComparison(ctx);
  try {
    const drafts = facts.map((fact, factIndex) => ({ ...fact, textIndex: 0, factIndex }));
    const batch = embedAndCompare(ctx, drafts, comparison, { previousBatch: undefined, isLast: true });
    await batch;
    const outcomes: RememberOutcome[][] = [[]];
    await writeBatches(ctx, store, [batch], { outcomes, inSameTransaction });
    return outcomes[0]!;
  } finally {
    comparison.close();
  }
}

/**
 * Writes the facts of one store in one transaction, while later batches are still compared.
 * @returns the ids of the memories written
 */
function writeBatches(
  ctx: Context,
  store: Store,
  preparedBatches: readonly Promise<readonly ReadyDraft[]>[],
  {
    outcomes,
    inSameTransaction,
  }: {
    readonly outcomes: readonly RememberOutcome[][];
    readonly inSameTransaction: InSameTransaction;
  },
): Promise<readonly string[]> {
  return store.write(ctx.host.client, async tx => {
    const writer = new FactWriter(tx, store.kind);
    for (let from = 0, count = 0; from < preparedBatches.length; from += count) {
      // The last batches one by one, so that little is left to write when the comparison ends.
      count = preparedBatches.length - from > writeBatchSize ? writeBatchSize : 1;
      const batches = await Promise.all(preparedBatches.slice(from, from + count));
      const storeFacts = batches.flat().filter(it => it.store === store);
      const factOutcomes = await writer.writeAll(storeFacts);
      for (const [i, it] of storeFacts.entries())
        outcomes[it.textIndex]![it.factIndex] = withPlace(ctx, it, factOutcomes[i]!, writer.changes);
    }
    if (writer.lacksQuestionVectors && ctx.embedder.embedsQuestions) ctx.embedder.onDidMiss();
    await inSameTransaction(tx, store, writer.changes);
    return writer.writtenMemoryIds;
  });
}

/** The outcome with the place of its memory, and the time until which it is kept there. */
function withPlace(
  ctx: Context,
  { store, mayHoldEverywhere }: ReadyDraft,
  outcome: RememberOutcome,
  changes: readonly MemoryChange[],
): RememberOutcome {
  if (outcome.outcome === 'refused') return outcome;
  const memory = changes.find(it => it.after.id === outcome.id)?.after;
  const end = memory && keptUntil(memory, ctx.host.config().decay);
  const project = projectName(ctx, store);
  return {
    ...outcome,
    ...(project === undefined ? {} : { project }),
    ...(outcome.outcome === 'stored' && mayHoldEverywhere && project !== undefined ? { mayHoldEverywhere } : {}),
    ...(end === undefined ? {} : { keptUntil: new Date(end).toISOString() }),
  };
}

/** @param options.previousBatch compared before this one @param options.isLast whether no batch follows */
async function embedAndCompare(
  ctx: Context,
  drafts: readonly FactDraft[],
  comparison: BatchComparison,
  { previousBatch, isLast }: { readonly previousBatch: Promise<unknown> | undefined; readonly isLast: boolean },
): Promise<readonly ReadyDraft[]> {
  const { runsInSearchWorker } = ctx.embedder;
  const vectors = runsInSearchWorker ? new Map<FactDraft, ModelVector | undefined>() : await embedFacts(ctx, drafts);
  // In the search worker the requests of one call are in order already.
  if (!runsInSearchWorker) await previousBatch;
  const embedded = drafts.map(it => {
    const vector = vectors.get(it);
    const mayHoldEverywhere = it.isWithoutPlace === true && (vector?.globalProbability ?? 0) >= minGlobalProbability;
    return { ...settleGate(ctx.embedder, it, vector?.gateLogits), vector, mayHoldEverywhere };
  });
  const outcomes = await comparison.compare(embedded, isLast);
  const results = embedded.map(draft => {
    const outcome = outcomes.get(draft.memory.id);
    const comparisonVector = outcome?.vector && { model: ctx.embedder.model!.id, vector: outcome.vector };
    return { draft, relatedMemories: outcome?.relatedMemories ?? [], vector: comparisonVector ?? draft.vector };
  });
  // Code is never compared, and nothing is while the index is built; these have no vector yet.
  const unembedded = runsInSearchWorker ? results.filter(it => it.vector === undefined).map(it => it.draft) : [];
  const laterVectors = await embedFacts(ctx, unembedded);
  const relations = await readRelations(
    ctx,
    results.map(({ draft: { memory }, relatedMemories }) => ({ memory, relatedMemories })),
  );
  return results.map(({ draft, relatedMemories, vector }, i) => ({
    ...draft,
    relatedMemories,
    relations: relations?.[i],
    vector: vector ?? laterVectors.get(draft),
  }));
}

/** Vectors of the drafts; undefined without an embedder or when it fails, and the background embeds them later. */
async function embedFacts(
  ctx: Context,
  drafts: readonly FactDraft[],
): Promise<ReadonlyMap<FactDraft, (StoredVector & Pick<ModelVector, 'gateLogits' | 'globalProbability'>) | undefined>> {
  const questions = drafts.map(it => questionsToEmbed(ctx.embedder, it.aids));
  const vectors = await embedOrLog(
    ctx,
    drafts.flatMap((it, i) => [it.memory.content, ...questions[i]!]),
    // The gates of an import are read by the model too, however long its files take.
    drafts.every(it => it.memory.provenance.source === 'import') ? 'backlog' : 'passage',
  );
  let next = 0;
  return new Map(
    drafts.map((it, i) => {
      const [own, ...ofQuestions] = vectors.slice(next, (next += 1 + questions[i]!.length));
      return [
        it,
        own && {
          ...own,
          questions: toQuestionVectors(
            questions[i]!,
            ofQuestions.map(found => found!.vector),
          ),
        },
      ];
    }),
  );
}
