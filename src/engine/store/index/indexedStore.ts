import { featureNames } from '../../model/trace.js';
import { quantise } from '../../base/quantise.js';
import { SerialQueue } from '../../base/serialQueue.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import type { Database } from '../sqlite/database.js';
import { CallFacts } from './callFacts.js';
import { compareFacts } from './compareFacts.js';
import { IndexFeed } from './indexFeed.js';
import type { Compared, Embedding, IndexAnswer, IndexOf, IndexRequest, RowFilter, Told } from './indexProtocol.js';
import { Readings } from './judge.js';
import { KnownTexts } from './knownTexts.js';
import { LateInteraction } from './lateInteraction.js';
import type { MemoryIndex } from './memoryIndex.js';
import { search, type Found } from './search.js';

/** With more than this many to index first, a search does not wait for it. */
const waitFor = 20_000;
/** So few facts are not compared rather than waited for; an import takes its time anyway. */
const fewFacts = 8;

interface Loading {
  readonly loading: { readonly indexed: number; readonly total: number };
}

/**
 * What is asked of one store's memory index. Before each answer it takes in what any process has written since: an
 * answer always knows every write that was acknowledged before it.
 */
export class IndexedStore {
  private opened: Promise<IndexFeed> | undefined;
  private comparison: LateInteraction | undefined;
  private readonly readings = new Readings();
  private readonly texts = new KnownTexts(this.readings);
  /** By call: what it has told so far. */
  private readonly calls = new Map<number, CallFacts>();
  /** Facts are compared in the order told. */
  private readonly comparing = new SerialQueue();

  constructor(
    private readonly file: string,
    readonly model: string | undefined,
    private readonly dimensions: number | undefined,
    /** The built-in model, or none. @throws Error where it cannot be read */
    private readonly builtIn: () => StaticModel | undefined,
  ) {}

  /**
   * Most often nobody has written since the last call: unless `looksFirst` says so, the file is not asked for that, which
   * would be a trip to it more. Who reads the memories of the shortlist sees whether the answer knows all of the file.
   * @param onShortlist is told the rows of the answer before they are read closely
   */
  async search(
    { query, filter, embed, looksFirst }: Omit<Extract<IndexRequest, { kind: 'search' }>, keyof IndexOf>,
    onShortlist: (rows: readonly number[]) => void,
  ): Promise<{ readonly answer: IndexAnswer } | Loading> {
    const feed = await this.open();
    const catchingUp = looksFirst || !feed.seemsUpToDate ? feed.catchUp() : undefined;
    // While the file is asked.
    const { vectors, embedding } = this.embedded(embed === undefined ? [] : [embed]);
    const behind = await catchingUp;
    if (behind !== undefined && behind.since > waitFor) return loading(feed, behind.since);
    await behind?.done;
    const allowed = filter === undefined ? undefined : await allowedRows(feed.database, filter);
    const { index, revision } = feed;
    const asked = { ...query, vector: vectors ?? query.vector, allowed };
    const { embedded, searchable } = index.counts;
    const { hits, largest } = search(index, asked, (found, names) => {
      onShortlist(found.map(it => it.row));
      return this.readClosely(index, query.text, found, names);
    });
    feed.saveWhenIdle();
    const rows = hits.map(it => it.row);
    const features = new Float32Array(hits.length * featureNames.length);
    for (const [i, hit] of hits.entries()) features.set(hit.features, i * featureNames.length);
    return { answer: { rows, features, largest, embedded, searchable, embedding, revision } };
  }

  /** The vectors of texts, one after another; undefined without the built-in model, or where there is no text. */
  private embedded(texts: readonly string[]): {
    readonly vectors: Int8Array | undefined;
    readonly embedding: Embedding | undefined;
  } {
    if (texts.length === 0) return { vectors: undefined, embedding: undefined };
    const start = performance.now();
    try {
      const model = this.builtIn();
      const vectors = model && new Int8Array(texts.length * model.dimensions);
      for (const [i, it] of texts.entries()) vectors?.set(quantise(model!.embed(it)), i * model!.dimensions);
      return { vectors, embedding: { ms: performance.now() - start } };
    } catch (error) {
      return { vectors: undefined, embedding: { failed: error instanceof Error ? error.message : String(error) } };
    }
  }

