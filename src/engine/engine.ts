import { unlessCalledOff } from './base/calledOff.js';
import { EngineError } from './base/errors.js';
import { message, type Message } from './base/message.js';
import { Calls } from './calls.js';
import { Capture } from './capture/capture.js';
import { claudeCodeSessions } from './capture/sources.js';
import { classify } from './classify/classify.js';
import { Anchors, type ChangedAnchor } from './codeindex/anchors.js';
import { CodeIndex, type IndexInput, type SymbolSource } from './codeindex/codeIndex.js';
import { storesOf, type Context, type OpenStore } from './context.js';
import { change, find, type Change } from './curate/curate.js';
import { Graph } from './curate/graph.js';
import { Erasure } from './curate/erasure.js';
import { Revisits } from './curate/revisit.js';
import { Truth } from './curate/truth.js';
import { bytesOf, catalog, type CatalogModel } from './embeddings/catalog.js';
import { downloadModel, installedModels } from './embeddings/download.js';
import { CountedEmbedder } from './embeddings/countedEmbedder.js';
import type { Embedder } from './embeddings/embedder.js';
import { Checkpoints } from './maintain/checkpoints.js';
import { Inspection } from './inspect/inspection.js';
import { LanguageModels } from './llm/models.js';
import { consolidationCandidates } from './maintain/consolidationCandidates.js';
import { Consolidation } from './maintain/consolidation.js';
import { Doubts } from './maintain/doubts.js';
import { embedMissing } from './maintain/embedMissing.js';
import { Goals } from './maintain/goals.js';
import { Maintenance, type MaintenanceOptions } from './maintain/maintenance.js';
import type { ChangeEvent, EmbeddingProgress, RememberOutcome, StoreReport } from './model/change.js';
import { callLimits } from './model/config.js';
import type { Host } from './model/host.js';
import type { Classification, Memory, Scope } from './model/memory.js';
import type { ModelStatus, ModelTest } from './model/modelStatus.js';
import type { GroupCount, Hit, ListInput, PackedContext, RecallInput, Recollection } from './model/query.js';
import type { RememberInput } from './model/remember.js';
import type { Trace } from './model/trace.js';
import { exportFormats, exportMemories, type ExportFormat } from './publish/export.js';
import { identity, type IdentityOptions } from './publish/identity.js';
import { Publishing } from './publish/publishing.js';
import { AnswerCache } from './recall/cache.js';
import { readFilter } from './recall/filter.js';
import { recall } from './recall/recall.js';
import { UsageBuffer } from './recall/usage.js';
import { remember } from './remember/remember.js';
import { effectiveConfidence } from './scoring/decay.js';
import { IndexThread } from './store/index/indexThread.js';
import type { Store } from './store/store.js';
import { builtInModel, modelsFolder, openEmbedder, openStores, spendingRecords } from './wiring.js';

export { modelsFolder };
export { claudeCodeSessions };
export {
  exportFormats,
  type ChangedAnchor,
  type ExportFormat,
  type IndexInput,
  type MaintenanceOptions,
  type SymbolSource,
};
export { bytesOf, catalog, downloadModel, installedModels, type CatalogModel };

/** What `remember` would make of a statement; needs no store. Relative dates count from `now`. */
export const classifyStatement: (statement: string, now: Date) => Classification = classify;

/** How an engine begins. */
export interface Beginning {
  /** A search or a write follows at once: what that needs is read while the stores are opened. */
  readonly willSearch?: boolean;
  /** A thread that was begun before (`beginSearch`). It ends with the engine, or where that cannot be opened. */
  readonly indexes?: IndexThread | undefined;
}

/**
 * Opens the global store and the store of each of the host's folders. The engine's only wiring.
 * @throws EngineError storeUnavailable | storeReadOnly | storeFull | storeTooNew | storeBusy
 */
