import { admitClient } from '../engine/access/admitClient.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { EngineHost } from '../engine/model/host.js';
import { maintenanceActions } from '../engine/model/maintenance.js';
import { ProjectFolders, type ProjectFolderOptions } from '../mcp/projectFolders.js';
import { comparesMeaning, type EngineSource } from '../mcp/serverEngineHolder.js';
import { noProjectNote, projectTools, splitProject } from '../mcp/tools.js';
import { maintainInput } from '../operations/maintain.js';
import {
  callTool,
  isFields,
  parseInputWithNotes,
  type Confirmation,
  type Fields,
  type ToolResult,
} from '../operations/tool.js';
import type { EnginePool } from './enginePool.js';
import { HttpError } from './httpError.js';
import type { Route } from './routes.js';

/** Parts of the server that every call needs. */
export interface ToolCallContext {
  readonly host: Pick<EngineHost, 'dataDir' | 'now'>;
  readonly projects: ProjectFolderOptions;
  readonly pool: EnginePool;
  /** Whether the owner lets its clients forget notes and run maintenance. */
  readonly ownerDecides?: boolean;
}

export interface ToolCall {
  readonly route: Route;
  /** As the client sent it, and not checked. */
  readonly input: unknown;
  /** As provenance has it: `http`, `http:notes`. */
  readonly client: string;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

export interface ToolAnswer {
  readonly status: 200 | 201;
  readonly body: Fields;
}

/**
 * Calls a tool as an MCP client would who can ask no person: with the same rights, projects, log of reads and answers.
 * @throws HttpError | EngineError
 */
export async function callRoute(ctx: ToolCallContext, call: ToolCall): Promise<ToolAnswer> {
  const { route, client } = call;
  const { tool } = route;
  const renamed = isFields(call.input) ? (route.rename?.(call.input) ?? call.input) : call.input;
  const named = splitProject(tool, renamed);
  const { input, notes } = parseInputWithNotes(tool, named.input);
  const { dataDir, now } = ctx.host;
  const right = { tool: tool.name, readOnly: tool.readOnly };
  const onlyStore = await admitClient({ dataDir, client, now: now() }, right);
  const projects = new ProjectFolders(ctx.projects);
  if (named.project !== undefined) projects.name(named.project, []);
  const request = {
    client,
    folders: projects.of([]),
    onlyStore,
    comparesMeaning: comparesMeaning(tool.name),
  };
  return ctx.pool.use(request, async (engine, source) => {
    const result = await runAdmitted(call, input, { engine, source, ownerDecides: ctx.ownerDecides === true });
    const isUnplaced = projectTools.includes(tool.name) && tool.readOnly && !engine.projects.isOpen;
    const allNotes = isUnplaced ? [...notes, noProjectNote] : notes;
    const body = { ...result.structured, ...(allNotes.length === 0 ? {} : { notes: allNotes }) };
    if (result.failed === true) throw new HttpError(422, 'refused', result.text, { data: body });
    return { status: route.isCreated?.(result.structured) === true ? 201 : 200, body };
  });
}

/** @throws HttpError needsPerson | EngineError */
async function runAdmitted(
  { route: { tool }, signal }: ToolCall,
  input: unknown,
  { engine, source, ownerDecides }: { engine: MemoryEngine; source: EngineSource; ownerDecides: boolean },
): Promise<ToolResult> {
  const ending = await callTool(tool, engine, input, { source: 'http', signal }, async confirmation =>
    ownerDecides && (await touchesNotesAlone(engine, confirmation, input))
      ? 'run'
      : { obstacle: 'a program cannot ask them over HTTP' },
  );
  if ('request' in ending) throw new HttpError(403, 'needsPerson', ending.request);
  if (ending.result.codeChanged === true) source.updateCodeAnchors(engine);
  return ending.result;
}

/** Whether a call that asks for a yes would forget, or take out in its maintenance, nothing that a person confirmed or pinned. */
async function touchesNotesAlone(engine: MemoryEngine, { request }: Confirmation, input: unknown): Promise<boolean> {
  if (request !== undefined && request.action !== 'forget') return false;
  const ids = request === undefined ? await findMaintenanceTargets(engine, input) : [(await engine.get(request.id)).id];
  return ids !== undefined && (await engine.getMany(ids)).every(it => it.lane === 'note' && !it.pinned);
}

/** Memories that maintenance would archive and delete; undefined where it is more than a run lists. */
async function findMaintenanceTargets(engine: MemoryEngine, input: unknown): Promise<readonly string[] | undefined> {
  const { dryRun: _, ...settings } = maintainInput.parse(input);
  const runs = await engine.maintenance.preview(settings);
  if (runs.some(it => maintenanceActions.some(action => it.more[action] > 0))) return undefined;
  return runs.flatMap(it => maintenanceActions.flatMap(action => it.decisions[action].map(({ id }) => id)));
}
