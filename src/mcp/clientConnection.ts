import { PassThrough, type Readable, type Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const toolsListed = 'tools/list';

/** Longest wait for answers to a client that has closed its end. */
const drainTimeoutMs = 2_500;

/** A longer message is refused: no tool takes as much, and the SDK ends the connection at 10 MB. */
const maxMessageBytes = 4_000_000;
const newline = 0x0a;

/** Answers that a client has not read, in bytes; above, nothing more is read from it until it has. */
const maxUnreadBytes = 1_000_000;
/** Requests under way; above, nothing more is read until some are answered, unless one waits for a word of the client. */
const maxPendingRequests = 100;

/** Codes of JSON-RPC. */
const errorCodes = { parse: -32700, invalidRequest: -32600, invalidParams: -32602 } as const;

/** Keys of a message; the SDK drops one with anything else, and its caller waits. */
const messageKeys: readonly string[] = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

/** The error of a message that the SDK would drop without a word or answer with an error of its own. */
export function findMessageError(message: unknown): { readonly code: number; readonly message: string } | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return { code: errorCodes.invalidRequest, message: 'A message is an object. Send it again.' };
  const { method, id, params } = message as Readonly<Record<string, unknown>>;
  if (method !== undefined && id === null)
    return { code: errorCodes.invalidRequest, message: 'The id of a request is a text or a number, and not null.' };
  const version = (params as { readonly protocolVersion?: unknown } | null | undefined)?.protocolVersion;
  if (method === 'initialize' && typeof version !== 'string')
    return { code: errorCodes.invalidParams, message: 'initialize takes a protocolVersion, as a text.' };
  return undefined;
}

/** A message with its known keys alone. */
export function withKnownKeys(message: object): object {
  return Object.fromEntries(Object.entries(message).filter(([key]) => messageKeys.includes(key)));
}

/** The start of a message that is too long, in which its id is looked for. */
const maxHeadBytes = 10_000;

/** Every key of the envelope of 2026-07-28 begins so. */
const envelopePrefix = 'io.modelcontextprotocol/';

/**
 * The transport to one client: the SDK's, which drops the answers to requests under way as soon as stdin ends; here they
 * are written first (`printf … | recollect mcp`). A message that is too long or no JSON gets an error, and in the revisions of
 * 2025 nothing is served before `initialize`. It also knows which resources the client subscribed to the way of
 * 2026-07-28, which the SDK keeps to itself. From a client that does not read its answers, or asks faster than it is
 * answered, no more is read for a while: it waits in the pipe, and not in this process.
 */
