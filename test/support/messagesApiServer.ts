import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { LoopbackServer } from './loopbackServer.js';

/** A received request. */
export interface RecordedMessagesRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: MessageBody;
}

interface MessageBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly { readonly text: string; readonly cache_control?: unknown }[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly output_config?: { readonly format: { readonly type: string; readonly schema: object } };
  readonly thinking?: unknown;
}

/** Answers one request. */
export type MessagesResponder = (response: ServerResponse, seen: RecordedMessagesRequest) => void;

/** A local server with the Messages API. */
export class MessagesServer extends LoopbackServer {
  readonly seen: RecordedMessagesRequest[] = [];
  /** Answers to the requests in order; the last one is repeated. */
  answers: MessagesResponder[] = [];
  private waiting: (() => void)[] = [];

  /** Resolves when the next request has arrived completely. */
  nextRequest(): Promise<void> {
    return new Promise(resolve => this.waiting.push(resolve));
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    const seen = { method, url, headers, body: (await json(request)) as MessageBody };
    this.seen.push(seen);
    for (const it of this.waiting.splice(0)) it();
    (this.answers.length > 1 ? this.answers.shift()! : this.answers[0]!)(response, seen);
  }
}

export interface MessageFields {
  readonly stop_reason?: string;
  readonly usage?: object;
}

/** Answers with a text, or an object as JSON, and a usage of 100 input and 20 output tokens unless `rest` overrides it. */
export function answersWith(content: unknown, rest: MessageFields = {}): MessagesResponder {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return sends({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-5-5',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    ...rest,
  });
}

/** Answers with any body. */
export function sends(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): MessagesResponder {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Answers with an error in the format of the API. */
export function fails(
  status: number,
  type: string,
  headers: Readonly<Record<string, string>> = {},
  message = type,
): MessagesResponder {
  return sends({ type: 'error', error: { type, message }, request_id: 'req_1' }, status, headers);
}

/** Never answers. */
export const stalls: MessagesResponder = () => undefined;

/** Sends half of an answer and then stalls. */
export const stallsHalfway: MessagesResponder = response => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"content":[{"type":"te');
};

/** Cuts the connection before the first byte. */
export const resets: MessagesResponder = response => {
  response.destroy();
};

/** Cuts the connection in the middle of the answer. */
export const cuts: MessagesResponder = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"content":[', () => response.destroy());
};