export async function openEngine(
  host: Host,
  { willSearch = false, indexes: begun }: Beginning = {},
): Promise<MemoryEngine> {
  const modelDir = await builtInModel(host);
  const indexes = begun ?? new IndexThread(host.bundleDir, { modelDir });
  try {
    if (willSearch) indexes.begin();
    const notices: Message[] = [];
    const embedder = await openEmbedder(host, indexes, notices);
    const stores = await openStores(host, indexes);
    if (willSearch) for (const { store } of stores) store.prepare(embedder.model);
    return new MemoryEngine(host, stores, { embedder, indexes, notices });
  } catch (error) {
    await indexes.close();
    throw error;
  }
}

/** Everything a surface may ask of the memory. Each method is one verb; the work is in the verbs' folders. */
export class MemoryEngine {
  /** Copies of whole stores. */
  readonly checkpoints: Checkpoints;
  /** Deleting for good. */
  readonly erasure: Erasure;
  /** Why an answer was what it was, and what becomes of a memory. */
  readonly inspection: Inspection;
  /** Memories that contradict each other, and a person's word on which one holds. */
  readonly truth: Truth;
  /** Plans that want a person's decision. */
  readonly revisits: Revisits;
  /** How memories hang together. */
  readonly graph: Graph;
  /** Memories that say nearly the same. */
  readonly consolidation: Consolidation;
  /** What the rules could not tell, for the language model. */
  readonly doubts: Doubts;
  /** Memories in the files where assistants look. */
  readonly publishing: Publishing;
  /** Memories from sessions with an assistant. */
  readonly capture: Capture;
  /** Code as memories. */
  readonly codeIndex: CodeIndex;
  /** The places in code that memories are about. */
  readonly anchors: Anchors;
  private readonly ctx: Context;
  private readonly calls: Calls;
  private closed: Promise<void> | undefined;

  /** Fading, quotas and metrics. */
  readonly maintenance: Maintenance;
  /** What people are working towards. */
  readonly goals: Goals;

  constructor(
    host: Host,
    stores: readonly OpenStore[],
    private readonly parts: {
      readonly embedder: Embedder;
      readonly indexes: IndexThread;
      readonly notices: readonly Message[];
    },
  ) {
    this.calls = new Calls(
      stores.map(it => it.store),
      host.log,
    );
    const usage = new UsageBuffer(host, (store, ids) => {
      this.calls.announce(store, ids);
    });
    const models = new LanguageModels(host, spendingRecords(stores, host), model => {
      this.calls.tell({ store: 'global', ids: [], model });
    });
    const embedder = new CountedEmbedder(parts.embedder);
    this.ctx = { host, stores, usage, embedder, cache: new AnswerCache(), models };
    this.checkpoints = new Checkpoints(this.ctx, this.calls);
    this.erasure = new Erasure(this.ctx, this.calls);
    this.inspection = new Inspection(this.ctx, this.calls, reference => find(this.ctx, reference));
    this.truth = new Truth(this.ctx, this.calls);
    this.revisits = new Revisits(this.ctx, this.calls);
    this.graph = new Graph(this.ctx, this.calls);
    this.consolidation = new Consolidation(this.ctx, this.calls);
    this.doubts = new Doubts(this.ctx, this.calls);
    this.maintenance = new Maintenance(this.ctx, this.calls, {
      embedding: () => embedder.counts,
      candidates: async (ctx, store, signal) => (await consolidationCandidates(ctx, store, { signal })).groups.length,
    });
    this.publishing = new Publishing(this.ctx, this.calls);
    this.capture = new Capture(this.ctx, this.calls);
    this.codeIndex = new CodeIndex(this.ctx, this.calls);
    this.anchors = new Anchors(this.ctx, this.calls, { find: reference => find(this.ctx, reference) });
    this.goals = new Goals(this.ctx, this.calls);
  }

  /** Sentences a person should see once: a damaged store that was set aside, a model that cannot be used. */
  get notices(): readonly Message[] {
    return [...this.parts.notices, ...this.ctx.stores.flatMap(it => it.store.notices)];
  }

