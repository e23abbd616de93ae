import { Sequencer } from '../../base/sequencer.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import type { Database } from '../../database/database.js';
import { BatchFacts } from '../neighbors/batchFacts.js';
import { compareFacts, loadCandidateFacts } from '../neighbors/compareFacts.js';
import { IndexUpdater } from './indexUpdater.js';
import type {
  CompareResponse,
  SearchAnswer,
  IndexKey,
  SearchWorkerRequest,
  RowFilter,
  CompareRequest,
} from './searchProtocol.js';
import { TermCache } from '../neighbors/relatedMemories.js';
import { BuiltInModel, splitVectors } from '../query/builtInModel.js';
import { searchMemories } from '../query/searchMemories.js';

/** A search does not wait for an index that must apply more changes than this. */
const maxBlockingBacklog = 20_000;
/** A batch up to this size is not compared while the index is being built; an import waits for the index. */
const maxSkippableFacts = 8;

interface IndexBuilding {
  readonly loading: { readonly indexed: number; readonly total: number };
}

/**
 * Answers the requests for one store. Each answer covers every write that was acknowledged before the request, by any
 * process.
 */
export class StoreIndex {
  private updater: Promise<IndexUpdater> | undefined;
  private readonly builtInModel: BuiltInModel;
  private readonly termCache = new TermCache();
  /** The facts so far of each open batch, by batch id. */
  private readonly batches = new Map<number, BatchFacts>();
  /** Keeps batches in the order in which they arrive. */
  private readonly compareSequencer = new Sequencer();

  constructor(
    private readonly file: string,
    readonly model: string | undefined,
    private readonly dimensions: number | undefined,
    /** The built-in model, or none. @throws Error where it cannot be read */
    openBuiltInModel: () => StaticModel | undefined,
  ) {
    this.builtInModel = new BuiltInModel(openBuiltInModel);
  }

  /**
   * Searches the index. Without `refreshFirst` the file is not checked for writes of other processes, which saves a round
   * trip: the caller reads the shortlisted memories anyway and sees whether the answer's revision is the current one.
   * @param onShortlist receives the rows of the answer, unordered, before the answer
   */
  async search(
    {
      query,
      filter,
      textsToEmbed,
      refreshFirst,
    }: Omit<Extract<SearchWorkerRequest, { kind: 'search' }>, keyof IndexKey>,
    onShortlist: (rows: readonly number[]) => void,
  ): Promise<{ readonly answer: SearchAnswer } | IndexBuilding> {
    const updater = await this.open();
    const catchingUp = refreshFirst || !updater.seemsUpToDate ? updater.catchUp() : undefined;
    // While the file is being read.
    const { vectors, embedding } = this.builtInModel.embed(textsToEmbed);
    const pending = await catchingUp;
    if (pending !== undefined && pending.changedCount > maxBlockingBacklog)
      return toIndexBuilding(updater, pending.changedCount);
    await pending?.done;
    const allowed = filter === undefined ? undefined : await loadAllowedRows(updater.database, filter);
    const { index, revision } = updater;
    const indexQuery = { ...query, vectors: splitVectors(vectors, textsToEmbed.length) ?? query.vectors, allowed };
    const { embedded, searchable } = index.counts;
    const { hits, statistics } = searchMemories(index, indexQuery);
    const rows = hits.map(it => it.row);
    onShortlist(rows);
    updater.scheduleSave();
    return {
      answer: {
        rows,
        nearness: hits.map(it => it.nearness),
        vectors: hits.map(it => it.vector?.slice()),
        statistics,
        embedded,
        searchable,
        embedding,
        revision,
      },
    };
  }

  /** Compares facts with the stored memories and with the earlier facts of their batch. */
  async compare(batch: CompareRequest): Promise<{ readonly compared: CompareResponse } | IndexBuilding> {
    const started = await this.compareSequencer.run(() => this.startComparison(batch));
    // While the candidates are read from the file, the next facts may look up theirs.
    return 'loading' in started
      ? started
      : { compared: { ...started, relatedMemories: await started.relatedMemories } };
  }

  private async startComparison(batch: CompareRequest): Promise<
    | (Omit<CompareResponse, 'relatedMemories'> & {
        readonly relatedMemories: Promise<CompareResponse['relatedMemories']>;
      })
    | IndexBuilding
  > {
    const updater = await this.open();
    const catchingUp = updater.catchUp();
    // While the file is being read.
    const { vectors, embedding } = this.builtInModel.embed(batch.embeds ? batch.facts.map(it => it.content) : []);
    const pending = await catchingUp;
    if (pending.changedCount > maxBlockingBacklog && batch.facts.length <= maxSkippableFacts)
      return toIndexBuilding(updater, pending.changedCount);
    await pending.done;
    const width = (vectors?.length ?? 0) / batch.facts.length;
    const facts =
      vectors === undefined
        ? batch.facts
        : batch.facts.map((it, i) => ({ ...it, vector: vectors.subarray(i * width, (i + 1) * width) }));
    const { database, revision, index } = updater;
    const { termCache } = this;
    const earlierFacts = this.batches.get(batch.batchId) ?? new BatchFacts(this.dimensions);
    if (batch.isLast) this.batches.delete(batch.batchId);
    else this.batches.set(batch.batchId, earlierFacts);
    updater.scheduleSave(batch.facts.length > maxSkippableFacts);
    const relatedMemories = compareFacts(
      { index, loadFacts: rows => loadCandidateFacts(database, rows), termCache, earlierFacts },
      { facts, relatedCosine: batch.relatedCosine },
    );
    // `compare` awaits this later; until then a rejection is not unhandled.
    relatedMemories.catch(() => undefined);
    return { relatedMemories, vectors, embedding, revision };
  }

  /** Discards a batch, after its pending comparisons. */
  endBatch(batchId: number): Promise<void> {
    return this.compareSequencer.run(() => {
      this.batches.delete(batchId);
      return Promise.resolve();
    });
  }

  /** Applies the changes up to a revision ahead of the next request; does nothing before the first one. */
  async applyWritten(revision: number): Promise<void> {
    await (await this.updater)?.applyWritten(revision);
  }

  /** Opens the file and restores the snapshot ahead of the first request. */
  async prepare(): Promise<void> {
    await this.open();
  }

  async close(): Promise<void> {
    await (await this.updater)?.close();
  }

  private open(): Promise<IndexUpdater> {
    this.updater ??= IndexUpdater.open(this.file, this.model, this.dimensions, this.termCache);
    return this.updater;
  }
}

function toIndexBuilding({ index }: IndexUpdater, remaining: number): IndexBuilding {
  return { loading: { indexed: index.documents, total: index.documents + remaining } };
}

/** The rows that pass a filter, read as one JSON text: 100,000 take 12 ms, as single rows 58 ms. */
async function loadAllowedRows(database: Database, filter: RowFilter): Promise<ReadonlySet<number>> {
  const sql = `SELECT json_group_array(m.row) AS list FROM memories m WHERE ${filter.where}`;
  const row = await database.read.get(sql, ...filter.params);
  return new Set(JSON.parse(row!.list as string) as number[]);
}
