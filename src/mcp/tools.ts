import { createHash } from 'node:crypto';
import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Log } from '../engine/model/host.js';
import { tools } from '../operations/registry.js';
import {
  addInputNotes,
  callTool,
  modelSchema,
  parseInputWithNotes,
  toolErrorMessage,
  type CallDecision,
  type Caller,
  type Confirmation,
  type Tool,
} from '../operations/tool.js';
import type { RequestContext } from './memoryServer.js';

/** Tools that read or write a project, and by which its folder can be named where the server does not know it. */
export const projectTools: readonly string[] = ['remember', 'recall', 'context', 'list', 'conflicts'];
/** The JSON Schema of what names a project. */
export const projectProperty = {
  type: 'string',
  description: "Full path of the folder of the user's project, once per session.",
};

/** Offers the tools of src/operations to an MCP client. */
export function registerMcpTools(server: McpServer, requestContext: RequestContext): void {
  for (const tool of tools.filter(it => requestContext.options.isOffered(it.name))) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: uncheckedSchema(withProject(modelSchema(tool), takesProject(tool, requestContext))),
        outputSchema: tool.output,
        annotations: {
          title: tool.title,
          readOnlyHint: tool.readOnly,
          destructiveHint: tool.destructive,
          idempotentHint: tool.idempotent,
          openWorldHint: false,
        },
      },
      (input, ctx) => answerCall(tool, input, ctx, requestContext),
    );
  }
}

const takesProject = ({ name }: Tool, { mayNameProject }: RequestContext): boolean =>
  mayNameProject && projectTools.includes(name);

function withProject(schema: Record<string, unknown>, isTaken: boolean): Record<string, unknown> {
  return isTaken ? { ...schema, properties: { ...(schema.properties as object), project: projectProperty } } : schema;
}

/**
 * The project that an input names, and the rest of it.
 * @throws EngineError invalidInput for a project that is no text
 */
export function splitProject(
  tool: Tool,
  rawInput: unknown,
): { readonly project: string | undefined; readonly input: unknown } {
  if (typeof rawInput !== 'object' || rawInput === null || !('project' in rawInput))
    return { project: undefined, input: rawInput };
  const { project, ...input } = rawInput;
  if (typeof project === 'string') return { project: project.trim() === '' ? undefined : project.trim(), input };
  if (project === undefined || project === null) return { project: undefined, input };
  throw new EngineError(
    'invalidInput',
    `The input of ${tool.name} is not valid: project: the full path of one folder is expected, as text. Correct it and call again.`,
  );
}

/** Of an answer where no project is known. */
export const noProjectNote =
  'No project is known here: only what holds for the user everywhere was looked at. Where they work in a project, call again with the full path of its folder in project.';

/** Says what an input must be and leaves the checking to the tool, so that every front door says the same of a bad one. */
function uncheckedSchema(schema: Record<string, unknown>): StandardSchemaWithJSON {
  const json = (): Record<string, unknown> => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'recollect',
      validate: value => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}

async function answerCall(
  tool: Tool,
  rawInput: unknown,
  ctx: ServerContext,
  requestContext: RequestContext,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const named = takesProject(tool, requestContext)
      ? splitProject(tool, rawInput)
      : { project: undefined, input: rawInput };
    const { input, notes } = parseInputWithNotes(tool, named.input);
    const rootsRequest = requestContext.rootsRequest(ctx.mcpReq);
    if (rootsRequest !== undefined) return rootsRequest;
    const progress = createProgressReporter(ctx);
    await progress(String(tool.progress(input)));
    const call = { tool: tool.name, readOnly: tool.readOnly };
    const engine = await requestContext.engine(ctx.mcpReq, call, named.project);
    return await runAdmitted(tool, { input, notes }, { engine, ctx, progress, requestContext });
  } catch (error) {
    return errorResult(describeError(error, tool, requestContext.options.host.log));
  }
}

