import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What the model does once: it calls a tool of ours, by its own name (`recall`), or one of the program. */
export interface ScriptedCall {
  readonly tool: string;
  /** A text for a tool that takes no object. */
  readonly input: Readonly<Record<string, unknown>> | string;
  /** Whether the tool is the program's own: an edit, a command. */
  readonly isOfProgram?: boolean;
}

/** What an assistant asked the model: the body of a request, of any of the four interfaces. */
export interface ModelRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A tool as a model is offered it; in a namespace where the assistant makes one of each server. */
interface OfferedTool {
  readonly name: string;
  readonly namespace?: string;
  /** Whether it takes a text. */
  readonly takesText?: boolean;
}

type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly tool: OfferedTool; readonly input: ScriptedCall['input'] };

/** What the model says at the end. */
export const lastWords = 'All done.';
const callId = (index: number): string => `call_of_memory_${index}`;
const waitCallId = 'call_of_wait';
/** Calls that wait for our server, half a second apart; then it is not there. */
const maxWaits = 200;
const searchCallId = 'call_of_search';

/**
 * A language model on loopback that follows a script. It speaks Anthropic's Messages, OpenAI's Responses and OpenAI's Chat
 * Completions, streamed and whole, and Google's generateContent, streamed; and keeps what it was sent.
 */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];

  private constructor(
    private readonly server: Server,
    private calls: readonly ScriptedCall[] = [],
  ) {}

  static async start(): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server);
    server.on('request', (request, response) => void model.serve(request, response));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  /** Without a path. */
  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * From now on these calls are made, one after the other, in each conversation in which the tools are offered, before the model
   * says that it is done; what was sent before is dropped.
   */
  follow(...calls: readonly ScriptedCall[]): void {
    this.calls = calls;
    this.requests.length = 0;
  }

  /** The names of the tools of the server `recollect` in the last request that offered any, as `recall`. */
  offeredTools(): string[] {
    const offers = this.requests.map(({ body }) =>
      [...toolsOf(body), ...deferredToolsOf(body)].flatMap(tool => ownName(tool) ?? []),
    );
    return offers.findLast(it => it.length > 0) ?? [];
  }

  /** The names of the tools of the program itself, also of those that it only names, in order. */
  toolsOfProgram(): string[] {
    const offered = this.requests.flatMap(({ body }) => [...toolsOf(body), ...deferredToolsOf(body)]);
    return [...new Set(offered.filter(it => ownName(it) === undefined).map(it => it.name))].sort();
  }

  /** What came back from the last call, as the model reads it; undefined where it was not made. */
  toolResult(): string | undefined {
    const last = callId(this.calls.length - 1);
    return this.requests.map(({ body }) => resultOf(body, last)).findLast(it => it !== undefined);
  }

  /** All that the model was sent before the first call was made. */
  contextBeforeCall(): string {
    return this.contextWhere(body => resultOf(body, callId(0)) === undefined);
  }

  /** All that the model was sent once the last call had been made. */
  contextAfterCalls(): string {
    return this.contextWhere(body => resultOf(body, callId(this.calls.length - 1)) !== undefined);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private contextWhere(isMeant: (body: Json) => boolean): string {
    return this.requests
      .filter(({ body }) => toolsOf(body).length > 0 && isMeant(body))
      .map(({ body }) => JSON.stringify({ ...body, tools: [] }))
      .join('\n');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*$/u, '');
    const body = parseBody(await readText(request));
    const stream = streams[path];
    if (request.method !== 'POST' || body === undefined || stream === undefined) {
      const counted = path.endsWith('/count_tokens');
      response.writeHead(counted ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(counted ? { input_tokens: 100 } : { error: { message: 'not here' } }));
      return;
    }
    this.requests.push({ path, body });
    const { events, whole } = stream(await this.answer(body));
    if (body.stream === true || path.endsWith(':streamGenerateContent')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(whole));
    }
  }

  private async answer(body: ModelRequest['body']): Promise<Answer> {
    const index = this.calls.findIndex((_, i) => resultOf(body, callId(i)) === undefined);
    const call = this.calls[index];
    if (call === undefined) return { kind: 'text', text: lastWords };
    const direct = toolsOf(body);
    const isTool = (it: OfferedTool): boolean => (call.isOfProgram === true ? it.name : ownName(it)) === call.tool;
    const search = direct.find(it => it.name === 'ToolSearch');
    const deferred = deferredToolsOf(body).find(isTool);
    const tool = direct.find(isTool) ?? (resultOf(body, searchCallId) === undefined ? undefined : deferred);
    if (tool !== undefined) return { kind: 'call', id: callId(index), tool, input: call.input };
    if (search !== undefined && deferred !== undefined) {
      return { kind: 'call', id: searchCallId, tool: search, input: { query: `select:${deferred.name}` } };
    }
    if (call.isOfProgram === true) return { kind: 'text', text: lastWords };
    // The first requests may be sent while the servers are still connecting.
    const wait = direct.find(it => it.name === 'WaitForMcpServers') ?? search;
    let waits = 0;
    while (resultOf(body, `${waitCallId}_${waits}`) !== undefined) waits++;
    if (wait === undefined || waits === maxWaits) return { kind: 'text', text: lastWords };
    await pause(500);
    const input = wait === search ? { query: `recollect ${call.tool}` } : {};
    return { kind: 'call', id: `${waitCallId}_${waits}`, tool: wait, input };
  }
}

