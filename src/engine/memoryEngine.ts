import { raceAbort } from './base/cancellation.js';
import type { LocalizableMessage } from './base/localizableMessage.js';
import { clockNotices } from './store/agingClock.js';
import { CallTracker } from './store/callTracker.js';
import { Capture } from './capture/capture.js';
import { AnchorTracker } from './codeIndex/anchorTracker.js';
import { CodeIndex } from './codeIndex/codeIndex.js';
import { nameOfProject, type Context, type OpenStore } from './context.js';
import { applyAction, giveFeedback, setPriority, resolveReference } from './lifecycle/memoryActions.js';
import type { LocatedMemory, MemoryAction } from './lifecycle/memoryActions.js';
import { MemoryGraph } from './lifecycle/memoryGraph.js';
import { Guards } from './lifecycle/guards.js';
import { Deletion } from './lifecycle/deletion.js';
import { Moves } from './lifecycle/moves.js';
import { Sets } from './lifecycle/sets.js';
import { ProjectHub } from './projects/projectHub.js';
import { IntakeReviews } from './intakeReview/intakeReviews.js';
import { Projects } from './projects/projects.js';
import { ActionRequests } from './lifecycle/actionRequests.js';
import { PlanReview } from './lifecycle/planReview.js';
import { Conflicts } from './lifecycle/conflicts.js';
import { saveGivenVectors } from './lifecycle/givenVectors.js';
import { InstrumentedEmbedder } from './embeddings/instrumentedEmbedder.js';
import { EndpointConsents } from './embeddings/endpointConsents.js';
import { EndpointEmbedder } from './embeddings/endpointEmbedder.js';
import { Checkpoints } from './lifecycle/checkpoints.js';
import { ActivityLog } from './explain/activityLog.js';
import { AnswerComparison } from './explain/answerComparison.js';
import { Explainer } from './explain/explainer.js';
import { LanguageModels } from './llm/languageModels.js';
import { Consolidation } from './consolidation/consolidation.js';
import { MissingAids } from './maintenance/missingAids.js';
import { confirmDamage } from './maintenance/alerts.js';
import { EmbeddingBacklog, type EmbeddingBacklogOptions } from './maintenance/embeddingBacklog.js';
import { GuardFiles } from './guards/guardFiles.js';
import { Goals } from './maintenance/goals.js';
import { Maintenance } from './maintenance/maintenance.js';
import type { ChangeEvent } from './model/changeEvent.js';
import { readAuditAnchor, verifyStores } from './lifecycle/verification.js';
import type { AuditAnchor, EmbeddingProgress, StoreReport } from './model/storeReport.js';
import type { RememberOutcome } from './model/rememberOutcome.js';
import type { EngineHost } from './model/host.js';
import type { Memory, Rating, SearchAids } from './model/memory.js';
import type { GivenVectors, GivenVectorOutcome } from './model/givenVectors.js';
import type { ModelStatus, ModelTest } from './model/modelStatus.js';
import type { ContextResult, GroupCount, GroupsInput, ListInput, RecallInput, RecallResult } from './model/query.js';
import type { RememberInput, ReviseInput, TextEdit } from './model/rememberInput.js';
import type { SensitiveMemory } from './model/sensitive.js';
import type { Trace } from './model/trace.js';
import { Exchange } from './exchange/exchange.js';
import { renderIdentityPage, type IdentityOptions } from './publish/identityPage.js';
import { Publishing } from './publish/publishing.js';
import { AnswerCache } from './recall/answerCache.js';
import { countListed, listPage, readAids, readGroups, readMemories } from './recall/listPage.js';
import { recall } from './recall/recall.js';
import { UsageBuffer } from './recall/usageBuffer.js';
import { revise } from './lifecycle/revise.js';
import { TextEdits } from './lifecycle/textEdits.js';
import type { EdgeMark } from './model/edge.js';
import { followChanges } from './briefing/briefingExcerpts.js';
import { rememberOrWait } from './remember/remember.js';
import { effectiveConfidence } from './scoring/decay.js';
import type { Store } from './store/store.js';
import { SensitiveMemories } from './sensitive/sensitiveMemories.js';
import { Sync } from './sync/sync.js';
import { Team } from './team/team.js';
import { closeParts, upkeepParts, type EngineParts } from './openParts.js';
import { createEndpointRecords, createUsageLedger } from './openStores.js';

