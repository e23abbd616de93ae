import { featureNames } from '../../model/trace.js';
import { toInt8Vector } from '../../base/int8Vector.js';
import { Sequencer } from '../../base/sequencer.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import type { Database } from '../../database/database.js';
import { BatchFacts } from '../neighbors/batchFacts.js';
import { compareFacts } from '../neighbors/compareFacts.js';
import { IndexUpdater } from './indexUpdater.js';
import type {
  CompareResponse,
  EmbeddingOutcome,
  SearchAnswer,
  IndexKey,
  SearchWorkerRequest,
  RowFilter,
  CompareRequest,
} from './searchProtocol.js';
import { ParsedTextCache } from '../neighbors/classifyCandidates.js';
import { FactCache } from '../neighbors/factCache.js';
import { LateInteraction } from '../query/lateInteraction.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import { searchMemories, type DocumentRef } from '../query/searchMemories.js';

/** With more than this many to index first, a search does not wait for it. */
const maxBlockingBacklog = 20_000;
/** So few facts are not compared rather than waited for; an import takes its time anyway. */
const maxSkippableFacts = 8;

interface IndexBuilding {
  readonly loading: { readonly indexed: number; readonly total: number };
}

/**
 * What is asked of one store's memory index. Before each answer it takes in what any process has written since: an
 * answer always knows every write that was acknowledged before it.
 */
export class StoreIndex {
  private updater: Promise<IndexUpdater> | undefined;
  private lateInteraction: LateInteraction | undefined;
  private readonly parsedTexts = new ParsedTextCache();
  private readonly factCache = new FactCache(this.parsedTexts);
  /** By call: what it has told so far. */
  private readonly batches = new Map<number, BatchFacts>();
  /** Facts are compared in the order told. */
  private readonly compareSequencer = new Sequencer();

  constructor(
    private readonly file: string,
    readonly model: string | undefined,
    private readonly dimensions: number | undefined,
    /** The built-in model, or none. @throws Error where it cannot be read */
    private readonly openBuiltInModel: () => StaticModel | undefined,
  ) {}

  /**
   * Most often nobody has written since the last call: unless `looksFirst` says so, the file is not asked for that, which
   * would be a trip to it more. Who reads the memories of the shortlist sees whether the answer knows all of the file.
   * @param onShortlist is told the rows of the answer before they are read closely
   */
  async search(
    {
      query,
      filter,
      textToEmbed,
      refreshFirst,
    }: Omit<Extract<SearchWorkerRequest, { kind: 'search' }>, keyof IndexKey>,
    onShortlist: (rows: readonly number[]) => void,
  ): Promise<{ readonly answer: SearchAnswer } | IndexBuilding> {
    const updater = await this.open();
    const catchingUp = refreshFirst || !updater.seemsUpToDate ? updater.catchUp() : undefined;
    // While the file is asked.
    const { vectors, embedding } = this.embedTexts(textToEmbed === undefined ? [] : [textToEmbed]);
    const pending = await catchingUp;
    if (pending !== undefined && pending.changedCount > maxBlockingBacklog)
      return toIndexBuilding(updater, pending.changedCount);
    await pending?.done;
    const allowed = filter === undefined ? undefined : await loadAllowedRows(updater.database, filter);
    const { index, revision } = updater;
    const indexQuery = { ...query, vector: vectors ?? query.vector, allowed };
    const { embedded, searchable } = index.counts;
    const { hits, maxFeatureValues, lexicalScale } = searchMemories(index, indexQuery, (found, names) => {
      onShortlist(found.map(it => it.row));
      return this.rerank(index, `${query.text}\n${query.expansion?.text ?? ''}`, found, names);
    });
    updater.scheduleSave();
    const rows = hits.map(it => it.row);
    const features = new Float32Array(hits.length * featureNames.length);
    for (const [i, hit] of hits.entries()) features.set(hit.features, i * featureNames.length);
    return { answer: { rows, features, maxFeatureValues, lexicalScale, embedded, searchable, embedding, revision } };
  }