  /** Compares memories with a question token by token; 0 for all without the built-in model. */
  private readClosely(
    index: MemoryIndex,
    question: string,
    found: readonly Found[],
    names: readonly string[],
  ): Float32Array {
    const model = this.words();
    if (model === undefined) return new Float32Array(found.length);
    const left = new Set(names.flatMap(it => model.tokens(it)));
    this.comparison ??= new LateInteraction(model.meanings);
    return this.comparison.compare(
      model.tokens(question).filter(it => !left.has(it)),
      found.map(it => index.tokens.get(it.position)),
    );
  }

  /** What knows single words; one that cannot be read is told of by who embeds with it. */
  private words(): StaticModel | undefined {
    try {
      return this.builtIn();
    } catch {
      return undefined;
    }
  }

  /** Compares facts with what is stored, and with what their call told before them. */
  async compare(told: Told): Promise<{ readonly compared: Compared } | Loading> {
    const begun = await this.comparing.run(() => this.beginComparing(told));
    // While the neighbours are read from the file, those of the next facts are looked for.
    return 'loading' in begun ? begun : { compared: { ...begun, relatives: await begun.relatives } };
  }

  private async beginComparing(
    told: Told,
  ): Promise<(Omit<Compared, 'relatives'> & { readonly relatives: Promise<Compared['relatives']> }) | Loading> {
    const feed = await this.open();
    const catchingUp = feed.catchUp();
    // While the file is asked.
    const { vectors, embedding } = this.embedded(told.embeds ? told.facts.map(it => it.content) : []);
    const behind = await catchingUp;
    if (behind.since > waitFor && told.facts.length <= fewFacts) return loading(feed, behind.since);
    await behind.done;
    const width = (vectors?.length ?? 0) / told.facts.length;
    const facts =
      vectors === undefined
        ? told.facts
        : told.facts.map((it, i) => ({ ...it, vector: vectors.subarray(i * width, (i + 1) * width) }));
    const { database, revision, index } = feed;
    const { readings, texts } = this;
    const before = this.calls.get(told.call) ?? new CallFacts(this.dimensions);
    if (told.isLast) this.calls.delete(told.call);
    else this.calls.set(told.call, before);
    feed.saveWhenIdle(told.facts.length > fewFacts);
    const relatives = compareFacts({ database, index, readings, texts, before }, { ...told, facts });
    // Who asked learns of its failure.
    relatives.catch(() => undefined);
    return { relatives, vectors, embedding, revision };
  }

  /** Once what it told is compared. */
  endCall(call: number): Promise<void> {
    return this.comparing.run(() => {
      this.calls.delete(call);
      return Promise.resolve();
    });
  }

  /** Takes in what was written, so that the next answer need not wait for it; nothing where nobody has asked yet. */
  async takeInWritten(revision: number): Promise<void> {
    await (await this.opened)?.takeInWritten(revision);
  }

  /** Opens the file and reads the snapshot, so that the first search finds them ready. */
  async prepare(): Promise<void> {
    await this.open();
  }

  async close(): Promise<void> {
    await (await this.opened)?.close();
  }

  private open(): Promise<IndexFeed> {
    this.opened ??= IndexFeed.open(this.file, this.model, this.dimensions, this.texts, this.words());
    return this.opened;
  }
}

function loading({ index }: IndexFeed, left: number): Loading {
  return { loading: { indexed: index.documents, total: index.documents + left } };
}

/** As one text: the driver takes four times as long to hand out a hundred thousand rows (58 against 12 ms). */
async function allowedRows(database: Database, filter: RowFilter): Promise<ReadonlySet<number>> {
  const sql = `SELECT json_group_array(m.row) AS list FROM memories m WHERE ${filter.where}`;
  const row = await database.read.get(sql, ...filter.params);
  return new Set(JSON.parse(row!.list as string) as number[]);
}
