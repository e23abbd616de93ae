import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { BriefedProgram } from '../../engine/model/briefing.js';
import type { HookMoment } from '../../engine/model/guards.js';
import type { ConflictResolution, ResolutionResult } from '../../engine/model/conflict.js';
import { maintenanceActions, type MaintenanceRun } from '../../engine/model/maintenance.js';
import type { Memory } from '../../engine/model/memory.js';
import type { UndoableChange } from '../undo/undoHistory.js';
import { standingStep } from '../undo/undoSteps.js';
import {
  maxNeeds,
  type AssistantView,
  type BriefingView,
  type MemoryCard,
  type NeedsView,
  type NeighborsView,
  type RequestMessage,
  type RequestName,
  type Requests,
} from '../../protocol.js';

/** Memories of one place. */
export interface TransferSource {
  readonly from: string;
  readonly ids: readonly string[];
}

/** What the handlers need of VS Code. */
export interface InspectorServices {
  pickMemory(engine: MemoryEngine, text?: string): Promise<string | undefined>;
  promptToRemember(): Promise<void>;
  promptToRecall(): Promise<void>;
  promptForAids(id: string): Promise<void>;
  openCode(memory: Memory): Promise<void>;
  /** Runs maintenance after confirmation; undefined when the user declined. */
  confirmAndRunMaintenance(engine: MemoryEngine): Promise<readonly MaintenanceRun[] | undefined>;
  /** Localizes a sentence of the engine. */
  translate(text: string): string;
  /** The value of the setting `recollect.embeddings`, or the name of the ONNX model. */
  embeddingsSetting(): string;
  copyText(text: string): Promise<void>;
  /** Puts figures and settings for a bug report on the clipboard. */
  copyDiagnostics(engine: MemoryEngine): Promise<void>;
  /** `rights`: "Rights of Assistants…"; `merge`: "Merge Memories…". */
  runCommand(name: Requests['runCommand']['input']['name']): Promise<void>;
  /** Runs the command "Share with Team…", which shows what would be written and asks. */
  share(id: string): Promise<void>;
  /** Asks where memories should go, and moves or copies them there; false when declined or refused. */
  transfer(engine: MemoryEngine, sources: readonly TransferSource[]): Promise<boolean>;
  /** What a session of a program, or of the first one on this machine, would be given in the first open folder. */
  briefing(program: BriefedProgram | undefined): Promise<BriefingView>;
  /** Keeps a change for "Undo Last Change". */
  noteChange(engine: MemoryEngine, change: UndoableChange): Promise<void>;
  /** A change was made that cannot be undone. */
  noteFinalChange(engine: MemoryEngine): Promise<void>;
  /** A change was taken back on the page that made it. */
  noteTakenBack(engine: MemoryEngine, change: Pick<UndoableChange, 'name' | 'ids'>): Promise<void>;
  setMoment(engine: MemoryEngine, moment: HookMoment, on: boolean): Promise<void>;
  listAssistants(): Promise<readonly AssistantView[]>;
  /** Connects or disconnects an assistant, after the user has confirmed the diff; false when declined. */
  setConnected(id: string, connected: boolean): Promise<boolean>;
}

type RequestHandlers = {
  readonly [Name in RequestName]: (
    engine: MemoryEngine,
    input: Requests[Name]['input'],
    services: InspectorServices,
  ) => Promise<Requests[Name]['result']>;
};

const maxTraces = 200;
const maxMaintenanceRuns = 5;