  /** The files that are open, the projects' first. */
  get stores(): readonly { readonly kind: Store['kind']; readonly file: string; readonly readOnly: boolean }[] {
    return this.ctx.stores.map(({ store }) => ({ kind: store.kind, file: store.file, readOnly: store.readOnly }));
  }

  /** Keeps the facts of a text. One outcome per fact. */
  async remember(input: RememberInput): Promise<readonly RememberOutcome[]> {
    return (await this.rememberAll([input]))[0]!;
  }

  /** The same for many texts at once, a transaction per store: for imports. */
  rememberAll(inputs: readonly RememberInput[]): Promise<readonly (readonly RememberOutcome[])[]> {
    return this.calls.change(async changed => {
      const outcomes = await remember(this.ctx, inputs, changed);
      if (outcomes.flat().some(it => it.outcome === 'stored' && it.doubts !== undefined)) this.doubts.consider();
      return outcomes;
    });
  }

  /** Called off by `signal` it rejects at once with `aborted`, and leaves no trace. */
  recall(input: RecallInput, signal?: AbortSignal): Promise<Recollection> {
    return unlessCalledOff(
      this.calls.run(() => recall(this.ctx, input, signal)),
      signal,
    );
  }

  /** What is remembered about a task, packed for a model's prompt: a recall of which only the text is wanted. */
  async context(input: RecallInput, signal?: AbortSignal): Promise<PackedContext> {
    const { context, tokens, hits, trace } = await this.recall(input, signal);
    return {
      context,
      tokens,
      ids: hits.map(it => it.memory.id),
      codeChanged: hits.some(it => it.code !== undefined),
      cache: trace.cache,
      trace: trace.id,
    };
  }