interface AdmittedCall {
  readonly engine: MemoryEngine;
  readonly ctx: ServerContext;
  readonly progress: (message: string) => Promise<void>;
  readonly requestContext: RequestContext;
}

/** Runs the tool, and asks the person in the client where it wants that. */
async function runAdmitted(
  tool: Tool,
  { input, notes }: { readonly input: unknown; readonly notes: readonly string[] },
  { engine, ctx, progress, requestContext }: AdmittedCall,
): Promise<CallToolResult | InputRequiredResult> {
  const caller: Caller = {
    source: 'mcp',
    session: requestContext.connectionId,
    signal: ctx.mcpReq.signal,
    onProgress: message => void progress(message),
  };
  const ending = await callTool(tool, engine, input, caller, confirmation =>
    decide(confirmation, userAnswerTo(confirmation, ctx, requestContext)),
  );
  if ('answer' in ending) return ending.answer;
  if ('request' in ending) return errorResult(ending.request);
  const isUnplaced = takesProject(tool, requestContext) && tool.readOnly && !engine.projects.isOpen;
  const allNotes = isUnplaced ? [...notes, noProjectNote] : notes;
  const { text, structured, failed, codeChanged } = addInputNotes(tool, ending.result, allNotes);
  if (codeChanged === true) requestContext.updateCodeAnchors(engine);
  return { content: [{ type: 'text', text }], structuredContent: structured, isError: failed === true };
}

function decide(
  confirmation: Confirmation,
  answer: 'ask' | 'yes' | 'no' | 'cannotAsk',
): CallDecision<CallToolResult | InputRequiredResult> {
  switch (answer) {
    case 'yes':
      return 'run';
    case 'ask':
      return { answer: confirmationForm(confirmation) };
    case 'no':
      return {
        answer: errorResult('The user said no. Nothing was done; do not try again unless they ask for it.'),
      };
    case 'cannotAsk':
      return { obstacle: 'this client cannot ask them' };
  }
}

/** Reports to a client that asked for it how far a call has come: each message counts one step more. Never rejects. */
function createProgressReporter({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let step = 0;
  return async message => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    const params = { progressToken, progress: step++, message };
    // A client that cannot be reached is gone, which its connection notices.
    await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/**
 * Answer of a person to exactly this text. A yes is one that was chosen in the form: a client that accepts whatever it
 * is asked chooses nothing. A form that was closed without an answer counts as no.
 */
function userAnswerTo(
  confirmation: Confirmation,
  ctx: ServerContext,
  requestContext: RequestContext,
): 'ask' | 'yes' | 'no' | 'cannotAsk' {
  if (!requestContext.options.askForConfirmation || !requestContext.client.canAsk(ctx.mcpReq)) return 'cannotAsk';
  const response = inputResponse(ctx.mcpReq.inputResponses, confirmationKey(confirmation));
  if (response.kind !== 'elicit') return 'ask';
  const chosen = response.action === 'accept' ? response.content?.answer : undefined;
  return chosen === 'yes' ? 'yes' : 'no';
}

function confirmationForm(confirmation: Confirmation): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      [confirmationKey(confirmation)]: inputRequired.elicit({
        message: `${String(confirmation.title)}\n\n${String(confirmation.message)}`,
        requestedSchema: {
          type: 'object',
          properties: { answer: { type: 'string', title: String(confirmation.title), enum: ['yes', 'no'] } },
          required: ['answer'],
        },
      }),
    },
  });
}

/** An answer belongs to the text that was shown. */
function confirmationKey({ title, message }: Confirmation): string {
  return `confirm-${createHash('sha256')
    .update(`${String(title)}\n${String(message)}`)
    .digest('hex')
    .slice(0, 16)}`;
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** One sentence for the model. Neither it nor the log holds the text of a memory. */
function describeError(error: unknown, tool: Tool, log: Log): string {
  if (EngineError.is(error)) log.info(`${tool.name}: ${error.code}`);
  else log.error(`${tool.name} failed.`, error);
  return toolErrorMessage(error, tool, 'Run the server with --verbose to see why.');
}