/** One handler per request of the protocol. This file must not import `vscode`. */
const requestHandlers: RequestHandlers = {
  traces: (engine, filter) => engine.explainer.listTraces({ ...filter, limit: Math.min(filter.limit, maxTraces) }),
  trace: async (engine, { id }, services) => {
    const { memories, trace, parts } = await engine.explainer.explainTrace(id);
    const localized = {
      ...trace,
      degraded: trace.degraded.map(it => services.translate(it)),
      ...(trace.remarks === undefined ? {} : { remarks: trace.remarks.map(it => services.translate(it)) }),
    };
    return {
      trace: localized,
      parts,
      memories: Object.fromEntries(memories.map(it => [it.id, toMemoryCard(engine, it)])),
    };
  },
  recallAgain: async (engine, { id }) => {
    const { trace } = await engine.explainer.explainTrace(id);
    const { query, scope, scopeId, request } = trace;
    const again = { ...request, query, scope, ...(scopeId === undefined ? {} : { scopeId }) };
    return (await engine.recall({ ...again, mode: 'fresh' })).trace.id;
  },
  feedback: async (engine, { id, useful }) => toMemoryCard(engine, await engine.feedback(id, useful)),
  memory: async (engine, { id }, services) => {
    const { memory, ...curve } = await engine.explainer.confidenceCurve(id);
    const [aids, neighbors, replacements, place] = await Promise.all([
      engine.aids([memory.id]),
      neighborsOf(engine, memory.id, services),
      engine.conflicts.replacements([memory]),
      engine.hub.placeOf(memory.id),
    ]);
    const replacement = replacements.get(memory.id);
    const [by] = replacement === undefined ? [] : await engine.getMany([replacement.id]);
    return {
      ...curve,
      memory: toMemoryCard(engine, memory),
      ...(place === undefined ? {} : { place }),
      aids: aids.get(memory.id) ?? { questions: [], keywords: [] },
      neighbors,
      ...(replacement === undefined || by === undefined
        ? {}
        : { replacement: { ...replacement, memory: toMemoryCard(engine, by) } }),
    };
  },
  forecast: (engine, { days }) => engine.explainer.forecastActiveCount(days),
  neighbors: async (engine, { id }, services) => {
    try {
      const memory = toMemoryCard(engine, await engine.get(id));
      return { memory, neighbors: await neighborsOf(engine, id, services) };
    } catch (error) {
      if (EngineError.is(error, 'notFound')) return undefined;
      throw error;
    }
  },
  edgesBetween: async (engine, { ids }, services) =>
    (await engine.graph.edgesBetween(ids)).map(it => ({ ...it, reason: services.translate(it.reason) })),
  health: async (engine, _input, services) => ({
    metrics: await engine.maintenance.metrics(),
    embeddingsSetting: services.embeddingsSetting(),
    runs: await Promise.all(
      (await engine.maintenance.runs(maxMaintenanceRuns)).map(async run => ({
        run,
        undoableCount: await engine.maintenance.countUndoable(run.id),
      })),
    ),
  }),
  previewMaintenance: async engine => {
    const runs = await engine.maintenance.preview();
    const ids = runs.flatMap(run =>
      [...maintenanceActions.flatMap(it => run.decisions[it]), ...(run.takenBack?.items ?? [])].map(({ id }) => id),
    );
    const memories = await engine.getMany(ids);
    return { runs, memories: Object.fromEntries(memories.map(it => [it.id, toMemoryCard(engine, it)])) };
  },
  runMaintenance: async (engine, _input, services) => services.confirmAndRunMaintenance(engine),
  undoMaintenance: async (engine, { run }) => (await engine.maintenance.undo(run)).length,
  forget: (engine, { id }, services) =>
    changeMemory(engine, services, { id, name: 'forgot', do: 'forget', undo: 'restore' }),
  restore: (engine, { id }, services) =>
    changeMemory(engine, services, { id, name: 'restored', do: 'restore', undo: 'forget' }),
  confirm: async (engine, { id }, services) => {
    const before = await engine.get(id);
    const memory = await engine.promote(id);
    if (before.lane === 'note')
      await services.noteChange(engine, { name: 'confirmed', ids: [memory.id], steps: [standingStep(before)] });
    return toMemoryCard(engine, memory);
  },
  settle: async (engine, { a, b, resolution }, services) => {
    const result = await engine.conflicts.resolve(a, b, resolution);
    settlementsOf(engine).set(`${a} ${b}`, result);
    const ids = keptOf(a, b, resolution);
    await services.noteChange(engine, { name: 'settled', ids, steps: [{ do: 'reopen', result }] });
    return undefined;
  },
  unsettle: async (engine, { a, b }, services) => {
    const settlement = settlementsOf(engine).get(`${a} ${b}`);
    settlementsOf(engine).delete(`${a} ${b}`);
    if (settlement === undefined) return undefined;
    await engine.conflicts.undo(settlement);
    await services.noteTakenBack(engine, { name: 'settled', ids: keptOf(a, b, settlement.resolution) });
    return undefined;
  },
  needs: (engine, _input, services) => readNeeds(engine, services),
  decidePlan: async (engine, { id, decision }, services) => {
    const plan = await (decision === 'done' ? engine.planReview.complete(id) : engine.planReview.drop(id));
    const name = decision === 'done' ? 'done' : 'dropped';
    await services.noteChange(engine, { name, ids: [plan.id], steps: [{ do: 'restore', ids: [plan.id] }] });
    return toMemoryCard(engine, plan);
  },
  extendPlan: async (engine, { id, day }, services) => {
    const plan = await engine.planReview.extend(id, day);
    await services.noteFinalChange(engine);
    return toMemoryCard(engine, plan);
  },
  decideRequest: async (engine, { id, accept }, services) => {
    const isShare = async (): Promise<boolean> =>
      (await engine.actionRequests.list()).some(it => it.memory.id === id && it.action === 'share');
    if (accept && (await isShare())) {
      await services.share(id);
      return !(await isShare());
    }
    await (accept ? engine.actionRequests.accept(id) : engine.actionRequests.dismiss(id));
    await services.noteFinalChange(engine);
    return true;
  },
  copyText: async (_engine, { text }, services) => {
    await services.copyText(text);
    return undefined;
  },
  copyDiagnostics: async (engine, _input, services) => {
    await services.copyDiagnostics(engine);
    return undefined;
  },
  runCommand: async (_engine, { name }, services) => {
    await services.runCommand(name);
    return undefined;
  },
  pin: (engine, { id }, services) => changeMemory(engine, services, { id, name: 'pinned', do: 'pin', undo: 'unpin' }),
  unpin: (engine, { id }, services) =>
    changeMemory(engine, services, { id, name: 'unpinned', do: 'unpin', undo: 'pin' }),
  editText: async (engine, { id, edit }, services) => {
    const edited = await engine.editText(id, edit);
    const ids = [edited.id];
    // A text that is as it was has nothing to undo.
    if (edited.content !== edit.before)
      await services.noteChange(engine, { name: 'edited', ids, steps: [{ do: 'undoEdit', ids }] });
    return toMemoryCard(engine, edited);
  },
  undoEdit: async (engine, { id }, services) => {
    const memory = await engine.textEdits.undo(id);
    await services.noteTakenBack(engine, { name: 'edited', ids: [memory.id] });
    return toMemoryCard(engine, memory);
  },
  editAids: async (_engine, { id }, services) => {
    await services.promptForAids(id);
    return undefined;
  },
  openCode: async (engine, { id }, services) => {
    await services.openCode(await engine.get(id));
    return undefined;
  },
  verify: async (engine, _input, services) =>
    (await engine.verify()).map(it => ({ ...it, problems: it.problems.map(problem => services.translate(problem)) })),
  pickMemory: (engine, { text }, services) => services.pickMemory(engine, text),
  hasMemories: async engine => (await engine.groups()).some(it => it.status === 'active'),
  remember: async (_engine, _input, services) => {
    await services.promptToRemember();
    return undefined;
  },
  recall: async (_engine, _input, services) => {
    await services.promptToRecall();
    return undefined;
  },
  places: engine => engine.hub.places(),
  memories: async (engine, { place, ...input }) => {
    const { memories, total } = await engine.hub.memories(place, { ...input, limit: input.limit + 1 });
    const shown = memories.slice(0, input.limit).map(it => toMemoryCard(engine, it));
    return { memories: shown, hasMore: memories.length > shown.length, ...(total === undefined ? {} : { total }) };
  },
  transfer: async (engine, { place, ids }, services) => {
    const byPlace = new Map<string, string[]>();
    for (const id of ids) {
      const from = place ?? (await engine.hub.placeOf(id))?.id;
      if (from !== undefined) byPlace.set(from, [...(byPlace.get(from) ?? []), id]);
    }
    const sources = Array.from(byPlace, ([from, its]) => ({ from, ids: its }));
    return sources.length === 0 ? false : services.transfer(engine, sources);
  },
  intakes: engine => engine.intakes.list(),
  review: async (engine, { id, limit }) => {
    const { items, ...rest } = await engine.intakes.review(id, { limit });
    return {
      ...rest,
      items: items.map(it => (it.memory === undefined ? it : { ...it, memory: toMemoryCard(engine, it.memory) })),
    };
  },
  decideIntake: async (engine, { id, choices }, services) => {
    const { refused, ...decision } = await engine.intakes.decide(id, choices);
    const ids = Object.keys(choices).filter(it => refused.every(other => other.id !== it));
    const steps = [{ do: 'undoReview', intake: id, at: decision.at }] as const;
    if (ids.length > 0) await services.noteChange(engine, { name: 'reviewed', ids, steps });
    return { ...decision, refused: refused.map(it => ({ ...it, reason: services.translate(it.reason) })) };
  },
  undoIntake: async (engine, { id }, services) => {
    const { undone, kept } = await engine.intakes.undo(id);
    return { undone, kept: kept.map(it => ({ ...it, reason: services.translate(it.reason) })) };
  },
  briefing: (_engine, { program }, services) => services.briefing(program),
  setMoment: async (engine, { moment, on }, services) => {
    await services.setMoment(engine, moment, on);
    return undefined;
  },
  assistants: (_engine, _input, services) => services.listAssistants(),
  setConnected: (_engine, { id, connected }, services) => services.setConnected(id, connected),
};