  /** Newest first over every store of the scope; active memories unless `statuses` says otherwise. */
  list(input: ListInput = {}): Promise<Memory[]> {
    return this.calls.run(async () => {
      const { scope = 'project-then-global', scopeId = '', limit = 100, offset = 0, ...filter } = input;
      if (!Number.isInteger(limit) || limit < 1 || limit > callLimits.page || !Number.isInteger(offset) || offset < 0) {
        throw new EngineError(
          'invalidInput',
          message`limit must be a whole number from 1 to ${callLimits.page}, offset 0 or more.`,
        );
      }
      const wanted = { ...readFilter(filter), scopeId, statuses: filter.statuses ?? (['active'] as const) };
      const pages = await Promise.all(
        storesOf(this.ctx, scope).map(it => it.list(wanted, { limit: offset + limit, offset: 0 })),
      );
      return pages
        .flat()
        .sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1))
        .slice(offset, offset + limit);
    });
  }

  /** How many memories there are of each gate, class, kind and status, over every store of the scope. */
  groups(scope: Scope = 'project-then-global', scopeId = ''): Promise<GroupCount[]> {
    return this.calls.run(async () =>
      (await Promise.all(storesOf(this.ctx, scope).map(it => it.groups(scopeId)))).flat(),
    );
  }

  /** @throws EngineError notFound | ambiguousId */
  get(reference: string): Promise<Memory> {
    return this.calls.run(async () => (await find(this.ctx, reference)).memory);
  }

  /** Those of the ids that exist, in the order given. */
  getAll(ids: readonly string[]): Promise<Memory[]> {
    return this.calls.run(async () => {
      const found = (await Promise.all(this.ctx.stores.map(it => it.store.get(ids)))).flat();
      const byId = new Map(found.map(it => [it.id, it]));
      return ids.flatMap(it => byId.get(it) ?? []);
    });
  }

  /** Confidence left now under the current profile, 0-100. */
  effectiveConfidence(memory: Memory): Hit['effectiveConfidence'] {
    const { decayProfile: profile } = this.ctx.host.config();
    return effectiveConfidence(memory, { profile, centrality: memory.centrality, now: this.ctx.host.now() });
  }

  /** Locks the confidence and stops the fading. */
  pin(reference: string): Promise<Memory> {
    return this.change(reference, 'pin');
  }

  unpin(reference: string): Promise<Memory> {
    return this.change(reference, 'unpin');
  }

  /** Archives; `restore` undoes it. No recall brings it back. */
  forget(reference: string): Promise<Memory> {
    return this.change(reference, 'forget');
  }

  /** Makes an archived or superseded memory active again; what had replaced the latter contradicts it as before. */
  restore(reference: string): Promise<Memory> {
    return this.change(reference, 'restore');
  }

  /** From the note lane to the confirmed lane; it no longer expires. For a person's decision only. */
  promote(reference: string): Promise<Memory> {
    return this.change(reference, 'promote');
  }

  /** Decay class permanent. For a person's decision only. */
  markCritical(reference: string): Promise<Memory> {
    return this.change(reference, 'markCritical');
  }

  feedback(reference: string, useful: boolean): Promise<Memory> {
    return this.change(reference, useful ? 'useful' : 'notUseful');
  }

  /** Newest first, of every store. */
  traces(limit = 50): Promise<Trace[]> {
    return this.calls.run(async () => {
      await this.ctx.usage.flush();
      const found = (await Promise.all(this.ctx.stores.map(it => it.store.traces(limit)))).flat();
      return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
    });
  }

  export(format: ExportFormat, scope: Scope = 'project-then-global'): AsyncIterable<string> {
    this.calls.checkOpen();
    return exportMemories(this.ctx, format, scope);
  }

  /** One page about how the person works, as Markdown. */
  identity(options: IdentityOptions = {}): Promise<string> {
    return this.calls.run(() => identity(this.ctx, options));
  }

  /** Checks each store's file, search index and audit chain. */
  verify(): Promise<StoreReport[]> {
    return this.calls.run(() => Promise.all(this.ctx.stores.map(it => it.store.verify())));
  }

  /** The language model in use, and what the day's budget still allows. Asks nobody. */
  modelStatus(): Promise<ModelStatus> {
    return this.calls.run(() => this.ctx.models.status());
  }

  /**
   * Sends one small request to the language model of the settings, with no memory in it; it counts like any other.
   * For a person who asked for it, and who may be asked for consent.
   * @throws EngineError modelUnavailable | modelAccessDenied | aborted | invalidInput
   */
  testModel(signal?: AbortSignal): Promise<ModelTest> {
    return this.calls.inBackground(signal, until => this.ctx.models.test(until));
  }

  /**
   * Embeds what has no vector of the model in use, in the background: it makes way for every call, and resolves when
   * nothing is left, or cancelled by `signal` or by closing. For surfaces that stay; a single command is over too soon.
   * @throws EngineError embedderUnavailable, and what writing a store throws
   */
  embedMissing(
    options: { readonly signal?: AbortSignal; readonly onProgress?: (progress: EmbeddingProgress) => void } = {},
  ): Promise<EmbeddingProgress> {
    const { signal, onProgress = () => undefined } = options;
    return this.calls.inBackground(signal, until =>
      embedMissing(this.ctx, { signal: until, onProgress, whenIdle: () => this.calls.whenIdle() }),
    );
  }

  /** Calls back after every change, by this process at once, by others within a quarter of a second. */
  onDidChange(listener: (event: ChangeEvent) => void): { dispose(): void } {
    return this.calls.onDidChange(listener);
  }

  /** Writes what is buffered and closes the files. Calls made before are finished first; later ones are refused. */
  close(): Promise<void> {
    this.closed ??= (async () => {
      this.doubts.close();
      await this.calls.close();
      await this.ctx.usage.flush();
      await Promise.all(this.ctx.stores.map(it => it.store.close()));
      await this.ctx.embedder.close();
      await this.parts.indexes.close();
    })();
    return this.closed;
  }

  private change(reference: string, what: Change): Promise<Memory> {
    return this.calls.change(async changed => {
      const { store, memory } = await change(this.ctx, reference, what);
      changed(store, [memory.id]);
      return memory;
    });
  }
}