/** Everything a surface may ask of the memory. Each method is one verb; the work is in the verbs' folders. */
export class MemoryEngine {
  /** Copies of whole stores. */
  readonly checkpoints: Checkpoints;
  /** Fading, quotas and metrics. */
  readonly maintenance: Maintenance;
  /** Goals. */
  readonly goals: Goals;
  /** Deleting for good. */
  readonly deletion: Deletion;
  /** Texts that a person keeps encrypted. */
  readonly sensitive: SensitiveMemories;
  /** Why an answer was what it was, and what becomes of a memory. */
  readonly explainer: Explainer;
  /** Log of reads and changes by client. */
  readonly activity: ActivityLog;
  /** Answers with and without memory, and how a person judged them. */
  readonly answerComparison: AnswerComparison;
  /** Memories that contradict each other, and a person's word on which one holds. */
  readonly conflicts: Conflicts;
  /** Plans that want a person's decision. */
  readonly planReview: PlanReview;
  /** Memories that belong in another store. */
  readonly moves: Moves;
  /** Isolated sets of memories. */
  readonly sets: Sets;
  /** Which project each folder belongs to. */
  readonly projects: Projects;
  /** The memories of every project on this machine. */
  readonly hub: ProjectHub;
  /** Requests of assistants that only the person may decide. */
  readonly actionRequests: ActionRequests;
  /** How memories hang together. */
  readonly graph: MemoryGraph;
  /** Memories that say nearly the same. */
  readonly consolidation: Consolidation;
  /** Questions and keywords that memories lack, from the language model. */
  readonly missingAids: MissingAids;
  /** Memories in the files where assistants look. */
  readonly publishing: Publishing;
  /** Import and export. */
  readonly exchange: Exchange;
  /** The review of what imports and captures brought in. */
  readonly intakes: IntakeReviews;
  /** Sync with a folder of Markdown files. */
  readonly sync: Sync;
  /** Memories that a team shares. */
  readonly team: Team;
  /** Memories from sessions with an assistant. */
  readonly capture: Capture;
  /** Memories before whose commands and files a person is asked. */
  readonly guards: Guards;
  readonly textEdits: TextEdits;
  /** Code as memories. */
  readonly codeIndex: CodeIndex;
  /** The places in code that memories are about. */
  readonly codeAnchors: AnchorTracker;
  /** The server that embeds texts; undefined unless the settings say so. */
  readonly embeddingEndpoint?: EndpointEmbedder;
  /** The servers that texts may be sent to, in use or not. */
  readonly endpointConsents: EndpointConsents;
  private readonly embeddingBacklog: EmbeddingBacklog;
  private readonly ctx: Context;
  private readonly calls: CallTracker;
  private closing: Promise<void> | undefined;