/** @throws what the engine throws */
export function handleInspectorRequest(
  engine: MemoryEngine,
  { name, input }: RequestMessage,
  services: InspectorServices,
): Promise<unknown> {
  // TypeScript cannot relate the name and the input of a union of messages.
  return (
    requestHandlers[name] as (engine: MemoryEngine, input: unknown, services: InspectorServices) => Promise<unknown>
  )(engine, input, services);
}

type StateChange = 'forget' | 'restore' | 'pin' | 'unpin';

/** Changes the state of a memory, and keeps how it is undone. */
async function changeMemory(
  engine: MemoryEngine,
  services: InspectorServices,
  change: {
    readonly id: string;
    readonly name: UndoableChange['name'];
    readonly do: StateChange;
    readonly undo: StateChange;
  },
): Promise<MemoryCard> {
  const memory = await engine[change.do](change.id);
  const ids = [memory.id];
  await services.noteChange(engine, { name: change.name, ids, steps: [{ do: change.undo, ids }] });
  return toMemoryCard(engine, memory);
}

/** Strongest edge first. */
async function neighborsOf(
  engine: MemoryEngine,
  id: string,
  services: InspectorServices,
): Promise<NeighborsView['neighbors']> {
  return (await engine.graph.neighbors(id)).map(({ edge, memory }) => ({
    edge: { ...edge, reason: services.translate(edge.reason) },
    memory: toMemoryCard(engine, memory),
  }));
}