export class ClientConnection implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;

  private readonly inbound = new PassThrough();
  private readonly transport: StdioServerTransport;
  private readonly pendingRequests = new Set<RequestId>();
  /** Requests of ours that the client has not answered. */
  private readonly ownRequests = new Set<RequestId>();
  private readonly resourceListeners = new Map<RequestId, readonly string[]>();
  private resolveClosed: ((reason: string) => void) | undefined;
  private readonly closed = new Promise<string>(resolve => {
    this.resolveClosed = resolve;
  });
  private onIdle: (() => void) | undefined;
  /** Bytes of the message that is not whole yet; undefined while the rest of one that is too long is passed over. */
  private partialMessage: Buffer[] | undefined = [];
  private partialBytes = 0;
  private hasInitialized = false;

  constructor(
    private readonly stdin: Readable,
    private readonly stdout: Writable,
  ) {
    this.transport = new StdioServerTransport(this.inbound, stdout);
  }

  /** URIs of the resources that open `subscriptions/listen` requests name. */
  get listenedUris(): readonly string[] {
    return [...this.resourceListeners.values()].flat();
  }

  /**
   * Called when a client begins to listen to resources, with the envelope of its request, which is acknowledged when this
   * has resolved. Never rejects.
   */
  onListen: (envelope: object) => Promise<void> = () => Promise.resolve();

  /** Called when a client asks for the list of tools, with the envelope of its request. */
  onToolsList: (envelope: object) => void = () => undefined;

  /** Resolves with the reason when the connection has come to its end. */
  whenClosed(): Promise<string> {
    return this.closed;
  }

  async start(): Promise<void> {
    this.transport.onmessage = message => {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message))
        this.ownRequests.delete(message.id ?? '');
      if (!this.mayBeServed(message)) return;
      this.trackMessage(message);
      if (isJSONRPCRequest(message) && message.method === toolsListed) this.onToolsList(message.params?._meta ?? {});
      if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') void this.addListener(message);
      else this.onmessage?.(withoutNullArguments(message));
    };
    this.transport.onerror = error => {
      this.onerror?.(error);
    };
    this.transport.onclose = () => {
      this.resolveClosed?.('the client closed the connection');
      this.onclose?.();
    };
    await this.transport.start();
    this.stdin.on('data', (chunk: Buffer) => {
      this.receive(chunk);
      this.updateFlow();
    });
    this.stdout.on('drain', () => {
      this.updateFlow();
    });
    const onInputEnd = (): void => {
      this.endMessage();
      void this.drainAndClose();
    };
    for (const event of ['end', 'close', 'error']) this.stdin.once(event, onInputEnd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.trackOwnRequest(message);
    try {
      await this.transport.send(message);
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.markAnswered(message.id);
    }
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** The client must be heard while it owes an answer. */
  private trackOwnRequest(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.ownRequests.add(message.id);
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      this.ownRequests.delete(message.params?.requestId as RequestId);
    else return;
    this.updateFlow();
  }

  /** Reads on, or does not for now. */
  private updateFlow(): void {
    const isWaitingForClient = this.ownRequests.size > 0;
    const isBusy = this.pendingRequests.size > maxPendingRequests && !isWaitingForClient;
    if (isBusy || this.stdout.writableLength > maxUnreadBytes) this.stdin.pause();
    else if (this.stdin.isPaused()) this.stdin.resume();
  }

  /** Takes what has come, and passes on each message that is whole. */
  private receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.addToMessage(chunk.subarray(start, end));
      this.endMessage();
      start = end + 1;
    }
    this.addToMessage(chunk.subarray(start));
  }

  private addToMessage(part: Buffer): void {
    if (this.partialMessage === undefined || part.length === 0) return;
    this.partialBytes += part.length;
    this.partialMessage.push(part);
    if (this.partialBytes <= maxMessageBytes) return;
    const id = readMessageId(Buffer.concat(this.partialMessage).toString('utf8', 0, maxHeadBytes));
    this.partialMessage = undefined;
    const reason = `The message is longer than ${maxMessageBytes} bytes. Send it in parts.`;
    this.sendError(errorCodes.invalidRequest, reason, id);
  }

  private endMessage(): void {
    const text = this.partialMessage === undefined ? '' : Buffer.concat(this.partialMessage).toString('utf8').trim();
    this.partialMessage = [];
    this.partialBytes = 0;
    if (text === '') return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.sendError(errorCodes.parse, 'The message is no JSON on one line. Send it again.');
      return;
    }
    // A batch, which the revision 2025-03-26 has: each of its requests is answered by itself.
    const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
    if (messages.length === 0) this.sendError(errorCodes.invalidRequest, 'The batch is empty.');
    for (const it of messages) this.passOn(it);
  }

  /** A request that the SDK would drop without a word gets an error. */
  private passOn(message: unknown): void {
    const error = findMessageError(message);
    if (error !== undefined) {
      this.sendError(error.code, error.message, requestId(message));
      return;
    }
    this.inbound.write(`${JSON.stringify(withKnownKeys(message as object))}\n`);
  }

  /** In the revisions of 2025 the handshake comes first; that of 2026-07-28 has an envelope with each request instead. */
  private mayBeServed(message: JSONRPCMessage): boolean {
    if (!isJSONRPCRequest(message)) return true;
    if (message.method === 'initialize') this.hasInitialized = true;
    const hasEnvelope = Object.keys(message.params?._meta ?? {}).some(it => it.startsWith(envelopePrefix));
    if (this.hasInitialized || hasEnvelope || ['ping', 'server/discover'].includes(message.method)) return true;
    this.sendError(errorCodes.invalidRequest, 'Nothing is served before the request initialize.', message.id);
    return false;
  }

  private sendError(code: number, message: string, id: RequestId | null = null): void {
    this.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }

  /** The client will send no more: what it has asked is answered, then the connection ends. */
  private async drainAndClose(): Promise<void> {
    // The last input from stdin is still on its way to the requests.
    do await new Promise(resolve => setImmediate(resolve));
    while (this.inbound.readableLength > 0);
    if (this.pendingRequests.size > 0) {
      await new Promise<void>(resolve => {
        this.onIdle = resolve;
        setTimeout(resolve, drainTimeoutMs).unref();
      });
    }
    this.inbound.end();
    await this.transport.close();
  }

  private trackMessage(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      // An open subscription is answered when it ends.
      if (message.method !== 'subscriptions/listen') this.pendingRequests.add(message.id);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId | undefined;
      this.resourceListeners.delete(id ?? '');
      this.markAnswered(id);
    }
  }

  private async addListener(message: JSONRPCRequest): Promise<void> {
    const notifications = message.params?.notifications as { readonly resourceSubscriptions?: unknown } | undefined;
    const uris = notifications?.resourceSubscriptions;
    this.resourceListeners.set(message.id, Array.isArray(uris) ? uris.filter(it => typeof it === 'string') : []);
    await this.onListen(message.params?._meta ?? {});
    // Cancelled meanwhile, it needs no answer.
    if (this.resourceListeners.has(message.id)) this.onmessage?.(message);
  }

  private markAnswered(id: RequestId | undefined): void {
    if (id !== undefined) this.pendingRequests.delete(id);
    this.updateFlow();
    if (this.pendingRequests.size === 0) this.onIdle?.();
  }
}

/** Some clients send `null` for the arguments of a call without any, which the protocol's schema refuses. */
export function withoutNullArguments(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCRequest(message) || message.params?.arguments !== null) return message;
  const { arguments: absent, ...params } = message.params;
  return { ...message, params };
}

/** The id under which a message is answered: null where it has none. */
export function requestId(message: unknown): RequestId | null {
  const { id } = (message ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The id of a request of which only the start is there; undefined where that does not have it. */
function readMessageId(head: string): RequestId | undefined {
  let depth = 0;
  for (const { 0: token, index } of head.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gu)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (depth !== 1 || token !== '"id"') continue;
    const value = /^\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,16})\s*[,}]/u.exec(head.slice(index + token.length))?.[1];
    if (value !== undefined) return JSON.parse(value) as RequestId;
  }
  return undefined;
}