  constructor(
    host: EngineHost,
    private readonly openStores: readonly OpenStore[],
    private readonly parts: Omit<EngineParts, 'host' | 'stores'>,
  ) {
    const stores = openStores.filter(it => host.onlyStore === undefined || it.store.kind === host.onlyStore);
    const watched = stores.map(it => it.store);
    this.calls = new CallTracker(watched, host.log, followChanges(host, stores, new GuardFiles(host, stores)));
    const models = new LanguageModels(host, createUsageLedger(openStores, host), model => {
      this.calls.notify({ store: 'global', ids: [], model });
    });
    this.ctx = {
      host,
      aging: parts.aging,
      stores,
      globalStore: openStores.find(it => it.store.kind === 'global')!.store,
      projects: parts.projects,
      movedStores: parts.movedStores,
      usage: new UsageBuffer(host, this.calls.notifyChanged.bind(this.calls)),
      embedder: new InstrumentedEmbedder(parts.embedder),
      crossEncoder: parts.crossEncoder,
      cache: new AnswerCache(),
      models,
    };
    this.embeddingBacklog = new EmbeddingBacklog(this.ctx, this.calls);
    if (parts.embedder instanceof EndpointEmbedder) this.embeddingEndpoint = this.follow(parts.embedder);
    this.endpointConsents = new EndpointConsents(createEndpointRecords(openStores, host));
    this.checkpoints = new Checkpoints(this.ctx, this.calls);
    this.deletion = new Deletion(this.ctx, this.calls);
    this.sensitive = new SensitiveMemories(this.ctx, this.calls);
    const resolve = resolveReference.bind(undefined, this.ctx);
    this.explainer = new Explainer(this.ctx, this.calls, resolve);
    this.activity = new ActivityLog(this.ctx, this.calls);
    this.answerComparison = new AnswerComparison(this.ctx, this.calls);
    this.conflicts = new Conflicts(this.ctx, this.calls);
    this.planReview = new PlanReview(this.ctx, this.calls);
    this.moves = new Moves(this.ctx, this.calls);
    this.sets = new Sets(this.ctx, this.calls);
    this.projects = new Projects(this.ctx, this.calls);
    this.hub = new ProjectHub(this.ctx, this.calls, { moves: this.moves, openStore: parts.openProject });
    this.actionRequests = new ActionRequests(this.ctx, this.calls);
    this.graph = new MemoryGraph(this.ctx, this.calls);
    this.consolidation = new Consolidation(this.ctx, this.calls);
    this.missingAids = new MissingAids(this.ctx, this.calls);
    this.maintenance = new Maintenance(this.ctx, this.calls, upkeepParts);
    this.publishing = new Publishing(this.ctx, this.calls);
    this.exchange = new Exchange(this.ctx, this.calls);
    this.intakes = new IntakeReviews(this.ctx, this.calls, this.moves);
    this.sync = new Sync(this.ctx, this.calls);
    this.team = new Team(this.ctx, this.calls, resolve);
    this.capture = new Capture(this.ctx, this.calls);
    this.codeIndex = new CodeIndex(this.ctx, this.calls);
    this.codeAnchors = new AnchorTracker(this.ctx, this.calls, { resolveReference: resolve });
    this.goals = new Goals(this.ctx, this.calls);
    this.guards = new Guards(this.ctx, this.calls);
    this.textEdits = new TextEdits(this.ctx, this.calls);
  }

  private follow(embedder: EndpointEmbedder): EndpointEmbedder {
    embedder.onDidChange = () => {
      this.embeddingBacklog.scheduleAfterFailure();
      this.calls.notify({ store: 'global', ids: [], isEndpointUse: true });
    };
    return embedder;
  }

  /** Sentences for a person: damage of a store, a model that cannot be used. */
  get notices(): readonly LocalizableMessage[] {
    const notice = this.embeddingEndpoint?.consentNotice;
    const opening = [...this.team.store.notices, ...this.parts.notices];
    return [...opening, ...this.damageNotices, ...this.clockNotices, notice].filter(it => it !== undefined);
  }

  /** Notice about a long time without use; returned until `maintenance.confirmClock`, or for a week. */
  get clockNotices(): readonly LocalizableMessage[] {
    return clockNotices(this.ctx.aging);
  }

  /** Notices of damaged stores; returned at each opening until `confirmDamage`. */
  get damageNotices(): readonly LocalizableMessage[] {
    return this.ctx.stores.flatMap(it => it.store.notices);
  }

  /** A person has seen the damage notices, and with `alsoOlderCopies` the reports of `verify`. */
  confirmDamage(options?: { readonly alsoOlderCopies?: boolean }): Promise<void> {
    return this.calls.run(() => confirmDamage(this.ctx, options));
  }

