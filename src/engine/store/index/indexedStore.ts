import { quantise } from '../../base/quantise.js';
import { SerialQueue } from '../../base/serialQueue.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import { traitsOf } from '../../text/traits.js';
import type { Database } from '../sqlite/database.js';
import { contentOf, memoryText } from '../sqlite/rows.js';
import { CallFacts } from './callFacts.js';
import { compareFacts } from './compareFacts.js';
import { featureNames } from './features.js';
import { IndexFeed } from './indexFeed.js';
import type { Compared, IndexAnswer, QueryEmbedding, RowFilter, Told } from './indexProtocol.js';
import { Readings } from './judge.js';
import { KnownTexts } from './knownTexts.js';
import { lateInteraction } from './lateInteraction.js';
import { searchClosely, type Found, type IndexQuery } from './search.js';

/** With more than this many to index first, a search does not wait for it. */
const waitFor = 20_000;
/** So few facts are not compared rather than waited for; an import takes its time anyway. */
const fewFacts = 8;
/** Texts whose tokens are remembered, some two megabytes: reading them again is a fifth of a search. */
const knownTexts = 10_000;

interface Loading {
  readonly loading: { readonly indexed: number; readonly total: number };
}

/**
 * What is asked of one store's memory index. Before each answer it takes in what any process has written since: an
 * answer always knows every write that was acknowledged before it.
 */
export class IndexedStore {
  private opened: Promise<IndexFeed> | undefined;
  /** By key. */
  private readonly tokensOfTexts = new Map<number, readonly number[]>();
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

  /** @param embed what the query's vector is made of, where it has none */
  async search(
    query: Omit<IndexQuery, 'allowed'>,
    filter: RowFilter | undefined,
    embed: string | undefined,
  ): Promise<{ readonly answer: IndexAnswer } | Loading> {
    const feed = await this.open();
    const behind = await feed.catchUp();
    if (behind.memories > waitFor) return loading(feed, behind.memories);
    await behind.done;
    const { database, index } = feed;
    const allowed = filter === undefined ? undefined : await allowedRows(database, filter);
    const { vector, embedding } = this.embedded(embed);
    const asked = { ...query, vector: vector ?? query.vector, allowed };
    const { embedded, searchable } = index.counts;
    let texts: ReadonlyMap<number, string> = new Map();
    const { hits, largest } = await searchClosely(index, asked, async (found, names) => {
      const reading = memoryTexts(database, found);
      // Texts that were compared before are compared again while the memories are read.
      if (!found.every(it => this.tokensOfTexts.has(it.key))) this.learnTokens(found, await reading);
      const read = this.readClosely(query.text, found, names);
      texts = await reading;
      return read;
    });
    feed.saveWhenIdle();
    // What was deleted a moment ago has no text.
    const left = hits.filter(it => texts.has(it.row));
    const features = new Float32Array(left.length * featureNames.length);
    for (const [i, hit] of left.entries()) features.set(hit.features, i * featureNames.length);
    return {
      answer: { memories: left.map(it => texts.get(it.row)!), features, largest, embedded, searchable, embedding },
    };
  }

  /** The query's vector, made here. */
  private embedded(text: string | undefined): {
    readonly vector: Int8Array | undefined;
    readonly embedding: QueryEmbedding | undefined;
  } {
    if (text === undefined) return { vector: undefined, embedding: undefined };
    const start = performance.now();
    try {
      const model = this.builtIn();
      const vector = model && quantise(model.embed(text));
      return { vector, embedding: { ms: performance.now() - start } };
    } catch (error) {
      return { vector: undefined, embedding: { failed: error instanceof Error ? error.message : String(error) } };
    }
  }

  /** Compares memories with a question token by token; 0 for all without the built-in model. */
  private readClosely(question: string, found: readonly Found[], names: readonly string[]): Float32Array {
    const model = this.words();
    if (model === undefined) return new Float32Array(found.length);
    const left = new Set(names.flatMap(it => model.tokens(it)));
    return lateInteraction(
      model.meanings,
      model.tokens(question).filter(it => !left.has(it)),
      found.map(it => this.tokensOfTexts.get(it.key) ?? []),
    );
  }

  /** Remembers the tokens of each memory's body, by its text. */
  private learnTokens(found: readonly Found[], texts: ReadonlyMap<number, string>): void {
    const model = this.words();
    if (this.tokensOfTexts.size >= knownTexts) this.tokensOfTexts.clear();
    for (const { row, key } of found) {
      const text = texts.get(row);
      if (text === undefined || this.tokensOfTexts.has(key)) continue;
      this.tokensOfTexts.set(key, model?.tokens(traitsOf(contentOf(text)).body) ?? []);
    }
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
  compare(told: Told): Promise<{ readonly compared: Compared } | Loading> {
    return this.comparing.run(async () => {
      const feed = await this.open();
      const behind = await feed.catchUp();
      if (behind.memories > waitFor && told.facts.length <= fewFacts) return loading(feed, behind.memories);
      await behind.done;
      const { database, revision, index } = feed;
      const { readings, texts } = this;
      let before = this.calls.get(told.call);
      if (before === undefined) this.calls.set(told.call, (before = new CallFacts(readings, this.dimensions)));
      feed.saveWhenIdle();
      const relatives = await compareFacts({ database, index, readings, texts, before }, told);
      return { compared: { relatives, revision } };
    });
  }

  endCall(call: number): void {
    this.calls.delete(call);
  }

  /** Opens the file and reads the snapshot, so that the first search finds them ready. */
  async prepare(): Promise<void> {
    await this.open();
  }

  async close(): Promise<void> {
    await (await this.opened)?.close();
  }

  private open(): Promise<IndexFeed> {
    this.opened ??= IndexFeed.open(this.file, this.model, this.dimensions, this.texts);
    return this.opened;
  }
}

function loading({ index }: IndexFeed, left: number): Loading {
  return { loading: { indexed: index.documents, total: index.documents + left } };
}

const memoryTextsSql = `SELECT row, ${memoryText()} AS memory FROM memories WHERE row IN (SELECT value FROM json_each(?))`;

/** The memories themselves, by row: nothing of their texts is kept in memory. */
async function memoryTexts(database: Database, found: readonly Found[]): Promise<ReadonlyMap<number, string>> {
  const rows = await database.read.all(memoryTextsSql, JSON.stringify(found.map(it => it.row)));
  return new Map(rows.map(it => [it.row as number, it.memory as string]));
}

async function allowedRows(database: Database, filter: RowFilter): Promise<ReadonlySet<number>> {
  const rows = await database.read.all(`SELECT m.row FROM memories m WHERE ${filter.where}`, ...filter.params);
  return new Set(rows.map(it => it.row as number));
}
