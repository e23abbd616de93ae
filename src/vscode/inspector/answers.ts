import type { MemoryEngine } from '../../engine/engine.js';
import { maintenanceActions, type MaintenanceRun } from '../../engine/model/maintenance.js';
import type { Memory } from '../../engine/model/memory.js';
import type { MemoryCard, RequestMessage, RequestName, Requests } from '../../protocol.js';

/** What only VS Code can do for the webview. */
export interface Desk {
  pick(engine: MemoryEngine): Promise<string | undefined>;
  remember(): Promise<void>;
  recall(): Promise<void>;
  openMemory(id: string): Promise<void>;
  /** Runs maintenance once the person agreed to what the preview found; undefined when they did not. */
  maintain(engine: MemoryEngine, preview: readonly MaintenanceRun[]): Promise<readonly MaintenanceRun[] | undefined>;
  /** A sentence that the engine keeps, in the language of the window. */
  say(sentence: string): string;
  /** The setting that names the embedding model. */
  embeddings(): string;
}

type Answers = {
  readonly [Name in RequestName]: (
    engine: MemoryEngine,
    input: Requests[Name]['input'],
    desk: Desk,
  ) => Promise<Requests[Name]['answer']>;
};

/** Traces per page of a list, whatever the webview asks for. */
const mostTraces = 200;
/** Maintenance runs that are told of. */
const lastRuns = 5;

/** Every request of the protocol, answered by the engine. Knows nothing of VS Code. */
const answers: Answers = {
  traces: (engine, filter) => engine.inspection.traces({ ...filter, limit: Math.min(filter.limit, mostTraces) }),
  trace: async (engine, { id }, desk) => {
    const { memories, trace, parts } = await engine.inspection.trace(id);
    const said = { ...trace, degraded: trace.degraded.map(it => desk.say(it)) };
    return { trace: said, parts, memories: Object.fromEntries(memories.map(it => [it.id, card(engine, it)])) };
  },
  recallAgain: async (engine, { id }) => {
    const { trace } = await engine.inspection.trace(id);
    const { query, scope, scopeId, request } = trace;
    const again = { ...request, query, scope, ...(scopeId === undefined ? {} : { scopeId }) };
    return (await engine.recall({ ...again, mode: 'fresh' })).trace.id;
  },
  feedback: async (engine, { id, useful }) => card(engine, await engine.feedback(id, useful)),
  confidence: async (engine, { id }) => {
    const { memory, ...rest } = await engine.inspection.confidence(id);
    return { ...rest, memory: card(engine, memory) };
  },
  outlook: (engine, { days }) => engine.inspection.outlook(days),
  neighbours: async (engine, { id }, desk) => {
    const found = await engine.graph.neighbours(id);
    const memory = card(engine, await engine.get(id));
    const said = found.map(it => ({ ...it.edge, reason: desk.say(it.edge.reason) }));
    return { memory, neighbours: found.map((it, i) => ({ edge: said[i]!, memory: card(engine, it.memory) })) };
  },
  health: async (engine, _input, desk) => ({
    metrics: await engine.maintenance.metrics(),
    embeddings: desk.embeddings(),
    runs: await Promise.all(
      (await engine.maintenance.runs(lastRuns)).map(async run => ({
        run,
        undoable: await engine.maintenance.undoable(run.id),
      })),
    ),
  }),
  preview: async engine => {
    const runs = await engine.maintenance.preview();
    const ids = runs.flatMap(run => maintenanceActions.flatMap(it => run.decisions[it].map(({ id }) => id)));
    const memories = await engine.getAll(ids);
    return { runs, memories: Object.fromEntries(memories.map(it => [it.id, card(engine, it)])) };
  },
  maintain: async (engine, _input, desk) => desk.maintain(engine, await engine.maintenance.preview()),
  undoMaintenance: async (engine, { run }) => (await engine.maintenance.undo(run)).length,
  pin: async (engine, { id }) => card(engine, await engine.pin(id)),
  verify: async (engine, _input, desk) =>
    (await engine.verify()).map(it => ({ ...it, problems: it.problems.map(problem => desk.say(problem)) })),
  pick: (engine, _input, desk) => desk.pick(engine),
  remembers: async engine => (await engine.groups()).some(it => it.status === 'active'),
  remember: async (_engine, _input, desk) => {
    await desk.remember();
    return undefined;
  },
  recall: async (_engine, _input, desk) => {
    await desk.recall();
    return undefined;
  },
  openMemory: async (_engine, { id }, desk) => {
    await desk.openMemory(id);
    return undefined;
  },
};

/** @throws what the engine throws */
export function answer(engine: MemoryEngine, { name, input }: RequestMessage, desk: Desk): Promise<unknown> {
  // The message's name and input belong together; an index by a union of names cannot say so.
  return (answers[name] as (engine: MemoryEngine, input: unknown, desk: Desk) => Promise<unknown>)(engine, input, desk);
}

function card(engine: MemoryEngine, memory: Memory): MemoryCard {
  return { ...memory, effectiveConfidence: engine.effectiveConfidence(memory) };
}