  /** Names of the projects of the open folders; what is written goes to the first. */
  get projectNames(): readonly string[] {
    return this.ctx.projects.map(it => nameOfProject(it));
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
    return this.calls.change(async onWritten => {
      const outcomes = await rememberOrWait(this.ctx, inputs, onWritten);
      if (inputs.some(it => it.aids === undefined)) this.missingAids.scheduleAfterChange();
      return outcomes;
    });
  }

  /** A judgement on a stored memory: what replaces it, that it still holds, where it applies, or words to find it by. */
  async revise(input: ReviseInput, by: EdgeMark['by']): Promise<Memory> {
    const revised = await this.changeOne(() => revise(this.ctx, input, by));
    return input.appliesTo === undefined ? revised : this.moves.place(revised, input.appliesTo);
  }

  /** Search aids by memory id, of those that have any. */
  aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
    return this.calls.run(() => readAids(this.ctx, ids));
  }

  /** Aborted by `signal`, it rejects at once with `aborted`, and leaves no trace. */
  recall(input: RecallInput, signal?: AbortSignal): Promise<RecallResult> {
    const answer = this.calls.run(() => recall(this.ctx, input, signal));
    return raceAbort(answer, signal);
  }

  /** Memories about a task, packed for a model's prompt: a recall of which only the text is wanted. */
  async context(input: RecallInput, signal?: AbortSignal): Promise<ContextResult> {
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
    return this.calls.run(() => listPage(this.ctx, input));
  }

  /** How many memories `list` would return in all, whatever its page. */
  count(input: ListInput = {}): Promise<number> {
    return this.calls.run(() => countListed(this.ctx, input));
  }

  /** How many memories there are of each gate, class, kind and status, over every store of the scope. */
  groups(input: GroupsInput = {}): Promise<GroupCount[]> {
    return this.calls.run(() => readGroups(this.ctx, input));
  }

  /** @throws EngineError notFound | ambiguousId */
  get(reference: string): Promise<Memory> {
    return this.calls.run(async () => (await resolveReference(this.ctx, reference)).memory);
  }

  /** Memories of the ids that exist, in the order given. */
  getMany(ids: readonly string[]): Promise<Memory[]> {
    return this.calls.run(() => readMemories(this.ctx, ids));
  }

  /** Confidence left now under the current rules, 0-100. */
  effectiveConfidence(memory: Memory): number {
    const { decay: rules } = this.ctx.host.config();
    return effectiveConfidence(memory, { rules, centrality: memory.centrality, now: this.ctx.aging.now() });
  }

  /** Locks the confidence and stops the fading. */
  pin(reference: string): Promise<Memory> {
    return this.applyAction(reference, 'pin');
  }

  unpin(reference: string): Promise<Memory> {
    return this.guards.unset(reference).then(() => this.applyAction(reference, 'unpin'));
  }

  /** Archives; `restore` undoes it. No recall brings it back. */
  forget(reference: string): Promise<Memory> {
    return this.applyAction(reference, 'forget');
  }

  /** Makes an archived or superseded memory active again; what had replaced the latter contradicts it as before. */
  restore(reference: string): Promise<Memory> {
    return this.applyAction(reference, 'restore');
  }

  /** From the note lane to the confirmed lane; it no longer expires. For a person's decision only. */
  promote(reference: string): Promise<Memory> {
    return this.applyAction(reference, 'promote');
  }

  /** Decay class permanent. For a person's decision only. */
  markCritical(reference: string): Promise<Memory> {
    return this.applyAction(reference, 'markCritical');
  }

  /** How much a memory counts when memories are ranked: 1-10, 5 for most. */
  setPriority(reference: string, priority: number): Promise<Memory> {
    return this.changeOne(() => setPriority(this.ctx, reference, priority));
  }

  /** Another text of a memory, which is the person's from then on. For a person's decision only. */
  editText(reference: string, edit: TextEdit): Promise<Memory> {
    return this.textEdits.edit(reference, edit);
  }

  /**
   * Keeps the text of a memory encrypted instead, and deletes the memory for good. For a person's explicit consent only.
   * @throws what SensitiveMemories.keep and Deletion.purge throw; an interrupted call leaves both
   */
  async makeSensitive(
    reference: string,
    label?: string,
  ): Promise<SensitiveMemory & { readonly left: readonly string[] }> {
    const { id, content, store } = await this.get(reference);
    const kept = await this.sensitive.keep({ content, label, store });
    return { ...kept, left: (await this.deletion.purge([id])).left };
  }

  feedback(reference: string, verdict: boolean | Rating): Promise<Memory> {
    return this.changeOne(() => giveFeedback(this.ctx, reference, verdict));
  }

  /** Newest first, of every store. */
  traces(limit = 50): Promise<Trace[]> {
    return this.calls.run(async () => {
      await this.ctx.usage.flush();
      const found = (await Promise.all(this.ctx.stores.map(it => it.store.traces(limit)))).flat();
      return found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
    });
  }

  /** One page about how the person works, as Markdown. */
  identity(options: IdentityOptions = {}): Promise<string> {
    return this.calls.run(() => renderIdentityPage(this.ctx, options));
  }

  /** Checks each store's file, texts, search index and audit chain, and that the chain holds the anchor. */
  verify(anchor?: AuditAnchor): Promise<StoreReport[]> {
    return this.calls.run(() => verifyStores(this.ctx, anchor));
  }

  /** Value that a person may keep elsewhere, to show later that no audit log was rewritten. */
  auditAnchor(): Promise<AuditAnchor> {
    return this.calls.run(() => readAuditAnchor(this.ctx));
  }

  /** The language model in use, and what the day's budget still allows. Sends no request. */
  modelStatus(): Promise<ModelStatus> {
    return this.calls.run(() => this.ctx.models.status());
  }

  /**
   * Sends one small request to the language model of the settings, with no memory in it; it counts like any other.
   * For a person who asked for it, and who may be asked for consent.
   * @throws EngineError modelUnavailable | modelAccessDenied | aborted | invalidInput
   */
  testModel(signal?: AbortSignal): Promise<ModelTest> {
    return this.calls.runInBackground(signal, combinedSignal => this.ctx.models.test(combinedSignal));
  }

  /**
   * Embeds what has no vector of the model in use, in the background: it makes way for every call, and resolves when
   * nothing is left, or cancelled by `signal` or by closing. For surfaces that stay; a single command is over too soon.
   * @throws EngineError embedderUnavailable, and what writing a store throws
   */
  embedMissing(options?: EmbeddingBacklogOptions): Promise<EmbeddingProgress> {
    return this.embeddingBacklog.embed(options);
  }

  /**
   * Keeps vectors that another program made with the model in use. One outcome per vector.
   * @throws EngineError invalidInput (another model) | embedderUnavailable (none in use), and what writing a store throws
   */
  saveVectors(given: GivenVectors): Promise<readonly GivenVectorOutcome[]> {
    return this.calls.run(() => saveGivenVectors(this.ctx, given));
  }

  /** Calls back after every change, by this process at once, by others within a quarter of a second. */
  onDidChange(listener: (event: ChangeEvent) => void): { dispose(): void } {
    return this.calls.onDidChange(listener);
  }

  /** Writes what is buffered and closes the files. Calls made before are finished first; later ones are refused. */
  close(): Promise<void> {
    this.closing ??= (async () => {
      this.missingAids.close();
      await this.embeddingBacklog.close();
      await this.calls.close();
      await this.ctx.usage.flush();
      await this.hub.close();
      await closeParts({ ...this.parts, embedder: this.ctx.embedder, stores: this.openStores });
    })();
    return this.closing;
  }

  private applyAction(reference: string, action: MemoryAction): Promise<Memory> {
    return this.changeOne(() => applyAction(this.ctx, reference, action));
  }

  private changeOne(work: () => Promise<LocatedMemory>): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const { store, memory } = await work();
      onWritten(store, [memory.id]);
      return memory;
    });
  }
}