/** Tools that are named to the model, which has to fetch their descriptions before it calls them. */
function deferredToolsOf(body: Json): OfferedTool[] {
  // One on each line, of the program and of its servers; an agent's description may name them too.
  const names = JSON.stringify(body.messages ?? []).match(/(?<=\\n)(?:mcp__\w+|[A-Z]\w+)(?=\\n)/gu) ?? [];
  return [...new Set(names)].map(name => ({ name }));
}

/** The tool's own name where it is one of the server `recollect`, whatever the assistant puts before it. */
function ownName({ name, namespace }: OfferedTool): string | undefined {
  if (namespace !== undefined) return namespace.includes('recollect') ? name : undefined;
  return /^(?:mcp__)?(?:\w+_)?recollect[_-]+([a-z]+)$/u.exec(name)?.[1];
}

type Json = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

function toolsOf(body: Json): OfferedTool[] {
  return listOf(body.tools).flatMap((it): OfferedTool[] => {
    if (it.type === 'namespace') {
      return listOf(it.tools).map(tool => ({ name: String(tool.name), namespace: String(it.name) }));
    }
    if (Array.isArray(it.functionDeclarations)) {
      return listOf(it.functionDeclarations).map(tool => ({ name: String(tool.name) }));
    }
    const { name } = (it.function ?? it) as Json;
    return typeof name === 'string' ? [{ name, ...(it.type === 'custom' ? { takesText: true } : {}) }] : [];
  });
}

/** What a call came to, as the model reads it; undefined while it has no result in the conversation. */
function resultOf(body: Json, id: string): string | undefined {
  const results = [
    ...listOf(body.input)
      .filter(it => /^(?:function|custom_tool)_call_output$/u.test(String(it.type)) && it.call_id === id)
      .map(it => it.output),
    ...listOf(body.messages)
      .filter(it => it.role === 'tool' && it.tool_call_id === id)
      .map(it => it.content),
    ...listOf(body.messages)
      .flatMap(it => listOf(it.content))
      .filter(it => it.type === 'tool_result' && it.tool_use_id === id)
      .map(it => it.content),
    ...listOf(body.contents)
      .flatMap(it => listOf(it.parts).map(part => part.functionResponse as Json | undefined))
      .filter(it => String(it?.id) === id)
      .map(it => textOf((it!.response as Json).output)),
  ];
  return results.map(textOf).at(-1);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(it => (typeof it.text === 'string' ? it.text : JSON.stringify(it)))
    .join('');
}

interface Reply {
  readonly events: string;
  readonly whole: object;
}

/** By path: an answer in the form of the interface. */
const streams: Readonly<Record<string, (answer: Answer) => Reply>> = {
  '/v1/messages': messagesReply,
  '/v1/responses': responsesReply,
  '/v1/chat/completions': chatReply,
  '/v1beta/models/scripted:streamGenerateContent': generateContentReply,
};

function messagesReply(answer: Answer): Reply {
  const usage = { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', usage };
  const isText = answer.kind === 'text';
  const block = isText
    ? { type: 'text', text: answer.text }
    : { type: 'tool_use', id: answer.id, name: answer.tool.name, input: answer.input };
  const stop_reason = isText ? 'end_turn' : 'tool_use';
  const events = [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, stop_sequence: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: isText
        ? { type: 'text_delta', text: answer.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ];
  return { events: namedEvents(events), whole: { ...head, content: [block], stop_reason, stop_sequence: null } };
}

function responsesItem(answer: Answer): object {
  const head = { id: 'item_1', status: 'completed' };
  if (answer.kind === 'text') {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    return { ...head, type: 'message', role: 'assistant', content };
  }
  const {
    id,
    input,
    tool: { takesText, ...tool },
  } = answer;
  const call = { ...head, call_id: id, ...tool };
  return takesText === true
    ? { ...call, type: 'custom_tool_call', input }
    : { ...call, type: 'function_call', arguments: JSON.stringify(input) };
}

function responsesReply(answer: Answer): Reply {
  const item = responsesItem(answer);
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  const whole = { id: 'resp_1', object: 'response', status: 'completed', output: [item], usage };
  const events = [
    { type: 'response.created', response: { id: 'resp_1', object: 'response', status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  return { events: namedEvents(events), whole };
}

function chatReply(answer: Answer): Reply {
  const isText = answer.kind === 'text';
  const message = isText
    ? { role: 'assistant', content: answer.text }
    : {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            index: 0,
            id: answer.id,
            type: 'function',
            function: { name: answer.tool.name, arguments: JSON.stringify(answer.input) },
          },
        ],
      };
  const head = { id: 'chat_1', created: 1, model: 'scripted' };
  const finish_reason = isText ? 'stop' : 'tool_calls';
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
  return {
    events: `${chunks.map(it => `data: ${JSON.stringify(it)}\n\n`).join('')}data: [DONE]\n\n`,
    whole: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
  };
}

function generateContentReply(answer: Answer): Reply {
  const part =
    answer.kind === 'text'
      ? { text: answer.text }
      : { functionCall: { id: answer.id, name: answer.tool.name, args: answer.input } };
  const whole = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    modelVersion: 'scripted',
  };
  return { events: `data: ${JSON.stringify(whole)}\n\n`, whole };
}

function namedEvents(events: readonly { readonly type: string }[]): string {
  return events.map(it => `event: ${it.type}\ndata: ${JSON.stringify(it)}\n\n`).join('');
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