async function readNeeds(engine: MemoryEngine, services: InspectorServices): Promise<NeedsView> {
  const [conflicts, plans, requests] = await Promise.all([
    engine.conflicts.list({ limit: maxNeeds, undecidedOnly: true }),
    engine.planReview.list(),
    engine.actionRequests.list(),
  ]);
  const replacements = await engine.getMany(requests.flatMap(it => it.replacedBy ?? []));
  const replacementOf = (id: string | undefined): { readonly replacement?: MemoryCard } => {
    const memory = replacements.find(it => it.id === id);
    return memory === undefined ? {} : { replacement: toMemoryCard(engine, memory) };
  };
  return {
    conflicts: conflicts.map(({ newer, older, reason, since, mark }) => ({
      newer: toMemoryCard(engine, newer.memory),
      older: toMemoryCard(engine, older.memory),
      reason: services.translate(reason),
      since,
      isStated: mark !== undefined,
    })),
    plans: plans.map(({ memory, why, since }) => ({ memory: toMemoryCard(engine, memory), why, since })),
    requests: requests.map(({ action, client, author, at, memory, replacedBy }) => ({
      ...{ action, client, at },
      ...(author === undefined ? {} : { author }),
      memory: toMemoryCard(engine, memory),
      ...replacementOf(replacedBy),
    })),
  };
}

/** Conflicts settled in this window, by the ids of the two, for its undo. */
const settlements = new WeakMap<MemoryEngine, Map<string, ResolutionResult>>();

/** The ids of those that hold after it. */
function keptOf(a: string, b: string, resolution: ConflictResolution): readonly string[] {
  switch (resolution) {
    case 'keepA':
      return [a];
    case 'keepB':
      return [b];
    case 'keepBoth':
      return [a, b];
  }
}

function settlementsOf(engine: MemoryEngine): Map<string, ResolutionResult> {
  const known = settlements.get(engine) ?? new Map<string, ResolutionResult>();
  settlements.set(engine, known);
  return known;
}

function toMemoryCard(engine: MemoryEngine, memory: Memory): MemoryCard {
  const keptUntil = engine.explainer.keptUntil(memory);
  const effectiveConfidence = engine.effectiveConfidence(memory);
  return { ...memory, effectiveConfidence, ...(keptUntil === undefined ? {} : { keptUntil }) };
}