  /** The vectors of texts, one after another; undefined without the built-in model, or where there is no text. */
  private embedTexts(texts: readonly string[]): {
    readonly vectors: Int8Array | undefined;
    readonly embedding: EmbeddingOutcome | undefined;
  } {
    if (texts.length === 0) return { vectors: undefined, embedding: undefined };
    const start = performance.now();
    try {
      const model = this.openBuiltInModel();
      const vectors = model && new Int8Array(texts.length * model.dimensions);
      for (const [i, it] of texts.entries()) vectors?.set(toInt8Vector(model!.embed(it)), i * model!.dimensions);
      return { vectors, embedding: { ms: performance.now() - start } };
    } catch (error) {
      return { vectors: undefined, embedding: { failed: error instanceof Error ? error.message : String(error) } };
    }
  }

  /** Compares memories with a question token by token; 0 for all without the built-in model. */
  private rerank(
    index: MemoryIndex,
    question: string,
    found: readonly DocumentRef[],
    names: readonly string[],
  ): Float32Array {
    const model = this.readableModel();
    if (model === undefined) return new Float32Array(found.length);
    const excludedTokens = new Set(names.flatMap(it => model.tokens(it)));
    this.lateInteraction ??= new LateInteraction(model.tokenVectors);
    return this.lateInteraction.scoreTexts(
      model.tokens(question).filter(it => !excludedTokens.has(it)),
      found.map(it => index.tokens.get(it.position)),
    );
  }

  /** What knows single words; one that cannot be read is told of by who embeds with it. */
  private readableModel(): StaticModel | undefined {
    try {
      return this.openBuiltInModel();
    } catch {
      return undefined;
    }
  }

  /** Compares facts with what is stored, and with what their call told before them. */
  async compare(batch: CompareRequest): Promise<{ readonly compared: CompareResponse } | IndexBuilding> {
    const started = await this.compareSequencer.run(() => this.startComparison(batch));
    // While the neighbours are read from the file, those of the next facts are looked for.
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
    // While the file is asked.
    const { vectors, embedding } = this.embedTexts(batch.embeds ? batch.facts.map(it => it.content) : []);
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
    const { parsedTexts, factCache } = this;
    const earlierFacts = this.batches.get(batch.batchId) ?? new BatchFacts(this.dimensions);
    if (batch.isLast) this.batches.delete(batch.batchId);
    else this.batches.set(batch.batchId, earlierFacts);
    updater.scheduleSave(batch.facts.length > maxSkippableFacts);
    const relatedMemories = compareFacts(
      { database, index, parsedTexts, factCache, earlierFacts },
      { ...batch, facts },
    );
    // Who asked learns of its failure.
    relatedMemories.catch(() => undefined);
    return { relatedMemories, vectors, embedding, revision };
  }

  /** Once what it told is compared. */
  endBatch(batchId: number): Promise<void> {
    return this.compareSequencer.run(() => {
      this.batches.delete(batchId);
      return Promise.resolve();
    });
  }

  /** Takes in what was written, so that the next answer need not wait for it; nothing where nobody has asked yet. */
  async applyWritten(revision: number): Promise<void> {
    await (await this.updater)?.applyWritten(revision);
  }

  /** Opens the file and reads the snapshot, so that the first search finds them ready. */
  async prepare(): Promise<void> {
    await this.open();
  }

  async close(): Promise<void> {
    await (await this.updater)?.close();
  }

  private open(): Promise<IndexUpdater> {
    this.updater ??= IndexUpdater.open(this.file, this.model, this.dimensions, this.factCache, this.readableModel());
    return this.updater;
  }
}

function toIndexBuilding({ index }: IndexUpdater, remaining: number): IndexBuilding {
  return { loading: { indexed: index.documents, total: index.documents + remaining } };
}

/** As one text: the driver takes four times as long to hand out a hundred thousand rows (58 against 12 ms). */
async function loadAllowedRows(database: Database, filter: RowFilter): Promise<ReadonlySet<number>> {
  const sql = `SELECT json_group_array(m.row) AS list FROM memories m WHERE ${filter.where}`;
  const row = await database.read.get(sql, ...filter.params);
  return new Set(JSON.parse(row!.list as string) as number[]);
}
