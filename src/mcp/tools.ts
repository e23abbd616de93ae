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
import type { Log } from '../engine/model/host.js';
import { tools } from '../tools/all.js';
import { inputSchema, parseInput, problemOf, type Confirmation, type Tool } from '../tools/tool.js';
import type { Serving } from './memoryServer.js';

/** Offers the tools of src/tools to an MCP client. */
export function addTools(server: McpServer, serving: Serving): void {
  for (const tool of tools.filter(it => !serving.options.without.includes(it.name))) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: unchecked(inputSchema(tool)),
        outputSchema: tool.output,
        annotations: {
          title: tool.title,
          readOnlyHint: tool.readOnly,
          destructiveHint: tool.destructive,
          idempotentHint: tool.idempotent,
          openWorldHint: false,
        },
      },
      (input, ctx) => call(tool, input, ctx, serving),
    );
  }
}

/** Says what an input must be and leaves the checking to the tool, so that every front door says the same of a bad one. */
function unchecked(schema: Record<string, unknown>): StandardSchemaWithJSON {
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

async function call(
  tool: Tool,
  raw: unknown,
  ctx: ServerContext,
  serving: Serving,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const input = parseInput(tool, raw);
    const question = serving.question(ctx.mcpReq);
    if (question !== undefined) return question;
    const progress = progressTo(ctx);
    await progress(tool.progress(input));
    const engine = await serving.engine(ctx.mcpReq);
    const confirmation = await tool.confirm?.(engine, input);
    const answer = confirmation === undefined ? 'unasked' : answerOf(confirmation, ctx, serving);
    if (answer === 'ask') return form(confirmation!);
    if (answer === 'no') return failure('The user said no. Nothing was done; do not try again unless they ask for it.');
    // What nobody waits for any more must not change anything.
    ctx.mcpReq.signal.throwIfAborted();
    const { text, structured, failed, codeChanged } = await tool.run(engine, input, {
      source: 'mcp',
      confirmedByPerson: answer === 'yes',
      session: serving.session,
      signal: ctx.mcpReq.signal,
      onProgress: message => void progress(message),
    });
    if (codeChanged === true) serving.followCode(engine);
    return { content: [{ type: 'text', text }], structuredContent: structured, isError: failed === true };
  } catch (error) {
    return failure(reason(error, tool, serving.options.host.log));
  }
}

/** Tells a client that wants to know how far a call has come: each message counts one step more. Never rejects. */
function progressTo({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let step = 0;
  return async message => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    const params = { progressToken, progress: step++, message };
    // A client that cannot be told is gone, which its connection notices.
    await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/**
 * What a person said about exactly this text. A yes is one that was chosen in the form: a client that accepts whatever it
 * is asked chooses nothing. A form that was closed without an answer counts as no where a yes is required.
 */
function answerOf(confirmation: Confirmation, ctx: ServerContext, serving: Serving): 'ask' | 'yes' | 'no' | 'unasked' {
  if (!serving.options.ask || !serving.client.canAsk(ctx.mcpReq)) return 'unasked';
  const response = inputResponse(ctx.mcpReq.inputResponses, keyOf(confirmation));
  if (response.kind !== 'elicit') return 'ask';
  const chosen = response.action === 'accept' ? response.content?.answer : undefined;
  if (chosen === 'yes') return 'yes';
  if (chosen === 'no' || response.action === 'decline') return 'no';
  return confirmation.required ? 'no' : 'unasked';
}

function form(confirmation: Confirmation): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      [keyOf(confirmation)]: inputRequired.elicit({
        message: `${confirmation.title}\n\n${confirmation.message}`,
        requestedSchema: {
          type: 'object',
          properties: { answer: { type: 'string', title: confirmation.title, enum: ['yes', 'no'] } },
          required: ['answer'],
        },
      }),
    },
  });
}

/** An answer belongs to the text that was shown. */
function keyOf({ title, message }: Confirmation): string {
  return `confirm-${createHash('sha256').update(`${title}\n${message}`).digest('hex').slice(0, 16)}`;
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** One sentence for the model. Neither it nor the log holds the text of a memory. */
function reason(error: unknown, tool: Tool, log: Log): string {
  if (EngineError.is(error)) log.info(`${tool.name}: ${error.code}`);
  else log.error(`${tool.name} failed.`, error);
  return problemOf(error, tool, 'Run the server with --verbose to see why.');
}
